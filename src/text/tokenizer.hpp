// Text to token ids and back. One class for all models: special tokens and decoding are here, the algorithm for
// ordinary text is a SubwordModel, chosen by the vocabulary. Immutable after make_tokenizer(): any thread may encode
// and decode. Ids equal those of the model's own Hugging Face tokenizer; time is n log n in the text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "text/special_matcher.hpp"
#include "text/subword_model.hpp"
#include "text/token_table.hpp"
#include "text/vocabulary.hpp"

namespace godwit {

/// Which special tokens may be found in a text.
enum class Specials {
    None,  // a user's text: control tokens never; user-defined ones unless their text occurs in a chat template
    All,   // template text, or a prompt typed by somebody who means it: `<|im_start|>` is one token
};

class Tokenizer {
public:
    /// Any bytes in (ill-formed UTF-8 too, less than 2^31 of them), ids out; no BOS or EOS is added.
    /// `work`, if given, is counted up.
    std::vector<TokenId> encode(std::string_view text, Specials specials, EncodeWork* work = nullptr) const;

    /// The bytes that a token stands for, one for a byte token; of control and unknown tokens none, or with `specials`
    /// their text. Needs 0 <= id < size().
    std::string_view bytes(TokenId id, bool specials = false) const;

    /// All bytes of the ids in order. The SentencePiece prefix space of the first text is dropped, as its decoder does.
    std::string decode(std::span<const TokenId> ids, bool specials = false) const;

    TokenId size() const { return table_->size(); }
    TokenType type(TokenId id) const { return table_->type(id); }
    /// As the file spells it.
    std::string_view raw_text(TokenId id) const { return table_->text(id); }
    std::optional<TokenId> bos() const { return bos_; }
    std::optional<TokenId> eos() const { return eos_; }
    /// Prepend bos() to a prompt: then there is one.
    bool add_bos() const { return add_bos_; }
    bool add_eos() const { return add_eos_; }
    bool ends_generation(TokenId id) const { return ends_generation_[id]; }

private:
    friend class TokenizerBuilder;
    Tokenizer() = default;
    bool prefix_space_at(TokenId id) const;

    std::unique_ptr<TokenTable> table_;  // at a fixed address: model_ keeps a reference
    std::unique_ptr<SubwordModel> model_;
    std::optional<SpecialMatcher> in_values_, in_templates_;  // Specials::None, Specials::All
    // Added tokens that take the white space on their left or right with them, by id.
    std::vector<bool> strip_left_, strip_right_;
    std::vector<bool> ends_generation_;
    bool prefix_space_ = false;
    std::optional<TokenId> bos_, eos_;
    bool add_bos_ = false, add_eos_ = false;
};

/// Checks the vocabulary as a whole (invariant I4: nothing that depends on it can fail later) and builds the tokenizer.
/// Errors name the key and the token. The views of `vocabulary` need not outlive the call.
Result<std::unique_ptr<Tokenizer>> make_tokenizer(Vocabulary vocabulary);

}  // namespace godwit
