// Progress of long work on stderr: a bar that redraws itself on a terminal, plain lines (every tenth) elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace godwit {

class Progress {
public:
    explicit Progress(std::string label);
    /// `note` stands behind the bar. total > 0.
    void update(int64_t done, int64_t total, std::string_view note);
    /// Clears the bar.
    void finish();

private:
    std::string label_;
    bool terminal_;
    int64_t tenths_shown_ = 0;
};

}  // namespace godwit
