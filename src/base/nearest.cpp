#include "base/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace godwit {
namespace {

constexpr size_t kLongest = 64;  // longer words are no mistyped names, and the distance is quadratic

/// How many letters must be put in, taken out or replaced (Levenshtein's distance).
size_t distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 0; i < a.size(); ++i) {
        size_t corner = std::exchange(row[0], i + 1);
        for (size_t j = 0; j < b.size(); ++j) {
            size_t replaced = corner + (a[i] != b[j]);
            corner = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, corner + 1});
        }
    }
    return row.back();
}

}  // namespace

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& names) {
    if (word.empty() || word.size() > kLongest) return {};
    std::string_view best;
    size_t least = std::max<size_t>(1, (word.size() + 1) / 3) + 1;
    for (std::string_view name : names) {
        size_t away = name.starts_with(word) ? 0 : distance(word, name);
        if (away < least) best = name, least = away;
    }
    return best;
}

}  // namespace godwit
