// Unigram as in SentencePiece (Kudo 2018): of all ways to cut a piece into tokens the one with the highest sum of
// scores (Viterbi). Sums are f64 and ties go to the token found first, as in Hugging Face's tokenizers.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/utf8.hpp"
#include "tokenizer/subword_model.hpp"
#include "tokenizer/text_trie.hpp"

namespace godwit {
namespace {

TextTrie plain_tokens(const TokenTable& table) {
    std::vector<TextTrie::Entry> entries;
    for (TokenId id = 0; id < table.size(); ++id)
        if (table.is_plain(id) && !table.text(id).empty()) entries.push_back({table.text(id), id});
    return TextTrie(std::move(entries));
}

/// The score as Hugging Face's reader of JSON (serde_json) gets it from its shortest spelling: the digits as an
/// integer, rounded, times or divided by a power of ten, rounded again. Of sums that are equal in truth (the same
/// tokens in another order) that decides which wins.
double as_read_from_json(double score) {
    std::array<char, 32> text;
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), std::abs(score), std::chars_format::scientific).ptr;
    uint64_t digits = 0;
    int exponent = 0;
    const char* at = text.data();
    for (bool fraction = false; at < end && *at != 'e'; ++at) {
        if (*at == '.') {
            fraction = true;
            continue;
        }
        digits = 10 * digits + static_cast<uint64_t>(*at - '0');
        exponent -= fraction;
    }
    int written = 0;
    const bool negative = end - at > 1 && at[1] == '-';
    std::from_chars(at + 2, end, written);  // behind "e+" or "e-"
    exponent += negative ? -written : written;
    constexpr int kMost = 300;  // beyond it is no logarithm of a probability
    if (std::abs(exponent) > kMost) return score;
    std::array<char, 8> spelled = {'1', 'e'};
    const auto power_end = std::to_chars(spelled.data() + 2, spelled.data() + spelled.size(), std::abs(exponent)).ptr;
    double power = 1;
    std::from_chars(spelled.data(), power_end, power);
    const double magnitude = exponent < 0 ? static_cast<double>(digits) / power : static_cast<double>(digits) * power;
    return std::copysign(magnitude, score);
}

class Unigram final : public SubwordModel {
public:
    Unigram(const TokenTable& table, std::vector<double> scores, const UnigramOptions& options)
        : trie_(plain_tokens(table)),
          scores_(read_all(std::move(scores))),
          unknown_score_(*std::min_element(scores_.begin(), scores_.end()) - 10),
          fallback_(table, {.unknown = options.unknown, .byte_tokens = options.byte_fallback}) {}

    void encode(const Pieces& pieces, std::vector<TokenId>& out, EncodeWork& work) const override {
        std::vector<Node> best;
        std::vector<Node> path;
        pieces.for_each([&](std::string_view piece) {
            ++work.pieces;
            find_best(piece, best, work);
            path.clear();
            for (uint32_t end = static_cast<uint32_t>(piece.size()); end > 0; end = best[end].begin) {
                path.push_back(best[end]);
                path.back().end = end;
            }
            append(piece, path, out);
        });
    }

private:
    /// The best way to a place in the piece: its score, and the last token on it.
    struct Node {
        double score = 0;
        uint32_t begin = kNowhere, end = 0;
        TokenId id = kNoToken;
    };
    static constexpr uint32_t kNowhere = UINT32_MAX;

    static std::vector<double> read_all(std::vector<double> scores) {
        std::transform(scores.begin(), scores.end(), scores.begin(), as_read_from_json);
        return scores;
    }

    static void offer(Node& node, double score, size_t begin, TokenId id) {
        if (node.begin == kNowhere || score > node.score) node = {score, static_cast<uint32_t>(begin), 0, id};
    }

    void find_best(std::string_view piece, std::vector<Node>& best, EncodeWork& work) const {
        best.assign(piece.size() + 1, Node());
        for (size_t begin = 0; begin < piece.size();) {
            const std::string_view rest = piece.substr(begin);
            const size_t character = next_utf8(rest).size;
            const double score = best[begin].score;
            bool has_character = false;
            trie_.visit_beginnings(rest, [&](size_t size, TokenId id) {
                ++work.queue_pushes;
                offer(best[begin + size], scores_[id] + score, begin, id);
                has_character |= size == character;
            });
            if (!has_character) offer(best[begin + character], unknown_score_ + score, begin, kNoToken);
            begin += character;
        }
    }

    /// `path`: from the last token to the first. Neighbours that are unknown count as one text.
    void append(std::string_view piece, const std::vector<Node>& path, std::vector<TokenId>& out) const {
        for (size_t i = path.size(); i-- > 0;) {
            if (path[i].id != kNoToken) {
                out.push_back(path[i].id);
                continue;
            }
            const uint32_t begin = path[i].begin;
            while (i > 0 && path[i - 1].id == kNoToken) --i;
            fallback_.append_unknown(piece.substr(begin, path[i].end - begin), false, out);
        }
    }

    TextTrie trie_;  // views of the table's texts
    std::vector<double> scores_;
    double unknown_score_;
    Fallback fallback_;
};

}  // namespace

std::unique_ptr<SubwordModel> make_unigram(const TokenTable& table, std::vector<double> scores,
                                           const UnigramOptions& options) {
    return std::make_unique<Unigram>(table, std::move(scores), options);
}

}  // namespace godwit
