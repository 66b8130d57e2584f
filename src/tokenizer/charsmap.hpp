// SentencePiece's precompiled_charsmap: replacements of characters, found by a trie stored as a double array (the
// layout of Darts-clone).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace godwit {

class Charsmap {
public:
    /// `blob`: u32 size of the trie in bytes, the trie, the replacements, each ended by a zero byte. Errors: what
    /// points outside.
    static Result<Charsmap> parse(std::string_view blob);

    /// The replacement of the shortest beginning of `text` that has one.
    std::optional<std::string_view> find(std::string_view text) const;

    size_t longest_replacement() const { return longest_replacement_; }

private:
    std::vector<uint32_t> units_;
    std::string replacements_;
    size_t longest_replacement_ = 0;
};

}  // namespace godwit
