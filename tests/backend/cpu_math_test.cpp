// The functions of kernels/math.hpp, on plain lanes, have the bits of those of base/math.hpp and
// reference/activation.hpp for floats of all kinds.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "backend/cpu/isa/scalar.hpp"
#include "backend/cpu/kernels/math.hpp"
#include "backend/reference/activation.hpp"

namespace godwit::cpu {
namespace {

using Lanes = Math<Scalar>;

/// Every so many floats by their bits (so many is prime: all low bits occur), finely those where e^x is neither 0 nor
/// infinite, and where formulas change.
std::vector<float> floats_of_all_kinds() {
    std::vector<float> x;
    for (uint64_t bits = 0; bits <= 0xffffffffu; bits += 20011)
        x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    for (float value = -106; value < 91; value += 0x1.3p-11f) x.push_back(value);
    for (float edge : {0.0f, 0x1p-126f, 0.625f, 0.875f, 1.0f, std::sqrt(0.5f), std::sqrt(2.0f), 4.0f, 88.73f, 89.0f,
                       104.0f, INFINITY})
        for (float value : {edge, std::nextafter(edge, 0.0f), std::nextafter(edge, INFINITY)})
            for (float sign : {1.0f, -1.0f}) x.push_back(sign * value);
    x.resize((x.size() + 15) / 16 * 16, NAN);
    return x;
}

template <class OfLanes, class OfOne>
void expect_equal(const char* name, OfLanes of_lanes, OfOne of_one) {
    for (const std::vector<float> all = floats_of_all_kinds(); const float& first : all) {
        if ((&first - all.data()) % 16 != 0) continue;
        float got[16];
        Scalar::store(got, of_lanes(Scalar::load(&first)));
        for (int i = 0; i < 16; ++i) {
            const float x = (&first)[i], want = of_one(x);
            if (std::isnan(want) && std::isnan(got[i])) continue;
            ASSERT_EQ(std::bit_cast<uint32_t>(got[i]), std::bit_cast<uint32_t>(want))
                << name << " of " << x << ": " << got[i];
        }
    }
}

TEST(CpuMath, Functions) {
    expect_equal("exp", [](auto x) { return Lanes::exp(x); }, exp_f32);
    expect_equal("log", [](auto x) { return Lanes::log(x); }, log_f32);
    expect_equal("log1p", [](auto x) { return Lanes::log1p(x); }, log1p_f32);
    expect_equal("tanh", [](auto x) { return Lanes::tanh(x); }, tanh_f32);
    expect_equal("erf", [](auto x) { return Lanes::erf(x); }, erf_f32);
}

TEST(CpuMath, Activations) {
    for (int i = 0; i <= static_cast<int>(Activation::Softplus); ++i) {
        const auto activation = static_cast<Activation>(i);
        with_activation(activation, [=]<Activation a>() {
            EXPECT_EQ(a, activation);
            expect_equal(
                "an activation", [](auto x) { return Lanes::activate<a>(x); },
                [](float x) { return reference::activate(a, x); });
        });
    }
}

}  // namespace
}  // namespace godwit::cpu
