// The vocabulary by id and by text: what each token spells, the bytes it stands for, and whether plain text may become
// it. Immutable once built, so any thread may read.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "text/flat_index.hpp"
#include "text/vocabulary.hpp"

namespace godwit {

/// How the file writes the bytes of ordinary tokens.
enum class Spelling : uint8_t {
    ByteLetters,   // GPT-2's alphabet
    EscapedSpace,  // UTF-8 with U+2581 for the space
    Plain,         // UTF-8
};

inline constexpr std::string_view kEscapedSpace = "\xE2\x96\x81";  // U+2581 ▁

/// Strings by id, one after another in one piece of memory: a look-up by text touches as little of it as possible.
class StringTable {
public:
    size_t size() const { return ends_.size(); }
    std::string_view operator[](size_t i) const {
        const uint32_t begin = i == 0 ? 0 : ends_[i - 1];
        return std::string_view(all_).substr(begin, ends_[i] - begin);
    }
    /// Room for `count` strings of less than 4 GiB in all.
    void reserve(size_t count, size_t bytes) {
        ends_.reserve(count);
        all_.reserve(bytes);
    }
    void push_back(std::string_view string) {
        all_ += string;
        ends_.push_back(static_cast<uint32_t>(all_.size()));
    }

private:
    std::string all_;
    std::vector<uint32_t> ends_;
};

class TokenTable {
public:
    /// Checks texts and types. `types` may be empty: all Normal. Errors name the token.
    static Result<TokenTable> build(const std::vector<std::string_view>& texts, std::vector<TokenType> types,
                                    Spelling spelling);

    TokenId size() const { return static_cast<TokenId>(texts_.size()); }
    std::string_view text(TokenId id) const { return texts_[id]; }
    TokenType type(TokenId id) const { return types_.empty() ? TokenType::Normal : types_[id]; }

    /// The bytes that the token stands for when it is shown: the text itself of control, unknown and user-defined ones.
    std::string_view bytes(TokenId id) const { return bytes_[id]; }

    std::optional<TokenId> find(std::string_view text) const;
    /// Makes a find() that comes soon faster.
    void prefetch(std::string_view text) const { index_.prefetch(hash_text(text)); }

    /// The same among the tokens that plain text may turn into: not those of type control, unknown or byte, nor
    /// markers.
    std::optional<TokenId> find_plain(std::string_view text) const;
    bool is_plain(TokenId id) const { return plain_[id]; }

    /// From now on `id` is no plain token: only a special match yields it.
    void make_marker(TokenId id) { plain_[id] = false; }

    /// The byte token `<0xNN>`.
    std::optional<TokenId> byte_token(uint8_t byte) const { return byte_tokens_[byte]; }
    bool has_all_bytes() const;

    size_t longest_text() const { return longest_text_; }

private:
    TokenTable(size_t size, std::vector<TokenType> types) : types_(std::move(types)), index_(size) {}
    Result<void> add(std::string_view text);
    std::string decode(TokenId id, Spelling spelling) const;

    StringTable texts_;
    std::vector<TokenType> types_;
    std::vector<bool> plain_;
    FlatIndex index_;
    StringTable bytes_;
    std::array<std::optional<TokenId>, 256> byte_tokens_;
    size_t longest_text_ = 0;
};

}  // namespace godwit
