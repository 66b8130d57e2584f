// BPE by ranked merges (Sennrich et al. 2016), on the letters of bytes as in GPT-2 or on characters as in Gemma 4.
#include <array>

#include "base/utf8.hpp"
#include "text/unicode.hpp"
#include "tokenizer/subword_model.hpp"

namespace godwit {
namespace {

class Bpe final : public SubwordModel {
public:
    Bpe(const TokenTable& table, MergeTable merges, BpeOptions options)
        : table_(table), merges_(std::move(merges)), options_(std::move(options)), fallback_(table, options_.fallback) {
        for (char32_t c = 0; c < kCommon; ++c) {
            std::string text;
            append_utf8(text, c);
            common_[c] = find(text).value_or(kNoToken);
        }
    }

    void encode(const Pieces& pieces, std::vector<TokenId>& out, EncodeWork& work) const override {
        Merger merger;
        pieces.for_each([&](std::string_view piece) {
            ++work.pieces;
            encode_piece(piece, merger, out);
        });
        work.queue_pushes += merger.pushes();
    }

private:
    static constexpr char32_t kCommon = 0x180;  // holds the letters of all bytes

    void encode_piece(std::string_view piece, Merger& merger, std::vector<TokenId>& out) const {
        if (options_.ignore_merges && piece.size() <= table_.longest_text()) {
            if (const auto whole = table_.find_plain(piece)) return out.push_back(*whole);
        }
        merger.clear();
        if (options_.continuing_prefix.empty() && options_.end_of_word_suffix.empty()) add_characters(piece, merger);
        else add_marked_characters(piece, merger);
        merger.run([&](const Merger::Symbol& a, const Merger::Symbol& b) { return merges_.find(a.id, b.id); });
        fallback_.append(merger, piece, out);
    }

    /// A user-defined token `ÿ` is that character, not the letter of the byte FF.
    std::optional<TokenId> find(std::string_view character) const {
        const auto id = table_.find_plain(character);
        if (id && options_.byte_letters && character.size() > 1 && table_.type(*id) == TokenType::UserDefined)
            return std::nullopt;
        return id;
    }

    /// A character that becomes nothing is gone before merging.
    void add(uint32_t begin, uint32_t size, TokenId id, Merger& merger) const {
        if (id != kNoToken || fallback_.makes_tokens()) merger.add(begin, size, id);
    }

    void add_characters(std::string_view piece, Merger& merger) const {
        for (uint32_t i = 0; i < piece.size();) {
            const Utf8Unit unit = next_utf8(piece.substr(i));
            const bool common = unit.code_point < kCommon;
            add(i, unit.size, common ? common_[unit.code_point] : find(piece.substr(i, unit.size)).value_or(kNoToken),
                merger);
            i += unit.size;
        }
    }

    void add_marked_characters(std::string_view piece, Merger& merger) const {
        std::string marked;
        for (uint32_t i = 0; i < piece.size();) {
            const uint32_t size = next_utf8(piece.substr(i)).size;
            marked.assign(i > 0 ? options_.continuing_prefix : "").append(piece.substr(i, size));
            if (i + size == piece.size()) marked += options_.end_of_word_suffix;
            add(i, size, find(marked).value_or(kNoToken), merger);
            i += size;
        }
    }

    const TokenTable& table_;
    MergeTable merges_;
    BpeOptions options_;
    Fallback fallback_;
    std::array<TokenId, kCommon> common_;  // by code point
};

}  // namespace

std::unique_ptr<SubwordModel> make_bpe(const TokenTable& table, MergeTable merges, BpeOptions options) {
    return std::make_unique<Bpe>(table, std::move(merges), std::move(options));
}

}  // namespace godwit
