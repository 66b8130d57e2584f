#include <gtest/gtest.h>

#include "schedule/simulation.hpp"

namespace godwit::test {
namespace {

TEST(LongSimulation, TenMillionSteps) {
    std::string summary;
    EXPECT_EQ(simulate(10'000'000, summary), "");
    std::printf("%s\n", summary.c_str());
}

}  // namespace
}  // namespace godwit::test
