// A string that knows of every byte whether the template or a value wrote it. All string operations of the template
// engine are appends to one of these, so that no operation can lose the origin.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/segment.hpp"

namespace godwit::jinja {

/// No string of a template grows beyond this; what is appended after it is dropped, and too_long() says so.
inline constexpr size_t kTextBytesMax = size_t{64} << 20;

class TracedText {
public:
    TracedText() = default;
    TracedText(std::string_view bytes, Origin origin) { append(bytes, origin); }

    std::string_view view() const { return bytes_; }
    size_t size() const { return bytes_.size(); }
    bool empty() const { return bytes_.empty(); }
    bool too_long() const { return too_long_; }

    void append(std::string_view bytes, Origin origin);
    void append(const TracedText& other) { append(other, 0, other.size()); }
    /// Bytes [begin, end) of `other`, which is not this text.
    void append(const TracedText& other, size_t begin, size_t end);
    TracedText slice(size_t begin, size_t end) const;
    Origin origin_at(size_t position) const;
    /// Maximal runs of one origin, in order, without gaps.
    std::vector<Segment> segments() const;
    std::string take_bytes() && { return std::move(bytes_); }

private:
    struct Run {
        size_t end;
        Origin origin;
    };
    bool fits(size_t size);
    void extend_runs(Origin origin);
    size_t run_at(size_t position) const;

    std::string bytes_;
    std::vector<Run> runs_;  // by end; neighbours differ
    bool too_long_ = false;
};

}  // namespace godwit::jinja
