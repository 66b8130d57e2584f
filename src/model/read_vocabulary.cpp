#include "model/read_vocabulary.hpp"

#include <algorithm>

#include "base/printable.hpp"

namespace godwit {
namespace {

Result<std::vector<TokenType>> read_types(const Metadata& metadata) {
    const auto numbers = TRY(metadata.find_ints("tokenizer.ggml.token_type"));
    std::vector<TokenType> types;
    if (!numbers) return types;
    types.reserve(numbers->size());
    for (int64_t number : *numbers) {
        if (number < static_cast<int64_t>(TokenType::Normal) || number > static_cast<int64_t>(TokenType::Byte))
            return error("key tokenizer.ggml.token_type: token {} has the type {} (1 to 6 exist)", types.size(),
                         number);
        types.push_back(static_cast<TokenType>(number));
    }
    return types;
}

std::string id_key(std::string_view name) { return fmt::format("tokenizer.ggml.{}_token_id", name); }

/// Errors: no integer, not a token of the vocabulary.
Result<std::optional<uint32_t>> read_id(const Metadata& metadata, std::string_view key, int64_t tokens) {
    const auto id = TRY(metadata.find_uint(key));
    if (!id) return std::optional<uint32_t>();
    if (*id >= static_cast<uint64_t>(tokens))
        return error("key {}: {} is out of range (the vocabulary has {} tokens)", printable(key), *id, tokens);
    return std::optional(static_cast<uint32_t>(*id));
}

/// Nothing too where the key is at fault: warn_of_ids() tells.
std::optional<uint32_t> read_optional_id(const Metadata& metadata, std::string_view name, int64_t tokens) {
    const auto id = read_id(metadata, id_key(name), tokens);
    return id.ok() ? id.value() : std::nullopt;
}

/// Every key tokenizer.ggml.*_token_id that is at fault, also those that nothing here needs.
void warn_of_ids(const Metadata& metadata, int64_t tokens, std::vector<std::string>& warnings) {
    for (const Metadata::Entry& entry : metadata.entries()) {
        if (!entry.key.starts_with("tokenizer.ggml.") || !entry.key.ends_with("_token_id")) continue;
        const auto id = read_id(metadata, entry.key, tokens);
        if (!id.ok()) warnings.push_back(id.error().message + "; ignored");
    }
}

/// The bytes of an array of them.
Result<std::string_view> read_charsmap(const Metadata& metadata) {
    constexpr std::string_view kKey = "tokenizer.ggml.precompiled_charsmap";
    const Value* value = metadata.find(kKey);
    if (!value) return std::string_view();
    const bool bytes = value->element_type == ValueType::U8 || value->element_type == ValueType::I8;
    if (value->type != ValueType::Array || !bytes)
        return error("key {}: expected an array of u8, found {}", kKey, value_type_name(value->type));
    return std::string_view(reinterpret_cast<const char*>(value->bytes.data()), value->bytes.size());
}

constexpr std::string_view kChatTemplate = "tokenizer.chat_template";

/// The NAME of tokenizer.chat_template.NAME, "" of tokenizer.chat_template itself.
std::optional<std::string_view> template_name(std::string_view key) {
    if (!key.starts_with(kChatTemplate)) return std::nullopt;
    key.remove_prefix(kChatTemplate.size());
    if (key.starts_with('.')) return key.substr(1);
    return key.empty() ? std::optional(key) : std::nullopt;
}

Result<std::string> join_chat_templates(const Metadata& metadata) {
    std::string all;
    for (const Metadata::Entry& entry : metadata.entries())
        if (template_name(entry.key)) all += TRY(metadata.get_string(entry.key));
    return all;
}

}  // namespace

Result<std::vector<std::string_view>> read_tokens(const Metadata& metadata) {
    auto tokens = TRY(metadata.find_strings("tokenizer.ggml.tokens"));
    if (!tokens || tokens->empty()) return error("key tokenizer.ggml.tokens: the vocabulary is missing or empty");
    return *std::move(tokens);
}

Result<Vocabulary> read_vocabulary(const Metadata& metadata, std::vector<std::string>& warnings) {
    Vocabulary v;
    v.model = TRY(metadata.get_string("tokenizer.ggml.model"));
    v.pre = TRY(metadata.find_string("tokenizer.ggml.pre")).value_or("");
    v.tokens = TRY(read_tokens(metadata));
    if (auto scores = TRY(metadata.find_floats("tokenizer.ggml.scores"))) v.scores = *std::move(scores);
    v.types = TRY(read_types(metadata));
    auto merges = TRY(metadata.find_strings("tokenizer.ggml.merges"));
    if (merges) v.merges = *std::move(merges);
    else if (v.model == "gpt2" || v.model == "gemma4")
        return error("key tokenizer.ggml.merges: missing (a {} tokenizer needs them)", v.model);

    // Without one of these four answers would begin or end wrongly. The others are left out where they are at fault.
    const auto count = std::ssize(v.tokens);
    v.bos = TRY(read_id(metadata, id_key("bos"), count));
    v.eos = TRY(read_id(metadata, id_key("eos"), count));
    v.eot = TRY(read_id(metadata, id_key("eot"), count));
    v.eom = TRY(read_id(metadata, id_key("eom"), count));
    v.unknown = read_optional_id(metadata, "unknown", count);
    v.cls = read_optional_id(metadata, "cls", count);
    v.sep = read_optional_id(metadata, "seperator", count);  // the format's own spelling
    warn_of_ids(metadata, count, warnings);
    v.add_bos = TRY(metadata.find_bool("tokenizer.ggml.add_bos_token"));
    v.add_eos = TRY(metadata.find_bool("tokenizer.ggml.add_eos_token"));
    v.add_space_prefix = TRY(metadata.find_bool("tokenizer.ggml.add_space_prefix"));
    v.add_sep = TRY(metadata.find_bool("tokenizer.ggml.add_sep_token"));
    v.remove_extra_whitespaces = TRY(metadata.find_bool("tokenizer.ggml.remove_extra_whitespaces"));
    v.charsmap = TRY(read_charsmap(metadata));
    v.lowercase = TRY(metadata.find_bool("tokenizer.ggml.normalizer.lowercase"));
    v.strip_accents = TRY(metadata.find_bool("tokenizer.ggml.normalizer.strip_accents"));
    v.general_name = TRY(metadata.find_string("general.name")).value_or("");
    v.chat_templates = TRY(join_chat_templates(metadata));
    return v;
}

bool has_chat_template(const Metadata& metadata) {
    const auto text = metadata.find_string(kChatTemplate);
    return !text.ok() || !text.value().value_or("").empty();
}

Result<std::optional<ChatTemplate>> read_chat_template(const Metadata& metadata, const Tokenizer& tokenizer) {
    ChatTemplateSources sources;
    sources.key = fmt::format("key {}", kChatTemplate);
    for (const Metadata::Entry& entry : metadata.entries()) {
        const auto name = template_name(entry.key);
        if (!name) continue;
        std::string text(TRY(metadata.get_string(entry.key)));
        if (name->empty()) sources.text = std::move(text);
        else sources.named.emplace_back(*name, std::move(text));
    }
    if (sources.text.empty()) return std::optional<ChatTemplate>();
    constexpr std::pair<const char*, std::string_view> kTokens[] = {// "seperator" is the format's own spelling
                                                                    {"unk_token", "unknown"},
                                                                    {"sep_token", "seperator"},
                                                                    {"pad_token", "padding"},
                                                                    {"cls_token", "cls"},
                                                                    {"mask_token", "mask"}};
    const auto add = [&](const char* name, TokenId id) { sources.special_tokens[name] = tokenizer.raw_text(id); };
    if (tokenizer.bos()) add("bos_token", *tokenizer.bos());
    if (tokenizer.eos()) add("eos_token", *tokenizer.eos());
    for (const auto& [name, key] : kTokens) {
        const auto id = read_optional_id(metadata, key, tokenizer.size());
        if (id) add(name, static_cast<TokenId>(*id));
    }
    return std::optional(TRY(ChatTemplate::make(sources)));
}

}  // namespace godwit
