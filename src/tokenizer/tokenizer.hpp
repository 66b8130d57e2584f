// Text to token ids and back. One class for all models. Encoding: special tokens are cut out, the text between them is
// normalised and split into pieces, and a SubwordModel, chosen by the vocabulary, turns those into tokens. Immutable:
// any thread may encode and decode. Ids equal those of the model's own Hugging Face tokenizer; time is n log n in the
// text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "text/segment.hpp"
#include "tokenizer/tokenizer_parts.hpp"
#include "tokenizer/vocabulary.hpp"

namespace godwit {

/// Which special tokens may be found in a text.
enum class Specials {
    None,  // a user's text: control tokens never; user-defined ones unless their text occurs in a chat template
    All,   // template text, or a prompt typed by somebody who means it: `<|im_start|>` is one token
};

class Tokenizer {
public:
    explicit Tokenizer(TokenizerParts parts) : parts_(std::move(parts)) {}

    /// Any bytes in (ill-formed UTF-8 too, less than 2^31 of them), ids out, without prefix() and suffix().
    /// `work`, if given, is counted up.
    std::vector<TokenId> encode(std::string_view text, Specials specials, EncodeWork* work = nullptr) const;

    /// A prompt of a chat template, as one text: control tokens are found in segments of the template alone, and wholly
    /// inside one; user-defined ones everywhere, except, in values, those whose text occurs in the model's template.
    /// The segments cover the text.
    std::vector<TokenId> encode(std::string_view text, std::span<const Segment> segments,
                                EncodeWork* work = nullptr) const;

    /// The bytes that a token stands for, one for a byte token; of control and unknown tokens none, or with `specials`
    /// their text. Needs 0 <= id < size().
    std::string_view bytes(TokenId id, bool specials = false) const;

    /// All bytes of the ids in order. What the decoder drops at the beginning of a text (SentencePiece's prefix space)
    /// is dropped.
    std::string decode(std::span<const TokenId> ids, bool specials = false) const;

    TokenId size() const { return parts_.table->size(); }
    /// Error: an id that is none of the vocabulary.
    Result<void> check(std::span<const TokenId> ids) const;
    TokenType type(TokenId id) const { return parts_.table->type(id); }
    /// As the file spells it.
    std::string_view raw_text(TokenId id) const { return parts_.table->text(id); }
    std::optional<TokenId> bos() const { return parts_.bos; }
    std::optional<TokenId> eos() const { return parts_.eos; }
    /// What the model wants before and behind a prompt: mostly none, or bos() before it. (BERT: [CLS] and [SEP].)
    const std::vector<TokenId>& prefix() const { return parts_.prefix; }
    const std::vector<TokenId>& suffix() const { return parts_.suffix; }
    bool ends_generation(TokenId id) const { return parts_.ends_generation[id]; }

private:
    struct Output {
        std::vector<TokenId> ids;
        EncodeWork work;
    };
    template <class Find, class Encode>
    void cut_specials(std::string_view text, Find find, Encode encode, std::vector<TokenId>& out) const;
    void encode_stretch(Stretch stretch, bool in_template, Output& out) const;

    TokenizerParts parts_;
};

/// Checks the vocabulary as a whole (invariant I4: nothing that depends on it can fail later) and builds the tokenizer.
/// Errors name the key and the token. The views of `vocabulary` need not outlive the call.
Result<std::unique_ptr<Tokenizer>> make_tokenizer(Vocabulary vocabulary);

}  // namespace godwit
