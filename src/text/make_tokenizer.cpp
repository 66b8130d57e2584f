// From the raw vocabulary to a Tokenizer: every check, and the facts about special tokens that GGUF does not carry.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "text/stop_automaton.hpp"
#include "text/tokenizer.hpp"

namespace godwit {
namespace {

constexpr std::array<std::string_view, 8> kNotYet = {"bert", "t5",       "rwkv",      "plamo2",
                                                     "none", "no_vocab", "hybriddna", "whitespace"};

/// Tokens that end an answer in the families that have them, whether or not a key says so.
constexpr std::array<std::string_view, 19> kEndTexts = {
    "<|eot_id|>", "<|im_end|>", "<|end|>",   "<end_of_turn>", "<turn|>", "<|endoftext|>",         "<|end_of_text|>",
    "<|eom_id|>", "<EOT>",      "_<EOT>",    "[EOT]",         "[EOS]",   "<｜end▁of▁sentence｜>", "<end_of_utterance>",
    "<|return|>", "<|call|>",   "<|flush|>", "<|calls|>",     "[e~["};

bool is_blank(std::string_view text) {
    while (!text.empty()) {
        const Utf8Unit unit = next_utf8(text);
        if (!is_white_space(unit.code_point)) return false;
        text.remove_prefix(unit.size);
    }
    return true;
}

std::string lower_ascii(std::string text) {
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
}

}  // namespace

class TokenizerBuilder {
public:
    explicit TokenizerBuilder(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}

    Result<std::unique_ptr<Tokenizer>> build() {
        TRY(choose_model());
        tokenizer_->table_ = std::make_unique<TokenTable>(
            TRY(TokenTable::build(vocabulary_.tokens, std::move(vocabulary_.types), spelling_)));
        TRY(check_scores());
        TRY(check_ids());
        TRY(find_specials());
        TRY(make_model());
        TRY(choose_bos_and_eos());
        find_ends();
        find_strips();
        return std::move(tokenizer_);
    }

private:
    bool sentencepiece() const { return vocabulary_.model == "llama"; }
    bool gemma4() const { return vocabulary_.model == "gemma4"; }
    const TokenTable& table() const { return *tokenizer_->table_; }

    Result<void> choose_model() {
        const std::string& model = vocabulary_.model;
        if (model.empty()) return error("key tokenizer.ggml.model: missing (the file carries no tokenizer)");
        if (std::find(kNotYet.begin(), kNotYet.end(), model) != kNotYet.end())
            return error("key tokenizer.ggml.model: '{}' tokenizers are not supported yet (gpt2, llama, gemma4 are)",
                         model);
        spelling_ = Spelling::EscapedSpace;
        if (sentencepiece()) return done();
        if (!gemma4() && model != "gpt2")
            return error("key tokenizer.ggml.model: unknown tokenizer '{}' (gpt2, llama, gemma4 are supported)",
                         printable(model));
        const std::string name = gemma4() ? "gemma4" : vocabulary_.pre.empty() ? "default" : vocabulary_.pre;
        spec_ = find_pretokenizer(name);
        if (!spec_) return error("key tokenizer.ggml.pre: unknown pre-tokenizer '{}'", printable(name));
        spelling_ = spec_->spelling;
        return done();
    }

    Result<void> check_scores() const {
        const std::vector<float>& scores = vocabulary_.scores;
        if (scores.empty()) return done();
        if (std::ssize(scores) != table().size())
            return error("key tokenizer.ggml.scores: length {} is not the count of tokens, {}", scores.size(),
                         table().size());
        for (size_t id = 0; id < scores.size(); ++id) {
            if (!std::isfinite(scores[id]))
                return error("key tokenizer.ggml.scores: the score of token {} is not finite", id);
        }
        return done();
    }

    Result<void> check_ids() const {
        const Vocabulary& v = vocabulary_;
        const std::pair<std::string_view, std::optional<uint32_t>> ids[] = {
            {"bos", v.bos}, {"eos", v.eos}, {"eot", v.eot}, {"eom", v.eom}, {"unknown", v.unknown}};
        for (const auto& [name, id] : ids) {
            if (id && *id >= static_cast<uint32_t>(table().size()))
                return error("key tokenizer.ggml.{}_token_id: {} is out of range (the vocabulary has {} tokens)", name,
                             *id, table().size());
        }
        return done();
    }

    /// Sorts the special tokens into those of templates and those of values. A user-defined token whose text occurs in
    /// a template is a marker there, and must not be forged by a value; white space alone marks nothing.
    Result<void> find_specials() {
        std::vector<TokenId> all, user_defined;
        std::vector<std::string> texts;  // of user_defined
        for (TokenId id = 0; id < table().size(); ++id) {
            const TokenType type = table().type(id);
            if (type != TokenType::UserDefined && type != TokenType::Control && type != TokenType::Unknown) continue;
            if (table().text(id).size() > kSpecialBytesMax)
                return error("key tokenizer.ggml.tokens: token {} is special and has {} bytes (at most {})", id,
                             table().text(id).size(), kSpecialBytesMax);
            all.push_back(id);
            if (type != TokenType::UserDefined) continue;
            user_defined.push_back(id);
            texts.emplace_back(table().text(id));
        }
        const std::vector<bool> in_template = StopAutomaton(texts).occurring(vocabulary_.chat_templates);
        for (size_t i = 0; i < user_defined.size(); ++i)
            if (in_template[i] && !is_blank(texts[i])) tokenizer_->table_->make_marker(user_defined[i]);
        std::erase_if(user_defined, [&](TokenId id) { return !table().is_plain(id); });
        tokenizer_->in_values_.emplace(table(), user_defined);
        tokenizer_->in_templates_.emplace(table(), all);
        return done();
    }

    Result<void> make_model() {
        std::optional<TokenId> unknown;
        if (vocabulary_.unknown) unknown = static_cast<TokenId>(*vocabulary_.unknown);
        if (!sentencepiece()) {
            tokenizer_->model_ = TRY(make_bpe(table(), vocabulary_.merges, *spec_, unknown));
            return done();
        }
        tokenizer_->prefix_space_ = vocabulary_.add_space_prefix.value_or(true);
        tokenizer_->model_ =
            TRY(make_sentencepiece_bpe(table(), vocabulary_.scores, tokenizer_->prefix_space_, unknown));
        return done();
    }

    /// An id of SentencePiece's usual order, for old files that do not name it.
    std::optional<uint32_t> usual_id(uint32_t id) const {
        if (!sentencepiece() || id >= static_cast<uint32_t>(table().size())) return std::nullopt;
        if (table().type(static_cast<TokenId>(id)) != TokenType::Control) return std::nullopt;
        return id;
    }

    Result<void> choose_bos_and_eos() {
        const std::optional<uint32_t> bos = vocabulary_.bos ? vocabulary_.bos : usual_id(1);
        const std::optional<uint32_t> eos = vocabulary_.eos ? vocabulary_.eos : usual_id(2);
        if (bos) tokenizer_->bos_ = static_cast<TokenId>(*bos);
        if (eos) tokenizer_->eos_ = static_cast<TokenId>(*eos);

        const bool usual = sentencepiece() || (spec_ && spec_->add_bos);
        tokenizer_->add_bos_ = gemma4() || vocabulary_.add_bos.value_or(usual && bos);
        tokenizer_->add_eos_ = vocabulary_.add_eos.value_or(false);
        if (tokenizer_->add_bos_ && !bos)
            return error("key tokenizer.ggml.bos_token_id: missing, but a BOS token is to be added");
        if (tokenizer_->add_eos_ && !eos)
            return error("key tokenizer.ggml.eos_token_id: missing, but an EOS token is to be added");
        return done();
    }

    void find_ends() {
        auto& ends = tokenizer_->ends_generation_;
        ends.resize(table().size());
        for (std::string_view text : kEndTexts) {
            if (const auto id = table().find(text)) ends[*id] = true;
        }
        // Where messages end in <|return|> or <|call|> (gpt-oss), or in <|flush|> or <|calls|>, <|end|> ends one
        // channel.
        const auto both = [&](std::string_view a, std::string_view b) { return table().find(a) && table().find(b); };
        const auto end = table().find("<|end|>");
        if (end && (both("<|return|>", "<|call|>") || both("<|flush|>", "<|calls|>"))) ends[*end] = false;
        for (const auto& id : {vocabulary_.eos, vocabulary_.eot, vocabulary_.eom}) {
            if (id) ends[*id] = true;
        }
        if (tokenizer_->eos_) ends[*tokenizer_->eos_] = true;
    }

    /// GGUF does not say which added tokens take white space with them; these models are known to have some.
    void find_strips() {
        auto& left = tokenizer_->strip_left_;
        auto& right = tokenizer_->strip_right_;
        left.resize(table().size());
        right.resize(table().size());
        const std::string name = lower_ascii(vocabulary_.general_name);
        const auto named = [&](std::string_view part) { return name.find(part) != std::string::npos; };
        const auto pre = [&](std::string_view part) { return vocabulary_.pre == part; };
        if (pre("jina-v2-de") || pre("jina-v2-es") || pre("jina-v2-code")) {
            if (const auto mask = table().find("<mask>")) left[*mask] = true;
        } else if (pre("modern-bert") || named("modern-bert")) {
            if (const auto mask = table().find("[MASK]")) left[*mask] = true;
        } else if (named("phi-3") || named("phi3")) {
            for (TokenId id = 0; id < table().size(); ++id) {
                const TokenType type = table().type(id);
                right[id] = type == TokenType::Control || type == TokenType::Unknown || type == TokenType::UserDefined;
            }
            for (std::string_view text : {"<unk>", "<s>", "<|endoftext|>"}) {
                if (const auto id = table().find(text)) right[*id] = false;
            }
        }
    }

    Vocabulary vocabulary_;
    Spelling spelling_ = Spelling::EscapedSpace;
    const PretokenizerSpec* spec_ = nullptr;  // null: SentencePiece
    std::unique_ptr<Tokenizer> tokenizer_{new Tokenizer};
};

Result<std::unique_ptr<Tokenizer>> make_tokenizer(Vocabulary vocabulary) {
    return TokenizerBuilder(std::move(vocabulary)).build();
}

}  // namespace godwit
