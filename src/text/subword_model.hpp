// The seam between the tokenizer (special tokens, decoding) and the algorithm that turns ordinary text into tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "text/merger.hpp"
#include "text/pretokenizer.hpp"
#include "text/token_table.hpp"

namespace godwit {

/// Counts of what encoding cost, for tests of linearity.
struct EncodeWork {
    uint64_t pieces = 0;        // between which nothing merges
    uint64_t queue_pushes = 0;  // candidates for a merge
};

class SubwordModel {
public:
    virtual ~SubwordModel() = default;

    /// Appends the tokens of `text` (not empty, any bytes), which holds no special token. Any thread.
    virtual void encode(std::string_view text, std::vector<TokenId>& out, EncodeWork& work) const = 0;
};

/// BPE by ranked merges over pre-tokenized pieces: "gpt2" and "gemma4". `table` must outlive the model.
/// Errors name the merge.
Result<std::unique_ptr<SubwordModel>> make_bpe(const TokenTable& table, const std::vector<std::string_view>& merges,
                                               const PretokenizerSpec& spec, std::optional<TokenId> unknown);

/// SentencePiece's BPE, model "llama": the merge whose result scores highest goes first.
/// `prefix_space`: each text gets one space in front. `table` must outlive the model.
Result<std::unique_ptr<SubwordModel>> make_sentencepiece_bpe(const TokenTable& table, const std::vector<float>& scores,
                                                             bool prefix_space, std::optional<TokenId> unknown);

/// `text` with U+2581 for each space.
std::string escape_spaces(std::string_view text);

/// Turns the outcome of merging into tokens. Characters without a token become: one byte token a byte if the vocabulary
/// has them all, else one unknown token for a whole run of them, else nothing.
class Fallback {
public:
    Fallback(const TokenTable& table, std::optional<TokenId> unknown)
        : table_(table), unknown_(unknown), has_bytes_(table.has_all_bytes()) {}

    /// `text`: what the symbols are stretches of.
    void append(const Merger& merged, std::string_view text, std::vector<TokenId>& out) const;

private:
    const TokenTable& table_;
    std::optional<TokenId> unknown_;
    bool has_bytes_;
};

}  // namespace godwit
