// From the raw vocabulary to a Tokenizer: every check, and the facts about special tokens that GGUF does not carry.
#include <algorithm>
#include <cmath>

#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "tokenizer/charsmap.hpp"
#include "tokenizer/tokenizer.hpp"

namespace godwit {
namespace {

constexpr std::string_view kNotYet[] = {"rwkv", "plamo2", "none", "no_vocab", "hybriddna", "whitespace"};
constexpr std::string_view kTokens = "key tokenizer.ggml.tokens";

std::string lower_ascii(std::string text) {
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
}

enum class Kind { ByteBpe, CharacterBpe, SentencePiece, WordPiece, Unigram };

class TokenizerBuilder {
public:
    explicit TokenizerBuilder(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}

    Result<std::unique_ptr<Tokenizer>> build() {
        TRY(choose_kind());
        make_decoder();
        const auto decode = [&](TokenId, std::string_view text, TokenType type) {
            return parts_.decoder.decode(text, {.type = type});
        };
        parts_.table = std::make_unique<TokenTable>(
            TRY(TokenTable::build(vocabulary_.tokens, std::move(vocabulary_.types), decode, kTokens)));
        size_lists(parts_);
        TRY(check_scores());
        TRY(check_ids());
        TRY(find_specials(parts_, vocabulary_.chat_templates, kTokens));
        TRY(make_stages());
        TRY(choose_bos_and_eos());
        find_ends(parts_, {to_id(vocabulary_.eos), to_id(vocabulary_.eot), to_id(vocabulary_.eom)});
        find_strips();
        return std::make_unique<Tokenizer>(std::move(parts_));
    }

private:
    const TokenTable& table() const { return *parts_.table; }

    static std::optional<TokenId> to_id(std::optional<uint32_t> id) {
        return id ? std::optional(static_cast<TokenId>(*id)) : std::nullopt;
    }

    Result<void> choose_kind() {
        const std::string& model = vocabulary_.model;
        if (model.empty()) return error("key tokenizer.ggml.model: missing (the file carries no tokenizer)");
        if (std::find(std::begin(kNotYet), std::end(kNotYet), model) != std::end(kNotYet))
            return error(
                "key tokenizer.ggml.model: '{}' tokenizers are not supported yet (gpt2, llama, gemma4, bert, t5 are)",
                model);
        if (model == "llama") kind_ = Kind::SentencePiece;
        else if (model == "bert") kind_ = Kind::WordPiece;
        else if (model == "t5") kind_ = Kind::Unigram;
        else if (model == "gpt2" || model == "gemma4") return choose_bpe();
        else
            return error(
                "key tokenizer.ggml.model: unknown tokenizer '{}' (gpt2, llama, gemma4, bert, t5 are supported)",
                printable(model));
        return done();
    }

    Result<void> choose_bpe() {
        const bool gemma4 = vocabulary_.model == "gemma4";
        const std::string name = gemma4 ? "gemma4" : vocabulary_.pre.empty() ? "default" : vocabulary_.pre;
        spec_ = find_pretokenizer(name);
        if (!spec_) return error("key tokenizer.ggml.pre: unknown pre-tokenizer '{}'", printable(name));
        kind_ = spec_->spelling == Spelling::ByteLetters ? Kind::ByteBpe : Kind::CharacterBpe;
        return done();
    }

    /// Text gets a space in front, which decoding drops again.
    bool prefix_space() const {
        if (kind_ == Kind::SentencePiece || kind_ == Kind::Unigram) return vocabulary_.add_space_prefix.value_or(true);
        return kind_ == Kind::WordPiece;
    }

    void make_decoder() {
        parts_.decoder.plain_specials = true;
        auto& steps = parts_.decoder.steps;
        steps.push_back(make_byte_fallback_decoder(true));
        if (kind_ == Kind::ByteBpe) steps.push_back(make_byte_letters_decoder());
        else if (!spec_ || spec_->spelling == Spelling::EscapedSpace)
            steps.push_back(make_escaped_space_decoder(prefix_space()));
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
            {"bos", v.bos},         {"eos", v.eos}, {"eot", v.eot},      {"eom", v.eom},
            {"unknown", v.unknown}, {"cls", v.cls}, {"seperator", v.sep}};
        for (const auto& [name, id] : ids) {
            if (id && *id >= static_cast<uint32_t>(table().size()))
                return error("key tokenizer.ggml.{}_token_id: {} is out of range (the vocabulary has {} tokens)", name,
                             *id, table().size());
        }
        return done();
    }

    Result<void> make_stages() {
        switch (kind_) {
            case Kind::ByteBpe:
            case Kind::CharacterBpe:
                return make_bpe_stages();
            case Kind::SentencePiece:
                return make_sentencepiece_stages();
            case Kind::WordPiece:
                return make_wordpiece_stages();
            case Kind::Unigram:
                return make_unigram_stages();
        }
        return done();
    }

    Result<void> make_bpe_stages() {
        constexpr std::string_view kMerges = "key tokenizer.ggml.merges";
        if (spec_->spelling == Spelling::EscapedSpace)
            parts_.normalizers.push_back(make_replace(" ", std::string(kEscapedSpace)));
        parts_.splitters.push_back(make_spec_splitter(*spec_));
        BpeOptions options{.byte_letters = kind_ == Kind::ByteBpe, .ignore_merges = spec_->ignore_merges};
        // Bytes without a letter in the vocabulary are dropped, as Hugging Face does; most cannot occur in UTF-8.
        if (kind_ == Kind::ByteBpe) parts_.splitters.push_back(make_byte_letters());
        else options.fallback = {.unknown = to_id(vocabulary_.unknown), .byte_tokens = table().has_all_bytes()};
        const auto pairs = TRY(MergeTable::split(vocabulary_.merges, kMerges));
        parts_.model = make_bpe(table(), TRY(MergeTable::build(table(), pairs, 0, kMerges)), std::move(options));
        return done();
    }

    Result<void> make_sentencepiece_stages() {
        if (prefix_space()) parts_.normalizers.push_back(make_prepend(" "));
        parts_.normalizers.push_back(make_replace(" ", std::string(kEscapedSpace)));
        parts_.model = TRY(make_sentencepiece_bpe(table(), vocabulary_.scores, to_id(vocabulary_.unknown)));
        return done();
    }

    Result<TokenId> unknown_token(std::string_view usual_text) const {
        if (vocabulary_.unknown) return static_cast<TokenId>(*vocabulary_.unknown);
        if (const auto id = table().find(usual_text)) return *id;
        return error("key tokenizer.ggml.unknown_token_id: missing, and there is no token {}", usual_text);
    }

    Result<void> make_wordpiece_stages() {
        BertNormalization bert{.lowercase = vocabulary_.lowercase.value_or(true)};
        bert.strip_accents = vocabulary_.strip_accents.value_or(bert.lowercase);
        add_bert_normalizer(parts_.normalizers, bert);
        add_bert(parts_.splitters);
        parts_.model = make_wordpiece(
            table(), {.word_prefix = std::string(kEscapedSpace), .unknown = TRY(unknown_token("[UNK]"))});
        return done();
    }

    Result<void> make_unigram_stages() {
        if (!vocabulary_.charsmap.empty()) {
            Result<Charsmap> map = Charsmap::parse(vocabulary_.charsmap);
            if (!map.ok()) return error("key tokenizer.ggml.precompiled_charsmap: {}", map.error().message);
            parts_.normalizers.push_back(make_precompiled(std::move(map).take()));
        }
        if (vocabulary_.scores.empty()) return error("key tokenizer.ggml.scores: missing (a t5 tokenizer needs them)");
        if (vocabulary_.remove_extra_whitespaces.value_or(false))
            parts_.splitters.push_back(make_character_splitter(is_white_space, SplitBehavior::Removed));
        add_metaspace(parts_.splitters, std::string(kEscapedSpace),
                      prefix_space() ? PrependScheme::Always : PrependScheme::Never, true);
        parts_.model = make_unigram(table(), {vocabulary_.scores.begin(), vocabulary_.scores.end()},
                                    {.unknown = TRY(unknown_token("<unk>")), .byte_fallback = table().has_all_bytes()});
        return done();
    }

    /// An id of SentencePiece's usual order, for old files that do not name it.
    std::optional<uint32_t> usual_id(uint32_t id) const {
        if (kind_ != Kind::SentencePiece || id >= static_cast<uint32_t>(table().size())) return std::nullopt;
        if (table().type(static_cast<TokenId>(id)) != TokenType::Control) return std::nullopt;
        return id;
    }

    Result<void> choose_bos_and_eos() {
        const Vocabulary& v = vocabulary_;
        const bool bert = kind_ == Kind::WordPiece, sentencepiece = kind_ == Kind::SentencePiece;
        if (bert) {
            parts_.bos = v.cls ? to_id(v.cls) : v.bos ? to_id(v.bos) : table().find("[CLS]");
            parts_.eos = v.sep ? to_id(v.sep) : v.eos ? to_id(v.eos) : table().find("[SEP]");
        } else {
            parts_.bos = to_id(v.bos ? v.bos : usual_id(1));
            parts_.eos = to_id(v.eos ? v.eos : usual_id(2));
        }
        const bool usual_bos = parts_.bos && (bert || sentencepiece || (spec_ && spec_->add_bos));
        const bool usual_eos = parts_.eos && (bert ? v.add_sep.value_or(true) : kind_ == Kind::Unigram);
        const bool add_bos = v.model == "gemma4" || v.add_bos.value_or(usual_bos);
        const bool add_eos = v.add_eos.value_or(usual_eos);
        if (add_bos && !parts_.bos)
            return error("key tokenizer.ggml.bos_token_id: missing, but a BOS token is to be added");
        if (add_eos && !parts_.eos)
            return error("key tokenizer.ggml.eos_token_id: missing, but an EOS token is to be added");
        if (add_bos) parts_.prefix = {*parts_.bos};
        if (add_eos) parts_.suffix = {*parts_.eos};
        return done();
    }

    /// GGUF does not say which added tokens take white space with them; these models are known to have some.
    void find_strips() {
        auto& left = parts_.strip_left;
        auto& right = parts_.strip_right;
        const std::string name = lower_ascii(vocabulary_.general_name);
        const auto named = [&](std::string_view part) { return name.find(part) != std::string::npos; };
        const auto pre = [&](std::string_view part) { return vocabulary_.pre == part; };
        if (pre("jina-v2-de") || pre("jina-v2-es") || pre("jina-v2-code") || named("nomic-bert-moe") ||
            named("jina-bert-v3")) {
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
    Kind kind_ = Kind::ByteBpe;
    const PretokenizerSpec* spec_ = nullptr;  // of BPE
    TokenizerParts parts_;
};

}  // namespace

Result<std::unique_ptr<Tokenizer>> make_tokenizer(Vocabulary vocabulary) {
    return TokenizerBuilder(std::move(vocabulary)).build();
}

}  // namespace godwit
