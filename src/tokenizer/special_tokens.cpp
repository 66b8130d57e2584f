// What special tokens mean, whatever file they come from.
#include <algorithm>
#include <array>

#include "text/stop_automaton.hpp"
#include "tokenizer/tokenizer_parts.hpp"

namespace godwit {
namespace {

/// Tokens that end an answer in the families that have them, whether or not a key says so.
constexpr std::array<std::string_view, 19> kEndTexts = {
    "<|eot_id|>", "<|im_end|>", "<|end|>",   "<end_of_turn>", "<turn|>", "<|endoftext|>",         "<|end_of_text|>",
    "<|eom_id|>", "<EOT>",      "_<EOT>",    "[EOT]",         "[EOS]",   "<｜end▁of▁sentence｜>", "<end_of_utterance>",
    "<|return|>", "<|call|>",   "<|flush|>", "<|calls|>",     "[e~["};

bool is_special(TokenType type) {
    return type == TokenType::UserDefined || type == TokenType::Control || type == TokenType::Unknown;
}

void mark_markers(TokenTable& table, std::string_view chat_templates) {
    std::vector<TokenId> ids;
    std::vector<std::string> texts;
    for (TokenId id = 0; id < table.size(); ++id) {
        if (table.type(id) != TokenType::UserDefined) continue;
        ids.push_back(id);
        texts.emplace_back(table.text(id));
    }
    const std::vector<bool> in_template = StopAutomaton(texts).occurring(chat_templates);
    for (size_t i = 0; i < ids.size(); ++i)
        if (in_template[i] && !is_blank(texts[i])) table.make_marker(ids[i]);
}

}  // namespace

bool is_blank(std::string_view text) { return leading_space(text) == text.size(); }

void size_lists(TokenizerParts& parts) {
    for (auto* list : {&parts.strip_left, &parts.strip_right, &parts.single_word, &parts.ends_generation})
        list->resize(static_cast<size_t>(parts.table->size()));
}

Result<void> find_specials(TokenizerParts& parts, std::string_view chat_templates, std::string_view where) {
    mark_markers(*parts.table, chat_templates);
    const TokenTable& table = *parts.table;
    std::vector<TextTrie::Entry> values, templates, beside_values, normalized_values, normalized_templates;
    for (TokenId id = 0; id < table.size(); ++id) {
        if (!is_special(table.type(id))) continue;
        const bool in_values = table.type(id) == TokenType::UserDefined && table.is_plain(id);
        const auto found = parts.normalized.find(id);
        const bool by_normalized = found != parts.normalized.end();
        const size_t size = std::max(table.text(id).size(), by_normalized ? found->second.size() : 0);
        if (size > kSpecialBytesMax)
            return error("{}: token {} is special and has {} bytes (at most {})", where, id, size, kSpecialBytesMax);
        if (by_normalized) {
            normalized_templates.push_back({found->second, id});
            if (in_values) normalized_values.push_back({found->second, id});
        }
        if (!by_normalized) templates.push_back({table.text(id), id});
        if (!by_normalized || table.type(id) == TokenType::Control) beside_values.push_back({table.text(id), id});
        if (!by_normalized && in_values) values.push_back({table.text(id), id});
    }
    parts.in_values = SpecialMatcher(std::move(values));
    parts.in_templates = SpecialMatcher(std::move(templates));
    parts.beside_values = SpecialMatcher(std::move(beside_values));
    parts.normalized_in_values = SpecialMatcher(std::move(normalized_values));
    parts.normalized_in_templates = SpecialMatcher(std::move(normalized_templates));
    return done();
}

void find_ends(TokenizerParts& parts, const std::vector<std::optional<TokenId>>& named) {
    const TokenTable& table = *parts.table;
    auto& ends = parts.ends_generation;
    for (std::string_view text : kEndTexts) {
        if (const auto id = table.find(text)) ends[*id] = true;
    }
    // Where messages end in <|return|> or <|call|> (gpt-oss), or in <|flush|> or <|calls|>, <|end|> ends one channel.
    const auto both = [&](std::string_view a, std::string_view b) { return table.find(a) && table.find(b); };
    const auto end = table.find("<|end|>");
    if (end && (both("<|return|>", "<|call|>") || both("<|flush|>", "<|calls|>"))) ends[*end] = false;
    for (const auto& id : named) {
        if (id) ends[*id] = true;
    }
    if (parts.eos) ends[*parts.eos] = true;
}

}  // namespace godwit
