// A megabyte of one letter, of spaces, of mixed text: counts of work, no clock.
#include "tokenizer/vocabularies.hpp"

namespace godwit {
namespace {

class LongTexts : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Real, LongTexts, testing::Values("gpt-2", "llama-bpe", "llama-spm", "gemma-4", "qwen35"),
                         test_name);

TEST_P(LongTexts, CostLinearWork) {
    RealTokenizer tokenizer(GetParam());
    ASSERT_TRUE(tokenizer.tokenizer);
    for (std::string_view unit : {"a", " ", "A", "1", "\n", "'", "The quick brown fox, 1234 times!\n  \u00e9\u4e2d "}) {
        std::string text;
        while (text.size() < 1'000'000) text += unit;
        text.resize(1'000'000);
        EncodeWork half, whole;
        tokenizer->encode(std::string_view(text).substr(0, text.size() / 2), Specials::None, &half);
        const std::vector<TokenId> ids = tokenizer->encode(text, Specials::None, &whole);
        const size_t bytes_per_symbol = unit == " " ? 3 : 1;  // ▁
        EXPECT_LE(whole.queue_pushes, 3 * text.size() * bytes_per_symbol) << unit;
        EXPECT_LE(whole.queue_pushes, 2 * half.queue_pushes + 100) << unit;
        EXPECT_LE(whole.pieces, 2 * half.pieces + 100) << unit;
        if (unit.size() == 1) {
            EXPECT_EQ(tokenizer->decode(ids), text);
        }
    }
}

class LongSearches : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Real, LongSearches, testing::Values("bert-bge", "nomic-bert-moe"), test_name);

TEST_P(LongSearches, CostLinearWork) {
    RealTokenizer tokenizer(GetParam());
    ASSERT_TRUE(tokenizer.tokenizer);
    for (std::string_view unit :
         {"a", " ", "A", "1", "\n", "\u0301", "\u1100", "The quick brown fox, 1234 times!\n  \u00e9\u4e2d "}) {
        std::string text;
        while (text.size() < 1'000'000) text += unit;
        EncodeWork half, whole;
        tokenizer->encode(std::string_view(text).substr(0, text.size() / 2), Specials::None, &half);
        tokenizer->encode(text, Specials::None, &whole);
        EXPECT_LE(whole.queue_pushes, 16 * text.size()) << unit;
        EXPECT_LE(whole.queue_pushes, 2 * half.queue_pushes + 200) << unit;
        EXPECT_LE(whole.pieces, 2 * half.pieces + 100) << unit;
    }
}

}  // namespace
}  // namespace godwit
