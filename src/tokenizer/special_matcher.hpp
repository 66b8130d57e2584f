// Finds special tokens in a text: the leftmost, of several that begin there the longest. Time: one table look-up a byte
// where none begins; at worst the text × the longest special (kSpecialBytesMax).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "tokenizer/text_trie.hpp"

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

    SpecialMatcher() = default;
    /// Empty texts are left out. Views must outlive the matcher.
    explicit SpecialMatcher(std::vector<TextTrie::Entry> specials) {
        std::erase_if(specials, [](const TextTrie::Entry& special) { return special.text.empty(); });
        trie_ = TextTrie(std::move(specials));
    }

    std::optional<Match> find(std::string_view text) const {
        for (size_t begin = 0; begin < text.size(); ++begin) {
            if (!trie_.begins(text[begin])) continue;
            std::optional<Match> longest;
            trie_.visit_beginnings(text.substr(begin),
                                   [&](size_t size, TokenId id) { longest = Match{begin, size, id}; });
            if (longest) return longest;
        }
        return std::nullopt;
    }

private:
    TextTrie trie_;
};

}  // namespace godwit
