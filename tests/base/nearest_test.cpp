#include "base/nearest.hpp"

#include <gtest/gtest.h>

namespace godwit {
namespace {

const std::vector<std::string_view> kNames{"--temperature", "--tokens", "--top-k", "--top-p", "--raw"};

TEST(Nearest, FindsWhatWasMeant) {
    EXPECT_EQ(nearest("--temprature", kNames), "--temperature");
    EXPECT_EQ(nearest("--temperatur", kNames), "--temperature");
    EXPECT_EQ(nearest("--t", kNames), "--temperature");  // the beginning of several: the first
    EXPECT_EQ(nearest("--topk", kNames), "--top-k");
    EXPECT_EQ(nearest("--rwa", kNames), "--raw");
    EXPECT_EQ(nearest("-raw", kNames), "--raw");
}

TEST(Nearest, DoesNotGuess) {
    EXPECT_EQ(nearest("--port", kNames), "");
    EXPECT_EQ(nearest("", kNames), "");
    EXPECT_EQ(nearest("--raw", {}), "");
    EXPECT_EQ(nearest(std::string(100'000, '-'), kNames), "");
}

}  // namespace
}  // namespace godwit
