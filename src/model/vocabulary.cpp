#include "model/vocabulary.hpp"

#include <algorithm>

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

/// Every key tokenizer.ggml.*_token_id, also those that nothing here needs.
Result<void> check_ids(const Metadata& metadata, size_t tokens) {
    for (const Metadata::Entry& entry : metadata.entries()) {
        if (!entry.key.starts_with("tokenizer.ggml.") || !entry.key.ends_with("_token_id")) continue;
        const auto id = TRY(metadata.find_uint(entry.key));
        if (*id >= tokens)
            return error("key {}: {} is out of range (the vocabulary has {} tokens)", entry.key, *id, tokens);
    }
    return done();
}

/// Call after check_ids().
Result<std::optional<uint32_t>> read_id(const Metadata& metadata, std::string_view key) {
    const auto id = TRY(metadata.find_uint(key));
    if (!id) return std::optional<uint32_t>();
    return std::optional(static_cast<uint32_t>(*id));
}

Result<std::string> read_chat_templates(const Metadata& metadata) {
    constexpr std::string_view kKey = "tokenizer.chat_template";
    std::string all;
    for (const Metadata::Entry& entry : metadata.entries()) {
        const bool named = entry.key.starts_with(kKey) && entry.key.substr(kKey.size()).starts_with('.');
        if (entry.key == kKey || named) all += TRY(metadata.get_string(entry.key));
    }
    return all;
}

}  // namespace

Result<Vocabulary> read_vocabulary(const Metadata& metadata) {
    Vocabulary v;
    v.model = TRY(metadata.get_string("tokenizer.ggml.model"));
    v.pre = TRY(metadata.find_string("tokenizer.ggml.pre")).value_or("");
    auto tokens = TRY(metadata.find_strings("tokenizer.ggml.tokens"));
    if (!tokens || tokens->empty()) return error("key tokenizer.ggml.tokens: the vocabulary is missing or empty");
    v.tokens = *std::move(tokens);
    if (auto scores = TRY(metadata.find_floats("tokenizer.ggml.scores"))) v.scores = *std::move(scores);
    v.types = TRY(read_types(metadata));
    auto merges = TRY(metadata.find_strings("tokenizer.ggml.merges"));
    if (merges)
        v.merges = *std::move(merges);
    else if (v.model == "gpt2" || v.model == "gemma4")
        return error("key tokenizer.ggml.merges: missing (a {} tokenizer needs them)", v.model);

    TRY(check_ids(metadata, v.tokens.size()));
    v.bos = TRY(read_id(metadata, "tokenizer.ggml.bos_token_id"));
    v.eos = TRY(read_id(metadata, "tokenizer.ggml.eos_token_id"));
    v.eot = TRY(read_id(metadata, "tokenizer.ggml.eot_token_id"));
    v.eom = TRY(read_id(metadata, "tokenizer.ggml.eom_token_id"));
    v.unknown = TRY(read_id(metadata, "tokenizer.ggml.unknown_token_id"));
    v.add_bos = TRY(metadata.find_bool("tokenizer.ggml.add_bos_token"));
    v.add_eos = TRY(metadata.find_bool("tokenizer.ggml.add_eos_token"));
    v.add_space_prefix = TRY(metadata.find_bool("tokenizer.ggml.add_space_prefix"));
    v.general_name = TRY(metadata.find_string("general.name")).value_or("");
    v.chat_templates = TRY(read_chat_templates(metadata));
    return v;
}

}  // namespace godwit
