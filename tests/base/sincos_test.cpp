// sincos() against libm over the angles that rope makes: positions up to 2^20 at every frequency, and both signs.
#include "base/sincos.hpp"

#include <gtest/gtest.h>

#include <random>

namespace godwit {
namespace {

TEST(Sincos, AgreesWithLibm) {
    std::mt19937_64 random(1);
    for (double reach : {1.0, 100.0, 1e4, 1e6, 1.6e7}) {
        std::uniform_real_distribution<double> angles(-reach, reach);
        for (int i = 0; i < 100000; ++i) {
            double x = angles(random);
            SinCos got = sincos(x);
            ASSERT_NEAR(got.sin, std::sin(x), 0x1p-50) << x;
            ASSERT_NEAR(got.cos, std::cos(x), 0x1p-50) << x;
        }
    }
}

TEST(Sincos, ExactAtZero) {
    SinCos got = sincos(0.0);
    EXPECT_EQ(got.sin, 0.0);
    EXPECT_EQ(got.cos, 1.0);
}

}  // namespace
}  // namespace godwit
