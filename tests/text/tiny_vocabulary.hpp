// Small hand-made vocabularies, valid until a test changes one thing.
#pragma once

#include <deque>
#include <string>

#include "text/byte_alphabet.hpp"
#include "text/tokenizer.hpp"
#include "text/vocabulary.hpp"

namespace godwit {

/// A Vocabulary with the strings that it views.
class TinyVocabulary {
public:
    Vocabulary v;

    TokenId add(const std::string& text, TokenType type = TokenType::Normal, float score = 0) {
        v.tokens.push_back(keep(text));
        v.types.push_back(type);
        if (v.model == "llama") v.scores.push_back(score);
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

}  // namespace godwit
