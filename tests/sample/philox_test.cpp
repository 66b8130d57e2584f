#include "sample/philox.hpp"

#include <gtest/gtest.h>

#include <set>

namespace godwit {
namespace {

// The known answers of the authors' Random123 library (kat_vectors, philox4x32 with 10 rounds).
TEST(Philox, KnownAnswers) {
    using Block = std::array<uint32_t, 4>;
    EXPECT_EQ(philox4x32_10({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(philox4x32_10({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
              (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, UniformDependsOnEveryPartOfItsKey) {
    std::set<double> values = {uniform(1, 2, 3, 4)};
    EXPECT_EQ(uniform(1, 2, 3, 4), *values.begin());
    for (int bit = 0; bit < 64; ++bit) {
        values.insert(uniform(1 ^ uint64_t{1} << bit, 2, 3, 4));
        values.insert(uniform(1, 2, 3 ^ uint64_t{1} << bit, 4));
    }
    for (int bit = 0; bit < 32; ++bit) {
        values.insert(uniform(1, 2 ^ 1u << bit, 3, 4));
        values.insert(uniform(1, 2, 3, 4 ^ 1u << bit));
    }
    EXPECT_EQ(values.size(), 1u + 128 + 64);
    EXPECT_GE(*values.begin(), 0.0);
    EXPECT_LT(*values.rbegin(), 1.0);
}

}  // namespace
}  // namespace godwit
