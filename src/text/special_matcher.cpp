#include "text/special_matcher.hpp"

#include <algorithm>

namespace godwit {

SpecialMatcher::SpecialMatcher(const TokenTable& table, std::span<const TokenId> ids) {
    for (TokenId id : ids) {
        if (!table.text(id).empty()) specials_.push_back({table.text(id), id});
    }
    std::sort(specials_.begin(), specials_.end(), [](const Special& a, const Special& b) { return a.text < b.text; });
    for (uint32_t i = 0; i < specials_.size(); ++i) {
        Range& range = first_bytes_[static_cast<unsigned char>(specials_[i].text[0])];
        if (range.end == 0) range.begin = i;
        range.end = i + 1;
    }
}

std::optional<SpecialMatcher::Match> SpecialMatcher::find(std::string_view text) const {
    for (size_t begin = 0; begin < text.size(); ++begin) {
        const Range range = first_bytes_[static_cast<unsigned char>(text[begin])];
        if (range.begin == range.end) continue;
        if (std::optional<Match> longest = longest_at(text, begin)) return longest;
    }
    return std::nullopt;
}

std::optional<SpecialMatcher::Match> SpecialMatcher::longest_at(std::string_view text, size_t start) const {
    std::optional<Match> longest;
    Range range = first_bytes_[static_cast<unsigned char>(text[start])];
    // All of `range` begin with the first `depth` bytes of the text; the shortest of them comes first.
    for (size_t depth = 1; range.begin < range.end; ++depth) {
        if (specials_[range.begin].text.size() == depth) longest = Match{start, depth, specials_[range.begin++].id};
        if (start + depth == text.size()) break;
        const auto byte = static_cast<unsigned char>(text[start + depth]);
        const auto at = [&](const Special& special) { return static_cast<unsigned char>(special.text[depth]); };
        const auto begin = specials_.begin() + range.begin, end = specials_.begin() + range.end;
        const auto low = std::partition_point(begin, end, [&](const Special& s) { return at(s) < byte; });
        const auto high = std::partition_point(low, end, [&](const Special& s) { return at(s) == byte; });
        range = {static_cast<uint32_t>(low - specials_.begin()), static_cast<uint32_t>(high - specials_.begin())};
    }
    return longest;
}

}  // namespace godwit
