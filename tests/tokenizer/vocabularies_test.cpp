// The 15 vocabularies that llama.cpp publishes with test strings and the ids of the models' own
// tokenizers, and what these vocabularies must do on strings that those tests lack.
#include "tokenizer/vocabularies.hpp"

#include <algorithm>
#include <random>

namespace godwit {
namespace {

/// Those that give back what they were given.
const std::vector<std::string> kExact = {"command-r", "deepseek-coder", "deepseek-llm", "falcon",   "gemma-4",
                                         "gpt-2",     "llama-bpe",      "llama-spm",    "mpt",      "phi-3",
                                         "qwen2",     "qwen35",         "refact",       "starcoder"};

std::vector<std::string> all_names() {
    std::vector<std::string> names = kExact;
    names.push_back("bert-bge");
    return names;
}

std::vector<std::string> split(const std::string& text, const std::string& separator) {
    std::vector<std::string> parts;
    size_t begin = 0;
    for (size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + separator.size())
        parts.push_back(text.substr(begin, end - begin));
    parts.push_back(text.substr(begin));
    return parts;
}

std::vector<TokenId> parse_ids(const std::string& line) {
    std::vector<TokenId> ids;
    std::istringstream in(line);
    for (TokenId id; in >> id;) ids.push_back(id);
    return ids;
}

using Ids = std::vector<TokenId>;

class Vocabularies : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Vocabularies, testing::ValuesIn(all_names()), test_name);

class ExactVocabularies : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, ExactVocabularies, testing::ValuesIn(kExact), test_name);

TEST_P(Vocabularies, GiveTheReferenceIds) {
    RealTokenizer tokenizer(GetParam());
    ASSERT_TRUE(tokenizer.tokenizer);
    const std::string path = vocabulary_path(GetParam());
    const auto texts = split(read_vocabulary_file(path + ".inp"), "\n__ggml_vocab_test__\n");
    const auto lines = split(read_vocabulary_file(path + ".out"), "\n");
    ASSERT_GT(texts.size(), 40u);
    for (size_t i = 0; i < std::min(texts.size(), lines.size()); ++i) {
        if (i + 1 == texts.size() && lines[i].empty()) break;  // after the last separator
        EXPECT_EQ(tokenizer->encode(texts[i], Specials::None), parse_ids(lines[i])) << "of '" << texts[i] << "'";
    }
}

/// Text that decoding cannot give back, whatever the tokenizer: a literal ▁ means a space, and what a user-defined
/// token matches can begin a new stretch of text, with its own prefix space.
bool survives(const Tokenizer& tokenizer, std::string_view text) {
    return text.find(kEscapedSpace) == std::string_view::npos &&
           (tokenizer.raw_text(0) != "<unk>" || text.find("</s>") == std::string_view::npos);
}

/// The bytes of `text` that the vocabulary can spell; some lack letters for bytes that no UTF-8 has (and Falcon
/// others).
std::string spellable(const Tokenizer& tokenizer, const std::string& text) {
    std::string out;
    for (char byte : text)
        if (!tokenizer.encode(std::string(1, byte), Specials::None).empty()) out += byte;
    return out;
}

TEST_P(ExactVocabularies, GiveBackAnyBytes) {
    RealTokenizer tokenizer(GetParam());
    ASSERT_TRUE(tokenizer.tokenizer);
    std::string all_bytes;
    for (int byte = 0; byte < 256; ++byte) all_bytes += static_cast<char>(byte);
    const std::string bytes = spellable(*tokenizer, all_bytes);
    EXPECT_GE(bytes.size(), 228u);  // Falcon lacks 28, 13 of which no UTF-8 has

    const std::vector<std::string> words = {"Hello",        " world",       "  ",      "\n\n",        "\u00e9",
                                            "\u4e2d\u6587", "\U0001F600",   "'s",      "1234",        "\t",
                                            "<s>",          "<|im_start|>", "e\u0301", "\u0434\u043e"};
    std::mt19937 random(11);
    for (int round = 0; round < 400; ++round) {
        std::string text;
        for (size_t n = random() % 24; n > 0; --n) {
            if (random() % 3 == 0) text += bytes[random() % bytes.size()];
            else text += spellable(*tokenizer, words[random() % words.size()]);
        }
        if (!survives(*tokenizer, text)) continue;
        ASSERT_EQ(tokenizer->decode(tokenizer->encode(text, Specials::None), true), text);
        std::string streamed;
        for (TokenId id : tokenizer->encode(text, Specials::None)) streamed += tokenizer->bytes(id, true);
        ASSERT_TRUE(streamed == text || streamed == " " + text);
    }
}

/// Ids of tokens spelt so.
Ids spelt(const Tokenizer& tokenizer, const std::vector<std::string>& texts) {
    Ids ids;
    for (const std::string& text : texts) {
        TokenId id = 0;
        while (id < tokenizer.size() && tokenizer.raw_text(id) != text) ++id;
        ids.push_back(id);
    }
    return ids;
}

TEST(ServerBugs, T1LlamaBpe) {
    RealTokenizer t("llama-bpe");
    ASSERT_TRUE(t.tokenizer);
    EXPECT_EQ(t->encode("w048 7tuijk dsdfhu", Specials::None),
              (Ids{86, 23904, 220, 22, 83, 2005, 42908, 11729, 3013, 17156}));
    EXPECT_EQ(t->encode("3333", Specials::None), (Ids{8765, 18}));
    EXPECT_EQ(t->encode("Hello, y'all! How are you 😁 ?我想在apple工作1314151天～", Specials::None),
              (Ids{9906,  11,     379,   65948, 0,      2650, 527,   499, 27623, 223,  949,
                   37046, 101067, 19000, 23182, 102301, 9263, 18136, 16,  36827, 21909}));
    EXPECT_FALSE(t->prefix().empty());
    EXPECT_EQ(t->encode("<|begin_of_text|>3333<|eot_id|>", Specials::All), (Ids{128000, 8765, 18, 128009}));
    EXPECT_GT(t->encode("<|eot_id|>", Specials::None).size(), 3u);
    EXPECT_TRUE(t->ends_generation(128009));
}

TEST(ServerBugs, T2LlamaSentencePiece) {
    RealTokenizer t("llama-spm");
    ASSERT_TRUE(t.tokenizer);
    EXPECT_EQ(t->encode(" Hello", Specials::None), (Ids{29871, 15043}));
    EXPECT_EQ(t->encode("!!!!!!", Specials::None), (Ids{1738, 6824, 21004}));
    EXPECT_FALSE(t->prefix().empty());
    EXPECT_EQ(t->bos(), 1);
}

TEST(ServerBugs, T3BertWordPiece) {
    RealTokenizer t("bert-bge");
    ASSERT_TRUE(t.tokenizer);
    EXPECT_EQ(t->encode(" Hello World!", Specials::None), (Ids{7592, 2088, 999}));
    EXPECT_EQ(t->encode("កាន់តែពិសេសអាចខលចេញ", Specials::None), Ids{100});
    EXPECT_EQ(t->encode("Hokkaidō", Specials::None), t->encode("hokkaido", Specials::None));  // T10
    EXPECT_NE(t->encode("Hokkaidō", Specials::None), Ids{100});
    EXPECT_TRUE(!t->prefix().empty() && !t->suffix().empty());
    EXPECT_EQ(t->bos(), 101);
    EXPECT_EQ(t->eos(), 102);
    EXPECT_EQ(t->decode(t->encode("hello world", Specials::None)), "hello world");
}

TEST(ServerBugs, T4Gemma4) {
    RealTokenizer t("gemma-4");
    ASSERT_TRUE(t.tokenizer);
    EXPECT_EQ(t->encode(" Hello", Specials::None), Ids{26352});
    EXPECT_EQ(t->encode("  Hello", Specials::None), (Ids{138, 9259}));
    EXPECT_EQ(t->encode("\n\n", Specials::None), Ids{108});
    EXPECT_FALSE(t->prefix().empty());
    // A marker of its template, typed by a user.
    EXPECT_EQ(t->encode("<|tool_call>", Specials::All), spelt(*t, {"<|tool_call>"}));
    EXPECT_GT(t->encode("<|tool_call>", Specials::None).size(), 1u);
}

TEST(ServerBugs, T5Qwen35DoesNotCompose) {
    RealTokenizer t("qwen35");
    ASSERT_TRUE(t.tokenizer);
    EXPECT_EQ(t->encode("e\u0301", Specials::None), (Ids{68, 53839}));
    EXPECT_EQ(t->encode("3333", Specials::None), (Ids{18, 18, 18, 18}));
}

TEST(ServerBugs, T6TextRightAfterASpecialTokenKeepsItsPrefixSpace) {
    RealTokenizer t("llama-spm");
    ASSERT_TRUE(t.tokenizer);
    EXPECT_EQ(t->encode("<s>G", Specials::All), spelt(*t, {"<s>", "\u2581G"}));
    EXPECT_EQ(t->encode("</s>user", Specials::All), spelt(*t, {"</s>", "\u2581user"}));
}

TEST(ServerBugs, T7SpaceAfterASpecialToken) {
    RealTokenizer t("llama-spm");
    ASSERT_TRUE(t.tokenizer);
    EXPECT_EQ(t->encode("x</s> Hello", Specials::All), (Ids{921, 2, 29871, 15043}));
}

TEST(ServerBugs, T8LongRunsNeitherOverflowNorTakeForever) {
    for (const char* name : {"llama-bpe", "llama-spm", "gemma-4", "gpt-2"}) {
        RealTokenizer t(name);
        ASSERT_TRUE(t.tokenizer);
        for (char c : {'A', ' ', '7', '\n'}) {
            const std::string text(100'000, c);
            EXPECT_EQ(t->decode(t->encode(text, Specials::None)), text) << name;
        }
    }
    for (const char* name : {"bert-bge", "nomic-bert-moe"}) {
        RealTokenizer t(name);
        ASSERT_TRUE(t.tokenizer);
        for (const char* unit : {"A", " ", "7", "\n", "\u0301", "\u4e2d", "\u3099\u0323"}) {
            std::string text;
            while (text.size() < 100'000) text += unit;
            EXPECT_LE(t->encode(text, Specials::None).size(), text.size()) << name;
        }
    }
}

TEST(Phi3, SpecialTokensTakeTheWhiteSpaceAfterThem) {
    RealTokenizer t("phi-3");
    ASSERT_TRUE(t.tokenizer);
    EXPECT_EQ(t->encode("<|user|>\nHi<|end|>\n<|assistant|>\n", Specials::All),
              spelt(*t, {"<|user|>", "\u2581Hi", "<|end|>", "<|assistant|>"}));
    EXPECT_TRUE(t->ends_generation(spelt(*t, {"<|end|>"})[0]));
}

}  // namespace
}  // namespace godwit
