// Small hand-made vocabularies, valid until a test changes one thing.
#pragma once

#include <deque>
#include <string>

#include "tokenizer/byte_alphabet.hpp"
#include "tokenizer/tokenizer.hpp"
#include "tokenizer/vocabulary.hpp"

namespace godwit {

/// A Vocabulary with the strings that it views.
class TinyVocabulary {
public:
    Vocabulary v;

    TokenId add(const std::string& text, TokenType type = TokenType::Normal, float score = 0) {
        v.tokens.push_back(keep(text));
        v.types.push_back(type);
        if (v.model == "llama" || v.model == "t5") v.scores.push_back(score);
        return static_cast<TokenId>(v.tokens.size() - 1);
    }

    /// "a b", and its result as a token if it is none yet.
    void merge(const std::string& left, const std::string& right) {
        v.merges.push_back(keep(left + " " + right));
        for (std::string_view token : v.tokens)
            if (token == left + right) return;
        add(left + right);
    }

    TokenId id(std::string_view text) const {
        for (size_t i = 0; i < v.tokens.size(); ++i)
            if (v.tokens[i] == text) return static_cast<TokenId>(i);
        return -1;
    }

    std::string_view keep(const std::string& text) { return strings_.emplace_back(text); }

private:
    std::deque<std::string> strings_;
};

/// The 256 byte letters, five merges up to "hello" and "Ġhello", <|begin|>, <|end|> and the user-defined <tool>.
inline TinyVocabulary tiny_bpe() {
    TinyVocabulary tiny;
    tiny.v.model = "gpt2";
    tiny.v.pre = "gpt-2";
    for (int byte = 0; byte < 256; ++byte) tiny.add(std::string(byte_letter(static_cast<uint8_t>(byte))));
    tiny.merge("h", "e");
    tiny.merge("l", "l");
    tiny.merge("he", "ll");
    tiny.merge("hell", "o");
    tiny.merge("\u0120", "hello");
    tiny.v.bos = tiny.add("<|begin|>", TokenType::Control);
    tiny.v.eos = tiny.add("<|end|>", TokenType::Control);
    tiny.add("<tool>", TokenType::UserDefined);
    return tiny;
}

/// <unk>, <s>, </s>, the byte tokens and a few pieces.
inline TinyVocabulary tiny_sentencepiece() {
    TinyVocabulary tiny;
    tiny.v.model = "llama";
    tiny.v.unknown = tiny.add("<unk>", TokenType::Unknown);
    tiny.v.bos = tiny.add("<s>", TokenType::Control);
    tiny.v.eos = tiny.add("</s>", TokenType::Control);
    for (int byte = 0; byte < 256; ++byte) tiny.add(fmt::format("<0x{:02X}>", byte), TokenType::Byte);
    float score = 0;
    for (const char* piece : {"\u2581a", "ab", "abc", "\u2581", "a", "b", "c", "<", "s", ">", "<s", "\u2581\u2581"})
        tiny.add(piece, TokenType::Normal, score -= 1);
    return tiny;
}

/// [PAD], [UNK], [CLS], [SEP], a few words (▁) and parts of words.
inline TinyVocabulary tiny_wordpiece() {
    TinyVocabulary tiny;
    tiny.v.model = "bert";
    tiny.add("[PAD]", TokenType::Control);
    tiny.v.unknown = tiny.add("[UNK]", TokenType::Unknown);
    tiny.v.cls = tiny.add("[CLS]", TokenType::Control);
    tiny.v.sep = tiny.add("[SEP]", TokenType::Control);
    for (const char* token : {"\u2581hokkaido", "\u2581un", "aff", "able", "\u2581a", "a", "\u2581.", "\u2581\u4e2d",
                              "\u2581hokkaid\u014d"})
        tiny.add(token);
    return tiny;
}

/// <unk>, <s>, </s>, a few pieces.
inline TinyVocabulary tiny_unigram() {
    TinyVocabulary tiny;
    tiny.v.model = "t5";
    tiny.v.unknown = tiny.add("<unk>", TokenType::Unknown);
    tiny.v.bos = tiny.add("<s>", TokenType::Control);
    tiny.v.eos = tiny.add("</s>", TokenType::Control);
    const std::pair<const char*, float> pieces[] = {{"\u2581", -2}, {"\u2581a", -3}, {"a", -4}, {"ab", -5},
                                                    {"b", -4},      {"abc", -12},    {"c", -4}};
    for (const auto& [piece, score] : pieces) tiny.add(piece, TokenType::Normal, score);
    return tiny;
}

/// A precompiled_charsmap: "x" becomes "ab", "\xC3\xA9" (é) nothing.
inline std::string tiny_charsmap() {
    std::vector<uint32_t> units(512);
    const auto offset = [](uint32_t from, uint32_t to) { return (from ^ to) << 10; };
    const auto place = [&](uint32_t base, unsigned char byte, uint32_t unit) { units[base ^ byte] = unit | byte; };
    units[0] = offset(0, 256);
    constexpr uint32_t kHasValue = 1u << 8, kValue = 1u << 31;
    place(256, 'x', kHasValue | offset(256 ^ 'x', 1));
    units[1] = kValue | 0;
    place(256, 0xC3, offset(256 ^ 0xC3, 64));
    place(64, 0xA9, kHasValue | offset(64 ^ 0xA9, 2));
    units[2] = kValue | 2;
    std::string blob;
    const auto write = [&](uint32_t value) {
        for (int i = 0; i < 4; ++i) blob += static_cast<char>(value >> 8 * i & 0xFF);
    };
    write(static_cast<uint32_t>(units.size() * 4));
    for (uint32_t unit : units) write(unit);
    return blob + std::string("ab\0\0", 4);
}

}  // namespace godwit
