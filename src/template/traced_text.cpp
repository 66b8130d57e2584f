#include "template/traced_text.hpp"

#include <algorithm>

namespace godwit::jinja {

bool TracedText::fits(size_t size) {
    if (size > kTextBytesMax - bytes_.size()) too_long_ = true;
    return !too_long_ && size > 0;
}

void TracedText::extend_runs(Origin origin) {
    if (!runs_.empty() && runs_.back().origin == origin) {
        runs_.back().end = bytes_.size();
    } else {
        runs_.push_back({bytes_.size(), origin});
    }
}

void TracedText::append(std::string_view bytes, Origin origin) {
    if (!fits(bytes.size())) return;
    bytes_ += bytes;
    extend_runs(origin);
}

void TracedText::append(const TracedText& other, size_t begin, size_t end) {
    if (other.too_long_) too_long_ = true;
    if (begin >= end || !fits(end - begin)) return;
    for (size_t run = other.run_at(begin); begin < end; ++run) {
        size_t stop = std::min(end, other.runs_[run].end);
        bytes_.append(other.bytes_, begin, stop - begin);
        extend_runs(other.runs_[run].origin);
        begin = stop;
    }
}

TracedText TracedText::slice(size_t begin, size_t end) const {
    TracedText part;
    part.append(*this, begin, end);
    return part;
}

size_t TracedText::run_at(size_t position) const {
    auto after = [](size_t p, const Run& run) { return p < run.end; };
    return static_cast<size_t>(std::upper_bound(runs_.begin(), runs_.end(), position, after) - runs_.begin());
}

Origin TracedText::origin_at(size_t position) const { return runs_[run_at(position)].origin; }

std::vector<Segment> TracedText::segments() const {
    std::vector<Segment> segments;
    size_t begin = 0;
    for (const Run& run : runs_) {
        segments.push_back({begin, run.end, run.origin});
        begin = run.end;
    }
    return segments;
}

}  // namespace godwit::jinja
