#include "tokenizer/tokenizer_json.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tokenizer/tokenizer_json_stages.hpp"

namespace godwit {
namespace {

constexpr std::string_view kVocab = "model.vocab";
constexpr size_t kMaxTokens = size_t{1} << 24;
/// Tokens without a text that the highest id may leave open.
constexpr size_t kMaxGaps = 1 << 20;
/// Special tokens that one post-processor puts around a text.
constexpr size_t kMaxAround = 64;

/// An element of added_tokens.
struct AddedToken {
    TokenId id;
    std::string text;
    bool special, normalized, strip_left, strip_right, single_word;
};

Result<AddedToken> read_added_token(const JsonNode& node) {
    AddedToken token;
    token.id = static_cast<TokenId>(TRY(node.get_count("id", kMaxTokens - 1)));
    token.text = TRY(node.get_text("content"));
    token.special = TRY(node.flag_or("special", false));
    token.normalized = TRY(node.flag_or("normalized", !token.special));
    token.strip_left = TRY(node.flag_or("lstrip", false));
    token.strip_right = TRY(node.flag_or("rstrip", false));
    token.single_word = TRY(node.flag_or("single_word", false));
    return token;
}

/// A text, or an array of {"name", "template"}.
Result<std::string> chat_templates(const JsonNode& config) {
    const auto node = config.find("chat_template");
    if (!node) return std::string();
    if (node->json().is_string()) return node->text();
    std::string all;
    const std::vector<JsonNode> entries = TRY(node->elements());
    for (const JsonNode& entry : entries) all += TRY(entry.get_text("template"));
    return all;
}

enum class ModelKind { Bpe, WordPiece, Unigram, WordLevel };

/// The name of the model, or, in old files that have none, what its members tell.
Result<ModelKind> model_kind(const JsonNode& model) {
    const std::string type = TRY(model.text_or("type", ""));
    if (type == "BPE" || (type.empty() && model.find("merges"))) return ModelKind::Bpe;
    if (type == "WordPiece" || (type.empty() && model.find("max_input_chars_per_word"))) return ModelKind::WordPiece;
    if (type == "Unigram" || (type.empty() && model.find("vocab") && model.find("vocab")->json().is_array()))
        return ModelKind::Unigram;
    if (type == "WordLevel") return ModelKind::WordLevel;
    return model.fault("the model '{}' is not supported", printable(type));
}

class JsonTokenizerBuilder {
public:
    JsonTokenizerBuilder(const JsonNode& root, const JsonNode& config) : root_(root), config_(config) {}

    Result<std::unique_ptr<Tokenizer>> build() {
        model_ = TRY(root_.get("model"));
        kind_ = TRY(model_kind(*model_));
        parts_.normalizers = TRY(read_normalizers(root_));
        parts_.splitters = TRY(read_splitters(root_));
        parts_.decoder = TRY(read_decoder(root_));
        TRY(read_vocabulary());
        TRY(read_added_tokens());
        TRY(build_table());
        const std::string templates = TRY(chat_templates(config_));
        TRY(find_specials(parts_, templates, "added_tokens"));
        TRY(make_model());
        TRY(read_post_processor());
        TRY(read_config());
        find_ends(parts_, {});
        return std::make_unique<Tokenizer>(std::move(parts_));
    }

private:
    const TokenTable& table() const { return *parts_.table; }

    // --- The vocabulary ---

    /// Makes `id` a token with this text.
    Result<void> place(const JsonNode& where, size_t id, std::string_view text) {
        if (id >= kMaxTokens) return where.fault("the id {} is too high", id);
        if (id >= texts_.size()) texts_.resize(id + 1);
        if (texts_[id].data() != nullptr)
            return where.fault("'{}' and '{}' have the same id {}", printable(texts_[id]), printable(text), id);
        texts_[id] = text;
        return done();
    }

    Result<void> read_vocabulary() {
        const JsonNode vocab = TRY(model_->get("vocab"));
        if (kind_ == ModelKind::Unigram) return read_scored_vocabulary(vocab);
        if (!vocab.json().is_object()) return vocab.fault("expected an object of texts and ids");
        for (const auto& [text, id] : vocab.json().items()) {
            if (!id.is_number_unsigned()) return vocab.fault("the id of '{}' is no number", printable(text));
            TRY(place(vocab, id.get<uint64_t>(), text));
        }
        return check_gaps(vocab, vocab.json().size());
    }

    Result<void> read_scored_vocabulary(const JsonNode& vocab) {
        if (!vocab.json().is_array()) return vocab.fault("expected an array of texts and scores");
        for (const Json& entry : vocab.json()) {
            const size_t id = texts_.size();
            if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number())
                return vocab.fault("element {} is not a text with a score", id);
            scores_.push_back(entry[1].get<double>());
            if (!std::isfinite(scores_.back())) return vocab.fault("the score of token {} is not finite", id);
            texts_.push_back(entry[0].get_ref<const std::string&>());
        }
        return done();
    }

    Result<void> check_gaps(const JsonNode& where, size_t count) const {
        if (texts_.size() > count + kMaxGaps)
            return where.fault("{} tokens have ids up to {}", count, texts_.size() - 1);
        return done();
    }

    /// An added token that the model has gets the model's id, others the ids that follow.
    Result<void> read_added_tokens() {
        const auto list = root_.find("added_tokens");
        if (!list) return done();
        const std::vector<JsonNode> nodes = TRY(list->elements());
        for (const JsonNode& node : nodes) {
            AddedToken token = TRY(read_added_token(node));
            if (token.text.empty()) continue;
            added_.push_back(std::move(token));
        }
        std::map<std::string_view, TokenId> known;
        for (const AddedToken& token : added_) known.emplace(token.text, -1);
        for (size_t id = 0; id < texts_.size(); ++id)
            if (const auto found = known.find(texts_[id]); found != known.end())
                found->second = static_cast<TokenId>(id);
        for (AddedToken& token : added_) {
            TokenId& id = known[token.text];
            if (id < 0) {
                TRY(place(*list, static_cast<size_t>(token.id), token.text));
                id = token.id;
            } else if (id != token.id) {
                return list->fault("'{}' has the id {}, but {} in {}", printable(token.text), token.id, id, kVocab);
            }
        }
        return check_gaps(
            *list, texts_.size() - static_cast<size_t>(std::count(texts_.begin(), texts_.end(), std::string_view())));
    }

    Result<void> build_table() {
        std::vector<TokenType> types(texts_.size(), TokenType::Normal);
        if (TRY(model_->flag_or("byte_fallback", false)))
            for (size_t id = 0; id < texts_.size(); ++id)
                if (parse_byte_token(texts_[id])) types[id] = TokenType::Byte;
        for (const AddedToken& token : added_)
            types[token.id] = token.special ? TokenType::Control : TokenType::UserDefined;
        normalize_added_tokens();
        const auto decode = [&](TokenId id, std::string_view text, TokenType type) {
            return parts_.decode(id, text, {.type = type});
        };
        parts_.table = std::make_unique<TokenTable>(TRY(TokenTable::build(texts_, std::move(types), decode, kVocab)));
        size_lists(parts_);
        for (const AddedToken& token : added_) {
            parts_.strip_left[token.id] = token.strip_left;
            parts_.strip_right[token.id] = token.strip_right;
            parts_.single_word[token.id] = token.single_word;
        }
        return done();
    }

    void normalize_added_tokens() {
        if (parts_.normalizers.empty()) return;
        for (const AddedToken& token : added_) {
            if (!token.normalized) continue;
            Stretch stretch{token.text, true};
            for (const auto& normalizer : parts_.normalizers) normalizer->apply(stretch);
            parts_.normalized[token.id] = std::move(stretch.text);
        }
    }

    // --- The model ---

    Result<void> make_model() {
        switch (kind_) {
            case ModelKind::Bpe:
                return make_bpe_model();
            case ModelKind::WordPiece:
                return make_wordpiece_model();
            case ModelKind::Unigram:
                return make_unigram_model();
            case ModelKind::WordLevel:
                parts_.model = make_word_level(table(), TRY(unknown_token()));
                return done();
        }
        return done();
    }

    /// The token that the member unk_token names.
    Result<TokenId> unknown_token() const {
        const JsonNode node = TRY(model_->get("unk_token"));
        const std::string text = TRY(node.text());
        const auto id = table().find(text);
        if (!id) return node.fault("'{}' is no token", printable(text));
        return *id;
    }

    Result<void> make_bpe_model() {
        if (const auto dropout = model_->find("dropout"); dropout && dropout->json() != 0)
            return dropout->fault("dropout makes tokens random: not supported");
        BpeOptions options;
        options.byte_letters = has_byte_level(root_);
        options.ignore_merges = TRY(model_->flag_or("ignore_merges", false));
        options.continuing_prefix = TRY(model_->text_or("continuing_subword_prefix", ""));
        options.end_of_word_suffix = TRY(model_->text_or("end_of_word_suffix", ""));
        options.fallback.byte_tokens = TRY(model_->flag_or("byte_fallback", false));
        options.fallback.fuse_unknown = TRY(model_->flag_or("fuse_unk", false));
        if (model_->find("unk_token")) options.fallback.unknown = TRY(unknown_token());
        const JsonNode merges = TRY(model_->get("merges"));
        const auto pairs = TRY(read_merges(merges));
        MergeTable table =
            TRY(MergeTable::build(*parts_.table, pairs, options.continuing_prefix.size(), merges.path()));
        parts_.model = make_bpe(*parts_.table, std::move(table), std::move(options));
        return done();
    }

    /// As pairs, or, in older files, as "a b".
    static Result<std::vector<MergeTable::Pair>> read_merges(const JsonNode& merges) {
        if (!merges.json().is_array()) return merges.fault("expected an array");
        std::vector<MergeTable::Pair> pairs;
        std::vector<std::string_view> texts;
        for (const Json& merge : merges.json()) {
            if (merge.is_string()) {
                texts.push_back(merge.get_ref<const std::string&>());
                if (texts.back().starts_with("#version")) texts.pop_back();
            } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
                pairs.push_back({merge[0].get_ref<const std::string&>(), merge[1].get_ref<const std::string&>()});
            } else {
                return merges.fault("merge {} is neither two texts nor one", pairs.size() + texts.size());
            }
        }
        if (!pairs.empty() && !texts.empty()) return merges.fault("pairs and texts are mixed");
        return texts.empty() ? Result(std::move(pairs)) : MergeTable::split(texts, merges.path());
    }

    Result<void> make_wordpiece_model() {
        WordPieceOptions options;
        options.continuing_prefix = TRY(model_->text_or("continuing_subword_prefix", "##"));
        if (model_->find("max_input_chars_per_word"))
            options.most_characters = TRY(model_->get_count("max_input_chars_per_word", 1 << 16));
        options.unknown = TRY(unknown_token());
        parts_.model = make_wordpiece(table(), options);
        return done();
    }

    Result<void> make_unigram_model() {
        if (scores_.empty()) return model_->fault("the vocabulary is empty");
        UnigramOptions options;
        options.unknown = static_cast<TokenId>(TRY(model_->get_count("unk_id", scores_.size() - 1)));
        options.byte_fallback = TRY(model_->flag_or("byte_fallback", false));
        const double lowest = *std::min_element(scores_.begin(), scores_.end());
        scores_.resize(static_cast<size_t>(table().size()), lowest);  // added tokens, which are never found here
        parts_.model = make_unigram(table(), std::move(scores_), options);
        return done();
    }

    // --- What goes before and behind a prompt ---

    Result<TokenId> named_token(const JsonNode& node, const std::string& text) const {
        const auto id = table().find(text);
        if (!id) return node.fault("'{}' is no token", printable(text));
        return *id;
    }

    Result<void> read_post_processor() {
        const auto node = root_.find("post_processor");
        if (!node) return done();
        std::vector<JsonNode> stages = {*node};
        if (const auto list = node->find("processors")) stages = TRY(list->elements());
        for (const JsonNode& stage : stages) {
            const std::string type = TRY(stage.get_text("type"));
            if (type == "ByteLevel") continue;  // moves offsets, no ids
            if (!parts_.prefix.empty() || !parts_.suffix.empty())
                return stage.fault("a second post-processor that adds tokens is not supported");
            if (type == "TemplateProcessing") TRY(read_template(stage));
            else if (type == "BertProcessing" || type == "RobertaProcessing") TRY(read_pair(stage));
            else return stage.fault("the post-processor '{}' is not supported", printable(type));
        }
        return done();
    }

    /// "single": special tokens before and behind the text.
    Result<void> read_template(const JsonNode& stage) {
        bool after_text = false;
        const std::vector<JsonNode> items = TRY(stage.get_elements("single"));
        for (const JsonNode& item : items) {
            if (item.find("Sequence")) {
                if (std::exchange(after_text, true)) return item.fault("the text a second time is not supported");
                continue;
            }
            const JsonNode special = TRY(item.get("SpecialToken"));
            const std::vector<TokenId> ids = TRY(template_tokens(stage, special));
            std::vector<TokenId>& side = after_text ? parts_.suffix : parts_.prefix;
            side.insert(side.end(), ids.begin(), ids.end());
        }
        const size_t count = parts_.prefix.size() + parts_.suffix.size();
        if (count > kMaxAround) return stage.fault("{} special tokens around a text (at most {})", count, kMaxAround);
        return done();
    }

    /// The ids that "special_tokens" gives to the name of a special token; where it does not, the token of that text.
    Result<std::vector<TokenId>> template_tokens(const JsonNode& stage, const JsonNode& special) const {
        const JsonNode name = TRY(special.get("id"));
        const std::string text = TRY(name.text());
        const auto named = stage.find("special_tokens");
        const auto entry = named ? named->find(text) : std::nullopt;
        if (!entry) return std::vector{TRY(named_token(name, text))};
        std::vector<TokenId> ids;
        const std::vector<JsonNode> nodes = TRY(entry->get_elements("ids"));
        for (const JsonNode& node : nodes)
            ids.push_back(static_cast<TokenId>(TRY(node.count(static_cast<size_t>(table().size()) - 1))));
        return ids;
    }

    /// BERT's and RoBERTa's: "cls" and "sep", each a text with its id.
    Result<void> read_pair(const JsonNode& stage) {
        for (const auto& [member, side] : {std::pair("cls", &parts_.prefix), std::pair("sep", &parts_.suffix)}) {
            const JsonNode node = TRY(stage.get(member));
            const std::vector<JsonNode> pair = TRY(node.elements());
            if (pair.empty()) return node.fault("expected a text and an id");
            const std::string text = TRY(pair[0].text());
            *side = {TRY(named_token(node, text))};
        }
        return done();
    }

    /// tokenizer_config.json has the last word.
    Result<void> read_config() {
        if (!parts_.prefix.empty()) parts_.bos = parts_.prefix.front();
        if (!parts_.suffix.empty()) parts_.eos = parts_.suffix.front();
        TRY(read_config_token("bos_token", parts_.bos));
        TRY(read_config_token("eos_token", parts_.eos));
        TRY(read_config_side("add_bos_token", parts_.bos, parts_.prefix));
        return read_config_side("add_eos_token", parts_.eos, parts_.suffix);
    }

    Result<void> read_config_side(const char* member, std::optional<TokenId> token, std::vector<TokenId>& side) const {
        if (!config_.find(member)) return done();
        const bool add = TRY(config_.flag_or(member, false)) && token;
        side = add ? std::vector{*token} : std::vector<TokenId>();
        return done();
    }

    /// A text, or an object with its "content".
    Result<void> read_config_token(const char* member, std::optional<TokenId>& out) const {
        const auto node = config_.find(member);
        if (!node) return done();
        const std::string text = node->json().is_object() ? TRY(node->get_text("content")) : TRY(node->text());
        out = TRY(named_token(*node, text));
        return done();
    }

    const JsonNode& root_;
    const JsonNode& config_;
    std::optional<JsonNode> model_;
    ModelKind kind_ = ModelKind::Bpe;
    std::vector<std::string_view> texts_;  // by id; views into the document and into added_
    std::vector<double> scores_;           // of Unigram, by id
    std::vector<AddedToken> added_;
    TokenizerParts parts_;
};

}  // namespace

Result<std::unique_ptr<Tokenizer>> read_tokenizer_json(std::string_view json, std::string_view config) {
    Result<Json> document = parse_json(json);
    if (!document.ok()) return error("tokenizer.json: {}", document.error().message);
    Result<Json> settings = config.empty() ? Result<Json>(Json::object()) : parse_json(config);
    if (!settings.ok()) return error("tokenizer_config.json: {}", settings.error().message);
    const JsonNode root(document.value(), ""), config_root(settings.value(), "tokenizer_config.json");
    auto tokenizer = JsonTokenizerBuilder(root, config_root).build();
    if (tokenizer.ok() || tokenizer.error().message.starts_with("tokenizer_config.json")) return tokenizer;
    return error("tokenizer.json: {}", tokenizer.error().message);
}

}  // namespace godwit
