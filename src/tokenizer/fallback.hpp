// What becomes of characters that are no token.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tokenizer/merger.hpp"
#include "tokenizer/token_table.hpp"

namespace godwit {

/// One byte token a byte if the vocabulary has them, else an unknown token, else nothing.
class Fallback {
public:
    struct Options {
        std::optional<TokenId> unknown;
        bool byte_tokens = false;
        bool fuse_unknown = true;  // one unknown token for a whole run of characters
    };

    Fallback(const TokenTable& table, const Options& options) : table_(table), options_(options) {}

    bool makes_tokens() const { return options_.byte_tokens || options_.unknown; }

    /// Turns the outcome of merging into tokens. `text`: what the symbols are stretches of.
    void append(const Merger& merged, std::string_view text, std::vector<TokenId>& out) const {
        bool after_unknown = false;
        merged.for_each([&](const Merger::Symbol& symbol) {
            if (symbol.id != kNoToken) {
                out.push_back(symbol.id);
                after_unknown = false;
            } else {
                after_unknown = append_unknown(text.substr(symbol.begin, symbol.size), after_unknown, out);
            }
        });
    }

    /// The tokens of text that is none; whether the last is the unknown token, which goes in as `after_unknown`.
    bool append_unknown(std::string_view text, bool after_unknown, std::vector<TokenId>& out) const {
        if (options_.byte_tokens && append_bytes(text, out)) return false;
        if (options_.unknown && !(after_unknown && options_.fuse_unknown)) out.push_back(*options_.unknown);
        return options_.unknown.has_value();
    }

private:
    bool append_bytes(std::string_view text, std::vector<TokenId>& out) const {
        for (char byte : text)
            if (!table_.byte_token(static_cast<uint8_t>(byte))) return false;
        for (char byte : text) out.push_back(*table_.byte_token(static_cast<uint8_t>(byte)));
        return true;
    }

    const TokenTable& table_;
    Options options_;
};

}  // namespace godwit
