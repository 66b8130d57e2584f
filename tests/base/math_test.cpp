// Our own functions against libm in double, and the conversions of half.hpp against arithmetic in double.
#include "base/math.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/half.hpp"

namespace godwit {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// |got - want| in units of the last place of `want` as a float.
double ulps(float got, double want) {
    if (std::isnan(want)) return std::isnan(got) ? 0 : INFINITY;
    if (std::fabs(want) >= 0x1.ffffffp127) return got == std::copysign(kInfinity, want) ? 0 : INFINITY;
    int exponent;
    std::frexp(want, &exponent);
    const double unit = std::ldexp(1.0, std::max(exponent - 24, -149));
    const double value = std::isinf(got) ? std::copysign(0x1p128, got) : got;
    return std::fabs(value - want) / unit;
}

/// The worst error over floats of both signs, every 1009th by its bits (1009 is prime: all low bits occur).
double worst_error(float function(float), double reference(double)) {
    double worst = 0;
    for (uint64_t bits = 0; bits <= 0xffffffffu; bits += 1009) {
        const float x = std::bit_cast<float>(static_cast<uint32_t>(bits));
        worst = std::max(worst, ulps(function(x), reference(x)));
    }
    return worst;
}

TEST(Math, ErrorsAreWithinTheDocumentedBounds) {
    EXPECT_LE(worst_error(exp_f32, [](double x) { return std::exp(x); }), 1.01);
    EXPECT_LE(worst_error(log_f32, [](double x) { return std::log(x); }), 0.84);
    EXPECT_LE(worst_error(tanh_f32, [](double x) { return std::tanh(x); }), 1.34);
    EXPECT_LE(worst_error(erf_f32, [](double x) { return std::erf(x); }), 2.0);
    const auto positive = [](float x) { return x >= 0 && x < 0x1p127f ? log1p_f32(x) : 0.0f; };
    EXPECT_LE(worst_error(positive, [](double x) { return x >= 0 && x < 0x1p127 ? std::log1p(x) : 0.0; }), 2.0);
}

TEST(Math, SpecialValuesAreExact) {
    EXPECT_EQ(exp_f32(0.0f), 1.0f);
    EXPECT_EQ(exp_f32(-0.0f), 1.0f);
    for (float x : {-104.1f, -1e30f, -kInfinity}) EXPECT_EQ(exp_f32(x), 0.0f) << x;
    for (float x : {88.73f, 1e30f, kInfinity}) EXPECT_EQ(exp_f32(x), kInfinity) << x;
    EXPECT_EQ(log_f32(1.0f), 0.0f);
    EXPECT_EQ(log_f32(0.0f), -kInfinity);
    EXPECT_EQ(log_f32(-0.0f), -kInfinity);
    EXPECT_EQ(log_f32(kInfinity), kInfinity);
    for (float x : {-1.0f, -kInfinity, -0x1p-149f, kNan}) EXPECT_TRUE(std::isnan(log_f32(x))) << x;
    EXPECT_EQ(tanh_f32(kInfinity), 1.0f);
    EXPECT_EQ(tanh_f32(-kInfinity), -1.0f);
    EXPECT_EQ(erf_f32(4.0f), 1.0f);
    EXPECT_EQ(erf_f32(-kInfinity), -1.0f);
    EXPECT_TRUE(std::signbit(tanh_f32(-0.0f)) && std::signbit(erf_f32(-0.0f)));
    for (auto function : {exp_f32, tanh_f32, erf_f32, log1p_f32}) EXPECT_TRUE(std::isnan(function(kNan)));
}

TEST(Math, ExpNeverDecreases) {
    float before = 0;
    for (float x = -105.0f; x < 90.0f; x += 0x1p-12f) {
        const float y = exp_f32(x);
        EXPECT_GE(y, before) << x;
        before = y;
    }
}

// Golden bits (I2): every build and machine gives these. Made by this code on the day it was written.
TEST(Math, BitsAreTheSameEverywhere) {
    uint64_t hash = 0xcbf29ce484222325;
    const auto add = [&hash](float y) {
        if (!std::isnan(y)) hash = (hash ^ std::bit_cast<uint32_t>(y)) * 0x100000001b3;
    };
    for (uint64_t bits = 0; bits <= 0xffffffffu; bits += 20011) {
        const float x = std::bit_cast<float>(static_cast<uint32_t>(bits));
        add(exp_f32(x));
        add(log_f32(x));
        add(tanh_f32(x));
    }
    EXPECT_EQ(hash, 8610751387889822720u);
}

/// The value of binary16 bits by its definition.
double f16_value(uint32_t bits) {
    const int exponent = bits >> 10 & 31;
    const double mantissa = bits & 1023;
    const double magnitude = exponent == 31  ? INFINITY
                             : exponent == 0 ? std::ldexp(mantissa, -24)
                                             : std::ldexp(1024 + mantissa, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}
bool f16_is_nan(uint32_t bits) { return (bits & 0x7fff) > 0x7c00; }

TEST(Half, AllHalvesWiden) {
    for (uint32_t bits = 0; bits < 65536; ++bits) {
        const float value = f16_to_f32(static_cast<uint16_t>(bits));
        if (f16_is_nan(bits)) {
            EXPECT_TRUE(std::isnan(value));
            EXPECT_EQ(std::bit_cast<uint32_t>(value), (bits & 0x8000) << 16 | 0x7f800000 | (bits & 1023) << 13);
        } else {
            EXPECT_EQ(value, f16_value(bits)) << bits;
            EXPECT_EQ(std::signbit(value), (bits & 0x8000) != 0);
            EXPECT_EQ(f32_to_f16(value), bits);
        }
    }
    EXPECT_EQ(f32_to_f16(kNan) & 0x7e00, 0x7e00);
    EXPECT_EQ(f32_to_f16(std::bit_cast<float>(0x7f800001u)) & 0x7e00, 0x7e00);
}

// Rounding is monotonic, so that the two sides of each midpoint between neighbours decide all floats.
TEST(Half, FloatsRoundToNearestEven) {
    for (uint32_t low = 0; low < 0x7c00; ++low) {
        const double above = low + 1 == 0x7c00 ? 65536.0 : f16_value(low + 1);
        const float middle = static_cast<float>((f16_value(low) + above) / 2);
        const uint32_t even = low % 2 == 0 ? low : low + 1;
        for (uint32_t sign : {0u, 0x8000u}) {
            const float direction = sign ? -1.0f : 1.0f;
            EXPECT_EQ(f32_to_f16(direction * middle), even | sign);
            EXPECT_EQ(f32_to_f16(direction * std::nextafter(middle, 0.0f)), low | sign);
            EXPECT_EQ(f32_to_f16(direction * std::nextafter(middle, kInfinity)), (low + 1) | sign);
        }
    }
    for (float x : {65520.0f, 1e30f, kInfinity}) EXPECT_EQ(f32_to_f16(x), 0x7c00) << x;
}

TEST(Half, Bfloat16RoundsToNearestEven) {
    for (uint32_t low = 0; low < 0x7f80; ++low) {
        const auto value = static_cast<uint16_t>(low);
        EXPECT_EQ(std::bit_cast<uint32_t>(bf16_to_f32(value)), low << 16);
        const auto round = [&](uint32_t extra) { return f32_to_bf16(std::bit_cast<float>((low << 16) + extra)); };
        EXPECT_EQ(round(0), low);
        EXPECT_EQ(round(0x7fff), low);
        EXPECT_EQ(round(0x8000), low % 2 == 0 ? low : low + 1);
        EXPECT_EQ(round(0x8001), low + 1);
    }
    EXPECT_EQ(f32_to_bf16(-kInfinity), 0xff80);
    for (uint32_t nan : {0x7f800001u, 0xff80ffffu, 0x7fffffffu})
        EXPECT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(std::bit_cast<float>(nan)))));
}

}  // namespace
}  // namespace godwit
