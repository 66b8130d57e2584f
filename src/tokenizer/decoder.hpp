// From tokens to bytes: what a token of the vocabulary stands for, step by step as a tokenizer.json lists them.
// Everything that depends on the neighbours of a token is a rule for the first and the last one, so that texts can be
// streamed.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/regex.hpp"
#include "tokenizer/vocabulary.hpp"

namespace godwit {

/// Where a token stands in a text.
struct TokenPlace {
    bool first = false, last = false;
    TokenType type = TokenType::Normal;
};

/// Immutable: any thread may apply it.
class DecoderStep {
public:
    virtual ~DecoderStep() = default;
    virtual void apply(std::string& token, const TokenPlace& place) const = 0;
};

struct Decoder {
    bool plain_specials = false;  // GGUF: control and unknown tokens mean their texts, whatever the steps
    std::vector<std::unique_ptr<DecoderStep>> steps;

    /// Up to so many of these characters are dropped from the beginning of the whole text.
    std::string strip_content;
    size_t strip_count = 0;

    std::string decode(std::string_view token, const TokenPlace& place) const {
        std::string text(token);
        if (plain_specials && (place.type == TokenType::Control || place.type == TokenType::Unknown)) return text;
        for (const auto& step : steps) step->apply(text, place);
        return text;
    }

    /// Drops what is to be stripped of the text, whose next part is `part`; `left` begins as strip_count.
    void strip(std::string& part, size_t& left) const;
};

/// GPT-2's letters are bytes; added tokens mean their texts.
std::unique_ptr<DecoderStep> make_byte_letters_decoder();
/// `<0xNN>` is a byte; `by_type`: only of tokens that the vocabulary calls so.
std::unique_ptr<DecoderStep> make_byte_fallback_decoder(bool by_type);
/// ▁ as space; `drop_prefix`: one at the beginning of the first token is dropped.
std::unique_ptr<DecoderStep> make_escaped_space_decoder(bool drop_prefix);
/// `replacement` as space; `drop_first`: nothing where the token is the first.
std::unique_ptr<DecoderStep> make_metaspace_decoder(std::string replacement, bool drop_first);
std::unique_ptr<DecoderStep> make_wordpiece_decoder(std::string continuing_prefix, bool cleanup);
std::unique_ptr<DecoderStep> make_bpe_decoder(std::string suffix);
std::unique_ptr<DecoderStep> make_replace_decoder(std::string pattern, std::string content);
std::unique_ptr<DecoderStep> make_replace_decoder(Regex pattern, std::string content);
/// Up to `start` and `stop` times `content`, one character, at the ends of each token.
std::unique_ptr<DecoderStep> make_strip_decoder(std::string content, size_t start, size_t stop);
/// A space in front of all tokens but the first: what no decoder means.
std::unique_ptr<DecoderStep> make_joining_decoder();

}  // namespace godwit
