// Progress of long work on stderr: a bar that redraws itself on a terminal, plain lines (every tenth; of bytes at most
// one a second) elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace godwit {

class Progress {
public:
    explicit Progress(std::string label);
    /// `note` is shown after the bar. total > 0.
    void update(int64_t done, int64_t total, std::string_view note);
    /// Bytes that come in: with the rate since the first call and the time left. May be called often.
    void update_bytes(uint64_t done, uint64_t total);
    /// Clears the bar.
    void finish();

private:
    void draw(int64_t done, int64_t total, std::string_view text) const;

    std::string label_;
    bool terminal_;
    using Clock = std::chrono::steady_clock;
    int64_t tenths_shown_ = 0;
    std::optional<uint64_t> bytes_before_;  // what was there when the first bytes came
    Clock::time_point start_, shown_;       // of bytes
};

/// What the program does while nothing else is to be seen: one line on stderr, on a terminal alone, which vanishes.
class StatusLine {
public:
    StatusLine();
    ~StatusLine() { clear(); }
    StatusLine(const StatusLine&) = delete;
    StatusLine& operator=(const StatusLine&) = delete;

    /// Not empty.
    void show(const std::string& text);
    void clear();
    bool is_on() const { return on_; }

private:
    const bool on_;
    std::string shown_;
};

}  // namespace godwit
