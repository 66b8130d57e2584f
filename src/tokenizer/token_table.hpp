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

#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "tokenizer/flat_index.hpp"
#include "tokenizer/vocabulary.hpp"

namespace godwit {

inline constexpr std::string_view kEscapedSpace = "\xE2\x96\x81";  // U+2581 ▁

/// N of "<0xN>", two hexadecimal digits.
std::optional<uint8_t> parse_byte_token(std::string_view text);

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
    /// The bytes that a token with this text and type stands for.
    using Decode = FunctionRef<std::string(TokenId id, std::string_view text, TokenType type)>;

    /// Checks texts and types. `types` may be empty: all Normal. Errors name the token, and the list of texts by
    /// `where`.
    static Result<TokenTable> build(const std::vector<std::string_view>& texts, std::vector<TokenType> types,
                                    Decode decode, std::string_view where);

    TokenId size() const { return static_cast<TokenId>(texts_.size()); }
    std::string_view text(TokenId id) const { return texts_[id]; }
    TokenType type(TokenId id) const { return types_.empty() ? TokenType::Normal : types_[id]; }

    /// The bytes that the token stands for when it is shown.
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
    Result<void> add(std::string_view text, std::string_view where);

    StringTable texts_;
    std::vector<TokenType> types_;
    std::vector<bool> plain_;
    FlatIndex index_;
    StringTable bytes_;
    std::array<std::optional<TokenId>, 256> byte_tokens_;
    size_t longest_text_ = 0;
};

}  // namespace godwit
