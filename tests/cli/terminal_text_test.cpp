#include "cli/terminal_text.hpp"

#include <gtest/gtest.h>

#include <vector>

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
