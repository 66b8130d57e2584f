// Published vocabularies as the tokenizer.json that tools/oracle/make_tokenizers.py writes of them.
#pragma once

#include <string>

#include "file/model_file.hpp"
#include "model/read_vocabulary.hpp"
#include "text/json.hpp"
#include "tokenizer/vocabularies.hpp"

namespace godwit {

inline std::string base64(std::string_view bytes) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (size_t i = 0; i < bytes.size(); i += 3) {
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; ++k)
            bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * k) & 63];
    }
    return out;
}

class PublishedJson {
public:
    explicit PublishedJson(const Vocabulary& vocabulary) : v_(vocabulary) {}

    std::string bert() const {
        return document(
            R"({"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true})",
            R"({"type":"BertPreTokenizer"})", R"({"type":"WordPiece","prefix":"##","cleanup":true})",
            R"({"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":)" +
                object([&](size_t id) { return bert_text(id); }) + "}");
    }

    std::string xlm_roberta() const {
        std::string vocab = "[";
        for (size_t id = 0; id < v_.tokens.size(); ++id)
            vocab += fmt::format("{}[{},{}]", id ? "," : "", text(v_.tokens[id]), static_cast<double>(v_.scores[id]));
        const std::string metaspace =
            R"({"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":true})";
        return document(R"({"type":"Precompiled","precompiled_charsmap":")" + base64(v_.charsmap) + "\"}",
                        R"({"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},)" + metaspace + "]}",
                        metaspace, R"({"type":"Unigram","unk_id":3,"byte_fallback":false,"vocab":)" + vocab + "]}");
    }

    std::string qwen2() const {
        const std::string pattern =
            R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
        const std::string byte_level =
            R"({"type":"ByteLevel","add_prefix_space":false,"trim_offsets":false,"use_regex":false})";
        std::string merges;
        for (std::string_view merge : v_.merges) merges.append(merges.empty() ? "" : ",").append(text(merge));
        return document(R"({"type":"NFC"})",
                        R"({"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"Regex":)" + text(pattern) +
                            R"(},"behavior":"Isolated","invert":false},)" + byte_level + "]}",
                        byte_level,
                        R"({"type":"BPE","vocab":)" + object([&](size_t id) { return std::string(v_.tokens[id]); }) +
                            ",\"merges\":[" + merges + "]}");
    }

private:
    static std::string text(std::string_view text) { return json_text(Json(std::string(text))); }

    bool special(size_t id) const {
        return v_.types[id] == TokenType::Unknown || v_.types[id] == TokenType::Control ||
               v_.types[id] == TokenType::UserDefined;
    }

    std::string bert_text(size_t id) const {
        const std::string token(v_.tokens[id]);
        if (special(id)) return token;
        return token.starts_with("▁") ? token.substr(3) : fmt::format("##{}", token);
    }

    template <class TextOf>
    std::string object(TextOf text_of) const {
        std::string out = "{";
        for (size_t id = 0; id < v_.tokens.size(); ++id)
            out += fmt::format("{}{}:{}", id ? "," : "", text(text_of(id)), id);
        return out + "}";
    }

    std::string document(const std::string& normalizer, const std::string& pre_tokenizer, const std::string& decoder,
                         const std::string& model) const {
        std::string added;
        for (size_t id = 0; id < v_.tokens.size(); ++id) {
            if (!special(id)) continue;
            added +=
                fmt::format(R"({}{{"id":{},"content":{},"special":{},"normalized":false}})", added.empty() ? "" : ",",
                            id, text(v_.tokens[id]), v_.types[id] != TokenType::UserDefined);
        }
        return fmt::format(R"({{"added_tokens":[{}],"normalizer":{},"pre_tokenizer":{},"decoder":{},"model":{}}})",
                           added, normalizer, pre_tokenizer, decoder, model);
    }

    const Vocabulary& v_;
};

}  // namespace godwit
