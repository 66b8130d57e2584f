#include "cli/terminal_text.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "base/utf8.hpp"

namespace godwit {
namespace {

std::string shown(int columns, std::string_view text, size_t piece = 1000) {
    TerminalText terminal(columns);
    std::string out;
    for (size_t at = 0; at < text.size(); at += piece) out += terminal.add(text.substr(at, piece));
    return out + terminal.end();
}

TEST(TerminalText, WrapsBetweenWords) {
    EXPECT_EQ(shown(10, "one two three four"), "one two \nthree four");
    EXPECT_EQ(shown(10, "1234567890 next"), "1234567890\nnext");
    EXPECT_EQ(shown(10, "12345678901 next"), "12345678901 next");  // too long for a line: the terminal tears it
    EXPECT_EQ(shown(10, "one\n\n two\tthree"), "one\n\n two\t\nthree");
    EXPECT_EQ(shown(0, "one two three four five six"), "one two three four five six");
    EXPECT_EQ(shown(10, ""), "");
}

TEST(TerminalText, EveryCutGivesTheSame) {
    const std::string text =
        "A bird, and another bird with averyveryverylongnamethatdoesnotend here.\n```c\nint a = 1; int b;\n```\nso it "
        "goes";
    for (size_t piece = 1; piece < text.size(); ++piece) EXPECT_EQ(shown(12, text, piece), shown(12, text)) << piece;
}

TEST(TerminalText, CodeIsNotWrapped) {
    EXPECT_EQ(shown(10, "a ``` b c d e f\n```\nint a = 1; int b = 2;\n```\none two three"),
              "a ``` b c \nd e f\n```\nint a = 1; int b = 2;\n```\none two \nthree");
}

/// Behind text of one cluster there is room for this many columns, and one less.
TEST(TerminalText, ClustersHaveTheWidthOfOneCharacter) {
    const std::vector<std::pair<std::string, int>> cases = {{"é", 1},
                                                            {"e\u0301", 1},
                                                            {"你", 2},
                                                            {"한", 2},
                                                            {"\u1112\u1161\u11ab", 2},
                                                            {"😀", 2},
                                                            {"👨‍👩‍👧‍👦", 2},
                                                            {"👍🏽", 2},
                                                            {"❤\uFE0F", 2},
                                                            {"1\uFE0F\u20E3", 2},
                                                            {"🇩🇪", 2},
                                                            {"🏳️‍🌈", 2},
                                                            {"กำ", 2},
                                                            {"z\u200B", 1},
                                                            {"🧑🏽‍🚀", 2}};
    for (const auto& [cluster, columns] : cases) {
        const std::string fits = std::string(static_cast<size_t>(8 - columns), 'x'), more = fits + "x";
        EXPECT_EQ(shown(9, cluster + " " + fits), cluster + " " + fits) << cluster;
        EXPECT_EQ(shown(9, cluster + " " + more), cluster + " \n" + more) << cluster;
    }
}

TEST(TerminalText, WordsAmongWideCharactersAreWhole) {
    EXPECT_EQ(shown(20, "我喜欢在我的电脑上Linux系统"), "我喜欢在我的电脑上\nLinux系统");
    EXPECT_EQ(shown(20, "一二三四五六七八九x十一二三四五六七八 ab"), "一二三四五六七八九x十一二三四五六七八 \nab");
    EXPECT_EQ(shown(10, "고드윗은 새이다 그리고"), "고드윗은 \n새이다 \n그리고");
    EXPECT_EQ(shown(6, "ab🇩🇪cd"), "ab🇩🇪cd");
    EXPECT_EQ(shown(6, "🚀🚀👨‍👩‍👧‍👦ab"), "🚀🚀👨‍👩‍👧‍👦\nab");
}

TEST(TerminalText, ClustersMayComeInPieces) {
    const std::string text =
        "一👨‍👩‍👧‍👦 is a family, 👍🏽🇩🇪🇫🇷 ❤️ and 한국 e\u0301\u0301 end of it";
    TerminalText terminal(11);
    std::string out;
    for (std::string_view rest = text; !rest.empty();) {
        const size_t size = next_utf8(rest).size;
        out += terminal.add(rest.substr(0, size));
        rest.remove_prefix(size);
    }
    EXPECT_EQ(out + terminal.end(), shown(11, text));
}

TEST(TerminalText, HoldsBackNoMoreThanAWord) {
    TerminalText terminal(80);
    EXPECT_EQ(terminal.add("one tw"), "one ");
    EXPECT_EQ(terminal.add("o "), "two ");
    EXPECT_EQ(terminal.add(std::string(25, 'x')), std::string(25, 'x'));
    EXPECT_EQ(terminal.add("y"), "");
    EXPECT_EQ(terminal.end(), "y");
}

TEST(TerminalText, NothingDrivesTheTerminal) {
    EXPECT_EQ(shown(80,
                    "a\x1b[2Jb\x07\x7f\xc2\x9b"
                    "31m\r\nGrüße\xff"),
              "a\uFFFD[2Jb\uFFFD\uFFFD\uFFFD31m\nGrüße\xff");
}

}  // namespace
}  // namespace godwit
