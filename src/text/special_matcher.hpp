// Finds special tokens in a text: the leftmost, of several that begin there the longest. The sorted texts serve as a
// trie. Time: one table look-up a byte where none begins; at worst the text × the longest special (kSpecialBytesMax).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "text/token_table.hpp"

namespace godwit {

/// Longer control and user-defined tokens are refused: the bound of the matcher's work on each byte.
inline constexpr size_t kSpecialBytesMax = 512;

class SpecialMatcher {
public:
    struct Match {
        size_t begin = 0;
        size_t size = 0;
        TokenId id = 0;
    };

    /// Tokens with empty text are left out. `table` must outlive the matcher.
    SpecialMatcher(const TokenTable& table, std::span<const TokenId> ids);

    std::optional<Match> find(std::string_view text) const;

private:
    std::optional<Match> longest_at(std::string_view text, size_t start) const;

    struct Special {
        std::string_view text;
        TokenId id;
    };
    struct Range {
        uint32_t begin = 0, end = 0;
    };

    std::vector<Special> specials_;       // by text
    std::array<Range, 256> first_bytes_;  // the specials that begin with a byte
};

}  // namespace godwit
