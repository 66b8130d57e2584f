#include "base/printable.hpp"

#include <gtest/gtest.h>

namespace godwit {
namespace {

TEST(Printable, KeepsWhatShowsAsItself) {
    EXPECT_EQ(printable("llama 3"), "llama 3");
    EXPECT_EQ(printable("通义千问 é 😀"), "通义千问 é 😀");
}

TEST(Printable, EscapesWhatDrivesATerminalOrHides) {
    EXPECT_EQ(printable("a\nb\r\x1b[31m\x7f"), "a\\x0Ab\\x0D\\x1B[31m\\x7F");
    EXPECT_EQ(printable("\xC2\x85\xE2\x80\xA8"), "\\xC2\\x85\\xE2\\x80\\xA8");  // next line, line separator
    EXPECT_EQ(printable("a\xE2\x80\xAE"
                        "b"),
              "a\\xE2\\x80\\xAE"
              "b");  // right-to-left override
    EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(printable("\xFF\xC3(\xE2\x82"), "\\xFF\\xC3(\\xE2\\x82");  // ill-formed
}

TEST(Printable, CutsBetweenCodePoints) {
    EXPECT_EQ(printable("abcdef", 3), "abc…");
    EXPECT_EQ(printable("ééé", 3), "éé…");
    EXPECT_EQ(printable("abc", 3), "abc");
}

}  // namespace
}  // namespace godwit
