// Sorted ranges of code points: properties that utf8proc lacks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace godwit {

struct CodePointRange {
    char32_t first, last;
};

inline bool is_in(std::span<const CodePointRange> ranges, char32_t c) {
    auto after = std::upper_bound(ranges.begin(), ranges.end(), c,
                                  [](char32_t wanted, const CodePointRange& range) { return wanted < range.first; });
    return after != ranges.begin() && c <= (after - 1)->last;
}

}  // namespace godwit
