// SentencePiece's BPE (Kudo and Richardson 2018): no pre-tokenizer, pairs merge where their joined text is a token, the
// best score first.
#include <bit>

#include "base/utf8.hpp"
#include "text/merger.hpp"
#include "text/subword_model.hpp"

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
    SentencePieceBpe(const TokenTable& table, const std::vector<float>& scores, bool prefix_space,
                     std::optional<TokenId> unknown)
        : table_(table), prefix_space_(prefix_space), fallback_(table, unknown) {
        priorities_.reserve(scores.size());
        for (float score : scores) priorities_.push_back(priority(score));
    }

    void encode(std::string_view text, std::vector<TokenId>& out, EncodeWork& work) const override {
        const std::string escaped = (prefix_space_ ? std::string(kEscapedSpace) : std::string()) + escape_spaces(text);
        Merger merger;
        for (size_t i = 0; i < escaped.size();) {
            const uint32_t size = next_utf8(std::string_view(escaped).substr(i)).size;
            const auto id = table_.find_plain(std::string_view(escaped).substr(i, size));
            merger.add(static_cast<uint32_t>(i), size, id.value_or(kNoToken));
            i += size;
        }
        merger.run([&](const Merger::Symbol& a, const Merger::Symbol& b) { return find(escaped, a, b); });
        fallback_.append(merger, escaped, out);
        ++work.pieces;
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
    bool prefix_space_;
    Fallback fallback_;
    std::vector<uint32_t> priorities_;  // by id
};

}  // namespace

Result<std::unique_ptr<SubwordModel>> make_sentencepiece_bpe(const TokenTable& table, const std::vector<float>& scores,
                                                             bool prefix_space, std::optional<TokenId> unknown) {
    if (scores.empty()) return error("key tokenizer.ggml.scores: missing (a llama tokenizer merges by score)");
    if (!table.has_all_bytes() && !unknown)
        return error(
            "key tokenizer.ggml.tokens: the 256 byte tokens <0x00> … <0xFF> are not all there, and no unknown "
            "token stands in for them");
    return std::unique_ptr<SubwordModel>(std::make_unique<SentencePieceBpe>(table, scores, prefix_space, unknown));
}

}  // namespace godwit
