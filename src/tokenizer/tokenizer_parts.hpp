// What a Tokenizer is made of. Filled by make_tokenizer() from GGUF and by read_tokenizer_json(), constant afterwards.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "tokenizer/decoder.hpp"
#include "tokenizer/normalizer.hpp"
#include "tokenizer/special_matcher.hpp"
#include "tokenizer/splitter.hpp"
#include "tokenizer/subword_model.hpp"
#include "tokenizer/token_table.hpp"

namespace godwit {

/// By id: the text that an added token is found by once the text is normalised, where that is how it is found.
using NormalizedTexts = std::map<TokenId, std::string>;

struct TokenizerParts {
    std::unique_ptr<TokenTable> table;  // at a fixed address: the model and the matchers keep references

    // The stages of encoding, in order. Special tokens are found before the first and after the normalizers.
    SpecialMatcher in_values, in_templates;  // in the text as it comes
    SpecialMatcher beside_values;  // in_templates, and the control tokens of normalized_in_templates: where parts of a
                                   // text are values, normalised text has no origin
    Normalizers normalizers;
    SpecialMatcher normalized_in_values, normalized_in_templates;  // in normalised text
    Splitters splitters;
    std::unique_ptr<SubwordModel> model;

    Decoder decoder;
    NormalizedTexts normalized;  // what these tokens decode from

    /// What a token with this text stands for in a place.
    std::string decode(TokenId id, std::string_view text, TokenPlace place) const {
        const auto found = normalized.find(id);
        if (found == normalized.end() || found->second == text) return decoder.decode(text, place);
        place.type = TokenType::Normal;
        return decoder.decode(found->second, place);
    }

    std::vector<bool> strip_left, strip_right;  // by id: takes the white space on that side with it
    std::vector<bool> single_word;              // by id: not inside a word
    std::vector<bool> ends_generation;          // by id

    std::optional<TokenId> bos, eos;
    std::vector<TokenId> prefix, suffix;  // what a prompt begins and ends with
};

/// Sorts the special tokens into those of templates and those of values and makes the matchers. A user-defined token
/// whose text occurs in a template is a marker there, and must not be forged by a value; white space alone marks
/// nothing. Errors, with `where` in front: a token that is too long to be found.
Result<void> find_specials(TokenizerParts& parts, std::string_view chat_templates, std::string_view where);

/// Which tokens end an answer: those named, and those known by their text.
void find_ends(TokenizerParts& parts, const std::vector<std::optional<TokenId>>& named);

/// Whether `text` is white space alone.
bool is_blank(std::string_view text);

/// Makes each list by id as long as the vocabulary.
void size_lists(TokenizerParts& parts);

}  // namespace godwit
