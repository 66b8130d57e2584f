// Against the byte ranges of table 3-7 of the Unicode standard, written down here in another form.
#include "base/utf8.hpp"

#include <gtest/gtest.h>

#include <random>

namespace godwit {
namespace {

std::string encode(uint32_t c) {
    const auto byte = [](uint32_t b) { return static_cast<char>(b); };
    if (c < 0x80) return {byte(c)};
    if (c < 0x800) return {byte(0xC0 | c >> 6), byte(0x80 | (c & 63))};
    if (c < 0x10000) return {byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 63)), byte(0x80 | (c & 63))};
    return {byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 63)), byte(0x80 | (c >> 6 & 63)), byte(0x80 | (c & 63))};
}

TEST(Utf8, EveryCodePointIsWellFormedAndEveryBeginningOfItIsCut) {
    for (uint32_t c = 0; c <= 0x10FFFF; ++c) {
        if (c >= 0xD800 && c <= 0xDFFF) continue;
        const std::string text = encode(c);
        const Utf8Unit unit = next_utf8(text + "\x80");
        ASSERT_EQ(unit.form, Utf8Form::WellFormed) << c;
        ASSERT_EQ(unit.code_point, c);
        ASSERT_EQ(unit.size, text.size());
        for (size_t n = 1; n < text.size(); ++n) {
            const Utf8Unit cut = next_utf8(std::string_view(text).substr(0, n));
            ASSERT_EQ(cut.form, Utf8Form::Cut) << c;
            ASSERT_EQ(cut.size, n);
            const Utf8Unit broken = next_utf8(text.substr(0, n) + "!");
            ASSERT_EQ(broken.form, Utf8Form::IllFormed) << c;
            ASSERT_EQ(broken.size, n);
        }
    }
}

TEST(Utf8, SurrogatesOverlongFormsAndTheRestAreIllFormed) {
    for (uint32_t c = 0xD800; c <= 0xDFFF; ++c) ASSERT_EQ(next_utf8(encode(c)).size, 1u);
    for (const char* text : {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF",
                             "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
        EXPECT_EQ(next_utf8(text).form, Utf8Form::IllFormed);
        EXPECT_EQ(next_utf8(text).size, 1u);
        EXPECT_EQ(next_utf8(text).code_point, 0xFFFDu);
    }
}

TEST(Utf8, ReplacesMaximalSubparts) {
    // The example of the Unicode standard, section 3.9.
    EXPECT_EQ(replace_ill_formed("a\xF1\x80\x80\xE1\x80\xC2"
                                 "b\x80"
                                 "c\x80\xBF"
                                 "d"),
              "a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd");
    EXPECT_EQ(replace_ill_formed("x\xE2\x82"), "x\uFFFD");
    EXPECT_EQ(replace_ill_formed("h\u00e9\U0001F600"), "h\u00e9\U0001F600");
    EXPECT_EQ(replace_ill_formed(""), "");
}

TEST(Utf8, RandomBytesAreAlwaysConsumed) {
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        std::string text(1 + random() % 40, 0);
        for (char& c : text) c = static_cast<char>(random() % 3 ? 0x80 + random() % 128 : random() % 128);
        std::string_view rest = text;
        while (!rest.empty()) {
            const Utf8Unit unit = next_utf8(rest);
            ASSERT_GE(unit.size, 1u);
            ASSERT_LE(unit.size, rest.size());
            ASSERT_EQ(unit.form == Utf8Form::WellFormed, encode(unit.code_point) == rest.substr(0, unit.size));
            rest.remove_prefix(unit.size);
        }
        const std::string clean = replace_ill_formed(text);
        EXPECT_EQ(replace_ill_formed(clean), clean);
    }
}

TEST(Utf8, WhiteSpaceIsUnicodes) {
    int count = 0;
    for (uint32_t c = 0; c <= 0x10FFFF; ++c) count += is_white_space(c);
    EXPECT_EQ(count, 25);
    for (uint32_t c : std::initializer_list<uint32_t>{0x9, 0xD, 0x20, 0x85, 0xA0, 0x1680, 0x2000, 0x200A, 0x2028,
                                                      0x2029, 0x202F, 0x205F, 0x3000})
        EXPECT_TRUE(is_white_space(c)) << c;
    for (uint32_t c : std::initializer_list<uint32_t>{0x8, 0xE, 0x200B, 0x180E, 0xFEFF})
        EXPECT_FALSE(is_white_space(c)) << c;
}

}  // namespace
}  // namespace godwit
