// The special tokens of a text whose bytes have origins, from left to right: all of them inside template text,
// elsewhere those that a value may write. What either matcher found ahead is kept until it is passed: each searches the
// text once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "text/segment.hpp"
#include "tokenizer/special_matcher.hpp"

namespace godwit {

class SpecialFinder {
public:
    using Match = SpecialMatcher::Match;

    SpecialFinder(std::string_view text, std::span<const Segment> segments, const SpecialMatcher& in_templates,
                  const SpecialMatcher& in_values)
        : text_(text), segments_(segments), in_templates_(in_templates), in_values_(in_values) {
        find_in_values(0);
        find_in_templates(0);
    }

    /// The leftmost one that begins at `from` or later, of several that begin there the longest. `from` never goes
    /// back.
    std::optional<Match> find(size_t from) {
        if (value_.begin < from) find_in_values(from);
        if (template_.begin < from) find_in_templates(from);
        const bool same = value_.begin == template_.begin;
        const bool value_first = same ? value_.size > template_.size : value_.begin < template_.begin;
        const Match& first = value_first ? value_ : template_;
        if (first.begin == kNowhere) return std::nullopt;
        return first;
    }

private:
    static constexpr size_t kNowhere = SIZE_MAX;

    static Match shifted(const std::optional<Match>& match, size_t by) {
        return match ? Match{match->begin + by, match->size, match->id} : Match{kNowhere, 0, 0};
    }

    void find_in_values(size_t from) { value_ = shifted(in_values_.find(text_.substr(from)), from); }

    void find_in_templates(size_t from) {
        template_.begin = kNowhere;
        for (; segment_ < segments_.size(); ++segment_) {
            const auto [begin, end, origin] = segments_[segment_];
            const size_t start = std::max(begin, from);
            if (origin != Origin::Template || start >= end) continue;
            template_ = shifted(in_templates_.find(text_.substr(start, end - start)), start);
            if (template_.begin != kNowhere) return;
        }
    }

    std::string_view text_;
    std::span<const Segment> segments_;
    const SpecialMatcher &in_templates_, &in_values_;
    Match value_, template_;  // the next one of each
    size_t segment_ = 0;      // where template_ is, or is looked for next
};

}  // namespace godwit
