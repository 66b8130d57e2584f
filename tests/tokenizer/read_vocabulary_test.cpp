// GGUF keys to a Vocabulary: what is read from where, and which types are refused.
#include "model/read_vocabulary.hpp"

#include <gtest/gtest.h>

#include <span>

#include "file/gguf_writer.hpp"
#include "file/model_file.hpp"

namespace godwit {
namespace {

using test::GgufWriter;

GgufWriter valid() {
    GgufWriter gguf;
    gguf.set("general.architecture", "llama").set("general.name", "Tiny");
    gguf.set("tokenizer.ggml.model", "gpt2").set("tokenizer.ggml.pre", "qwen2");
    gguf.strings("tokenizer.ggml.tokens", {"a", "b", "ab", "<|end|>"});
    gguf.array<int32_t>("tokenizer.ggml.token_type", {1, 1, 4, 3});
    gguf.strings("tokenizer.ggml.merges", {"a b"});
    return gguf;
}

/// Reads what `gguf` holds and lets `look` see it, or gives the error.
template <class Look>
std::string read(const GgufWriter& gguf, Look look) {
    const std::string bytes = gguf.bytes();
    auto file = ModelFile::from_bytes(std::as_bytes(std::span(bytes)));
    if (!file.ok()) return file.error().message;
    std::vector<std::string> warnings;
    auto vocabulary = read_vocabulary(file.value().metadata(), warnings);
    if (!vocabulary.ok()) return vocabulary.error().message;
    look(vocabulary.value());
    return "";
}

TEST(ReadVocabulary, TakesEveryKey) {
    GgufWriter gguf = valid();
    gguf.array<float>("tokenizer.ggml.scores", {0, -1, -2, 3.5});
    gguf.set<uint32_t>("tokenizer.ggml.bos_token_id", 0).set<int32_t>("tokenizer.ggml.eos_token_id", 3);
    gguf.set<uint64_t>("tokenizer.ggml.eot_token_id", 2).set<uint8_t>("tokenizer.ggml.eom_token_id", 1);
    gguf.set<uint32_t>("tokenizer.ggml.unknown_token_id", 1);
    gguf.set("tokenizer.ggml.add_bos_token", true).set("tokenizer.ggml.add_eos_token", false);
    gguf.set("tokenizer.ggml.add_space_prefix", false);
    gguf.set("tokenizer.chat_template", "one ").set("tokenizer.chat_template.tool_use", "two");
    EXPECT_EQ(read(gguf,
                   [](const Vocabulary& v) {
                       EXPECT_EQ(v.model, "gpt2");
                       EXPECT_EQ(v.pre, "qwen2");
                       EXPECT_EQ(v.general_name, "Tiny");
                       EXPECT_EQ(v.tokens, (std::vector<std::string_view>{"a", "b", "ab", "<|end|>"}));
                       EXPECT_EQ(v.types, (std::vector{TokenType::Normal, TokenType::Normal, TokenType::UserDefined,
                                                       TokenType::Control}));
                       EXPECT_EQ(v.scores, (std::vector<float>{0, -1, -2, 3.5}));
                       EXPECT_EQ(v.merges, std::vector<std::string_view>{"a b"});
                       EXPECT_EQ(v.bos, 0u);
                       EXPECT_EQ(v.eos, 3u);
                       EXPECT_EQ(v.eot, 2u);
                       EXPECT_EQ(v.eom, 1u);
                       EXPECT_EQ(v.unknown, 1u);
                       EXPECT_EQ(v.add_bos, true);
                       EXPECT_EQ(v.add_eos, false);
                       EXPECT_EQ(v.add_space_prefix, false);
                       EXPECT_EQ(v.chat_templates, "one two");
                   }),
              "");
}

TEST(ReadVocabulary, TakesTheKeysOfWordPieceAndUnigram) {
    GgufWriter gguf = valid();
    gguf.set<uint32_t>("tokenizer.ggml.cls_token_id", 1).set<uint32_t>("tokenizer.ggml.seperator_token_id", 2);
    gguf.set("tokenizer.ggml.add_sep_token", false).set("tokenizer.ggml.remove_extra_whitespaces", true);
    gguf.set("tokenizer.ggml.normalizer.lowercase", false).set("tokenizer.ggml.normalizer.strip_accents", true);
    gguf.array<uint8_t>("tokenizer.ggml.precompiled_charsmap", {7, 0, 255});
    EXPECT_EQ(read(gguf,
                   [](const Vocabulary& v) {
                       EXPECT_EQ(v.cls, 1u);
                       EXPECT_EQ(v.sep, 2u);
                       EXPECT_EQ(v.add_sep, false);
                       EXPECT_EQ(v.remove_extra_whitespaces, true);
                       EXPECT_EQ(v.lowercase, false);
                       EXPECT_EQ(v.strip_accents, true);
                       EXPECT_EQ(v.charsmap, std::string_view("\x07\0\xFF", 3));
                   }),
              "");
}

TEST(ReadVocabulary, AbsentKeysStayAbsent) {
    EXPECT_EQ(read(valid(),
                   [](const Vocabulary& v) {
                       EXPECT_FALSE(v.bos || v.eos || v.eot || v.eom || v.unknown);
                       EXPECT_FALSE(v.add_bos || v.add_eos || v.add_space_prefix);
                       EXPECT_TRUE(v.scores.empty() && v.chat_templates.empty());
                   }),
              "");
}

TEST(ReadVocabulary, RefusesWithTheKey) {
    const std::vector<std::pair<std::string, void (*)(GgufWriter&, const std::string&)>> changes = {
        {"tokenizer.ggml.tokens", [](GgufWriter& g, const std::string& key) { g.array<int32_t>(key, {1, 2, 3, 4}); }},
        {"tokenizer.ggml.tokens", [](GgufWriter& g, const std::string& key) { g.strings(key, {}); }},
        {"tokenizer.ggml.tokens", [](GgufWriter&, const std::string&) {}},
        {"tokenizer.ggml.scores", [](GgufWriter& g, const std::string& key) { g.array<uint8_t>(key, {1, 2, 3, 4}); }},
        {"tokenizer.ggml.token_type", [](GgufWriter& g, const std::string& key) { g.array<float>(key, {1, 1, 1, 1}); }},
        {"tokenizer.ggml.token_type",
         [](GgufWriter& g, const std::string& key) { g.array<int32_t>(key, {1, 1, 0, 1}); }},
        {"tokenizer.ggml.token_type",
         [](GgufWriter& g, const std::string& key) { g.array<int32_t>(key, {1, 1, 7, 1}); }},
        {"tokenizer.ggml.merges", [](GgufWriter& g, const std::string& key) { g.array<int32_t>(key, {1}); }},
        {"tokenizer.ggml.merges", [](GgufWriter&, const std::string&) {}},
        {"tokenizer.ggml.model", [](GgufWriter&, const std::string&) {}},
        {"tokenizer.ggml.model", [](GgufWriter& g, const std::string& key) { g.set<uint32_t>(key, 1); }},
        {"tokenizer.ggml.pre", [](GgufWriter& g, const std::string& key) { g.set<uint32_t>(key, 1); }},
        {"tokenizer.ggml.add_bos_token", [](GgufWriter& g, const std::string& key) { g.set(key, "yes"); }},
        {"tokenizer.ggml.bos_token_id", [](GgufWriter& g, const std::string& key) { g.set<uint32_t>(key, 4); }},
        {"tokenizer.ggml.eos_token_id", [](GgufWriter& g, const std::string& key) { g.set<int32_t>(key, -1); }},
        {"tokenizer.ggml.eot_token_id",
         [](GgufWriter& g, const std::string& key) { g.set<uint64_t>(key, 1ull << 32); }},
        {"tokenizer.chat_template", [](GgufWriter& g, const std::string& key) { g.set(key, true); }},
        {"tokenizer.ggml.precompiled_charsmap", [](GgufWriter& g, const std::string& key) { g.set(key, "text"); }},
        {"tokenizer.ggml.precompiled_charsmap",
         [](GgufWriter& g, const std::string& key) { g.array<uint32_t>(key, {1}); }},
    };
    for (const auto& [key, change] : changes) {
        GgufWriter gguf = valid();
        std::erase_if(gguf.keys, [&name = key](const auto& entry) { return entry.name == name; });
        change(gguf, key);
        const std::string message = read(gguf, [](const Vocabulary&) {});
        EXPECT_NE(message.find("key " + key), std::string::npos) << key << ": '" << message << "'";
    }
}

}  // namespace
}  // namespace godwit
