// SentencePiece's BPE (Kudo and Richardson 2018): no pre-tokenizer, pairs merge where their joined text is a token, the
// best score first.
#include <bit>

#include "base/utf8.hpp"
#include "tokenizer/merger.hpp"
#include "tokenizer/subword_model.hpp"

namespace godwit {
namespace {

/// Ascending for descending finite scores; −0 counts as 0.
uint32_t priority(float score) {
    const auto bits = std::bit_cast<uint32_t>(score + 0.0f);
    const uint32_t ascending = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return ~ascending;
}

class SentencePieceBpe final : public SubwordModel {
public:
    SentencePieceBpe(const TokenTable& table, const std::vector<float>& scores, std::optional<TokenId> unknown)
        : table_(table), fallback_(table, {.unknown = unknown, .byte_tokens = table.has_all_bytes()}) {
        priorities_.reserve(scores.size());
        for (float score : scores) priorities_.push_back(priority(score));
    }

    void encode(const Pieces& pieces, std::vector<TokenId>& out, EncodeWork& work) const override {
        Merger merger;
        pieces.for_each([&](std::string_view text) {
            ++work.pieces;
            merger.clear();
            for (size_t i = 0; i < text.size();) {
                const uint32_t size = next_utf8(text.substr(i)).size;
                merger.add(static_cast<uint32_t>(i), size, table_.find_plain(text.substr(i, size)).value_or(kNoToken));
                i += size;
            }
            merger.run([&](const Merger::Symbol& a, const Merger::Symbol& b) { return find(text, a, b); });
            fallback_.append(merger, text, out);
        });
        work.queue_pushes += merger.pushes();
    }

private:
    std::optional<Merger::Merge> find(std::string_view text, const Merger::Symbol& a, const Merger::Symbol& b) const {
        const uint32_t size = a.size + b.size;
        if (size > table_.longest_text()) return std::nullopt;
        const auto id = table_.find_plain(text.substr(a.begin, size));
        if (!id) return std::nullopt;
        return Merger::Merge{priorities_[*id], *id};
    }

    const TokenTable& table_;
    Fallback fallback_;
    std::vector<uint32_t> priorities_;  // by id
};

}  // namespace

Result<std::unique_ptr<SubwordModel>> make_sentencepiece_bpe(const TokenTable& table, const std::vector<float>& scores,
                                                             std::optional<TokenId> unknown) {
    if (scores.empty()) return error("key tokenizer.ggml.scores: missing (a llama tokenizer merges by score)");
    if (!table.has_all_bytes() && !unknown)
        return error(
            "key tokenizer.ggml.tokens: the 256 byte tokens <0x00> … <0xFF> are not all there, and no unknown "
            "token stands in for them");
    return std::unique_ptr<SubwordModel>(std::make_unique<SentencePieceBpe>(table, scores, unknown));
}

}  // namespace godwit
