// BPE by ranked merges (Sennrich et al. 2016), on bytes as in GPT-2 or on characters as in Gemma 4.
#include <array>

#include "base/utf8.hpp"
#include "text/byte_alphabet.hpp"
#include "text/merge_table.hpp"
#include "text/subword_model.hpp"

namespace godwit {
namespace {

class Bpe final : public SubwordModel {
public:
    Bpe(const TokenTable& table, MergeTable merges, const PretokenizerSpec& spec, std::optional<TokenId> unknown)
        : table_(table),
          merges_(std::move(merges)),
          pretokenizer_(spec),
          ignore_merges_(spec.ignore_merges),
          spelling_(spec.spelling),
          fallback_(table, unknown) {
        for (int byte = 0; byte < 256; ++byte) {
            const auto letter = table.find_plain(byte_letter(static_cast<uint8_t>(byte)));
            const std::string meaning(1, static_cast<char>(byte));
            // A user-defined token `ÿ` is that character, not the byte FF.
            if (letter && table.bytes(*letter) == meaning) letters_[byte] = letter;
        }
    }

    void encode(std::string_view text, std::vector<TokenId>& out, EncodeWork& work) const override {
        Merger merger;
        std::string escaped;
        if (spelling_ == Spelling::EscapedSpace) text = escaped = escape_spaces(text);
        pretokenizer_.split(text, [&](std::string_view piece) {
            ++work.pieces;
            encode_piece(piece, merger, out);
        });
        work.queue_pushes += merger.pushes();
    }

private:
    void encode_piece(std::string_view piece, Merger& merger, std::vector<TokenId>& out) const {
        if (ignore_merges_ && piece.size() <= table_.longest_text()) {
            if (const auto whole = find_whole(piece)) return out.push_back(*whole);
        }
        merger.clear();
        if (spelling_ == Spelling::ByteLetters)
            add_bytes(piece, merger);
        else
            add_characters(piece, merger);
        merger.run([&](const Merger::Symbol& a, const Merger::Symbol& b) { return merges_.find(a.id, b.id); });
        fallback_.append(merger, piece, out);
    }

    std::optional<TokenId> find_whole(std::string_view piece) const {
        if (spelling_ != Spelling::ByteLetters) return table_.find_plain(piece);
        std::string letters;
        for (char byte : piece) letters += byte_letter(static_cast<uint8_t>(byte));
        return table_.find_plain(letters);
    }

    /// Bytes without a letter in the vocabulary are dropped, as Hugging Face does; most cannot occur in UTF-8.
    void add_bytes(std::string_view piece, Merger& merger) const {
        for (uint32_t i = 0; i < piece.size(); ++i) {
            if (const auto letter = letters_[static_cast<uint8_t>(piece[i])]) merger.add(i, 1, *letter);
        }
    }

    void add_characters(std::string_view piece, Merger& merger) const {
        for (uint32_t i = 0; i < piece.size();) {
            const uint32_t size = next_utf8(piece.substr(i)).size;
            merger.add(i, size, table_.find_plain(piece.substr(i, size)).value_or(kNoToken));
            i += size;
        }
    }

    const TokenTable& table_;
    MergeTable merges_;
    Pretokenizer pretokenizer_;
    bool ignore_merges_;
    Spelling spelling_;
    Fallback fallback_;
    std::array<std::optional<TokenId>, 256> letters_;
};

}  // namespace

Result<std::unique_ptr<SubwordModel>> make_bpe(const TokenTable& table, const std::vector<std::string_view>& merges,
                                               const PretokenizerSpec& spec, std::optional<TokenId> unknown) {
    return std::unique_ptr<SubwordModel>(
        std::make_unique<Bpe>(table, TRY(MergeTable::build(table, merges)), spec, unknown));
}

}  // namespace godwit
