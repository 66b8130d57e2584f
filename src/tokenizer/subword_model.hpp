// The last stage of a tokenizer: the algorithm that turns pieces of ordinary text into tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "tokenizer/fallback.hpp"
#include "tokenizer/merge_table.hpp"
#include "tokenizer/merger.hpp"
#include "tokenizer/splitter.hpp"
#include "tokenizer/token_table.hpp"

namespace godwit {

/// Counts of what encoding cost, for tests of linearity.
struct EncodeWork {
    uint64_t pieces = 0;        // between which nothing merges
    uint64_t queue_pushes = 0;  // candidates: for a merge (BPE), for a place in the best path (Unigram, WordPiece)
};

class SubwordModel {
public:
    virtual ~SubwordModel() = default;

    /// Appends the tokens of `pieces` (any bytes), which hold no special token. Any thread.
    virtual void encode(const Pieces& pieces, std::vector<TokenId>& out, EncodeWork& work) const = 0;
};

// Every `table` must outlive its model.

struct BpeOptions {
    bool byte_letters = false;       // pieces come in GPT-2's alphabet: nothing but its letters stands for a byte
    bool ignore_merges = false;      // a piece that is a token is taken at once
    std::string continuing_prefix;   // in front of each symbol but a piece's first
    std::string end_of_word_suffix;  // behind a piece's last symbol
    Fallback::Options fallback;
};

/// BPE by ranked merges.
std::unique_ptr<SubwordModel> make_bpe(const TokenTable& table, MergeTable merges, BpeOptions options);

/// SentencePiece's BPE, model "llama": the merge whose result scores highest goes first. Errors: no scores; nothing
/// that stands for unknown characters.
Result<std::unique_ptr<SubwordModel>> make_sentencepiece_bpe(const TokenTable& table, const std::vector<float>& scores,
                                                             std::optional<TokenId> unknown);

struct WordPieceOptions {
    std::string word_prefix;        // of tokens that begin a word: ▁ in GGUF
    std::string continuing_prefix;  // of the others: ## in tokenizer.json
    size_t most_characters = 100;   // a longer word is unknown
    TokenId unknown = 0;
};

/// The longest token first, from left to right; a word of which any part is none becomes the unknown token.
std::unique_ptr<SubwordModel> make_wordpiece(const TokenTable& table, const WordPieceOptions& options);

struct UnigramOptions {
    TokenId unknown = 0;
    bool byte_fallback = false;
};

/// The most likely tokens (Kudo 2018). `scores`: by id, finite; those of tokens that are no plain text only count for
/// the lowest.
std::unique_ptr<SubwordModel> make_unigram(const TokenTable& table, std::vector<double> scores,
                                           const UnigramOptions& options);

/// A piece is a token or unknown.
std::unique_ptr<SubwordModel> make_word_level(const TokenTable& table, TokenId unknown);

}  // namespace godwit
