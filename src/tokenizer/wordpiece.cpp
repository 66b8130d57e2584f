// WordPiece as in BERT (Devlin et al. 2018): the longest token first.
#include "base/utf8.hpp"
#include "tokenizer/subword_model.hpp"
#include "tokenizer/text_trie.hpp"

namespace godwit {
namespace {

/// The plain tokens that begin with `prefix`, without it; those that begin with `other`, if that is more than `prefix`,
/// are left out.
TextTrie tokens_with(const TokenTable& table, std::string_view prefix, std::string_view other) {
    std::vector<TextTrie::Entry> entries;
    for (TokenId id = 0; id < table.size(); ++id) {
        const std::string_view text = table.text(id);
        if (!table.is_plain(id) || text.size() <= prefix.size() || !text.starts_with(prefix)) continue;
        if (other.size() > prefix.size() && text.starts_with(other)) continue;
        entries.push_back({text.substr(prefix.size()), id});
    }
    return TextTrie(std::move(entries));
}

class WordPiece final : public SubwordModel {
public:
    WordPiece(const TokenTable& table, const WordPieceOptions& options)
        : begins_(tokens_with(table, options.word_prefix, "")),
          continues_(tokens_with(table, options.continuing_prefix, options.word_prefix)),
          most_characters_(options.most_characters),
          unknown_(options.unknown) {}

    void encode(const Pieces& pieces, std::vector<TokenId>& out, EncodeWork& work) const override {
        pieces.for_each([&](std::string_view word) {
            ++work.pieces;
            const size_t before = out.size();
            if (!too_long(word) && encode_word(word, out, work)) return;
            out.resize(before);
            out.push_back(unknown_);
        });
    }

private:
    bool too_long(std::string_view word) const { return utf8_length(word) > most_characters_; }

    bool encode_word(std::string_view word, std::vector<TokenId>& out, EncodeWork& work) const {
        const TextTrie* tokens = &begins_;
        while (!word.empty()) {
            size_t longest = 0;
            tokens->visit_beginnings(word, [&](size_t size, TokenId id) {
                ++work.queue_pushes;
                if (longest == 0) out.push_back(id);
                else out.back() = id;
                longest = size;
            });
            if (longest == 0) return false;
            word.remove_prefix(longest);
            tokens = &continues_;
        }
        return true;
    }

    TextTrie begins_, continues_;  // views of the table's texts
    size_t most_characters_;
    TokenId unknown_;
};

class WordLevel final : public SubwordModel {
public:
    WordLevel(const TokenTable& table, TokenId unknown) : table_(table), unknown_(unknown) {}
    void encode(const Pieces& pieces, std::vector<TokenId>& out, EncodeWork& work) const override {
        pieces.for_each([&](std::string_view piece) {
            ++work.pieces;
            out.push_back(table_.find_plain(piece).value_or(unknown_));
        });
    }

private:
    const TokenTable& table_;
    TokenId unknown_;
};

}  // namespace

std::unique_ptr<SubwordModel> make_wordpiece(const TokenTable& table, const WordPieceOptions& options) {
    return std::make_unique<WordPiece>(table, options);
}

std::unique_ptr<SubwordModel> make_word_level(const TokenTable& table, TokenId unknown) {
    return std::make_unique<WordLevel>(table, unknown);
}

}  // namespace godwit
