// exp, log, tanh and erf of our own, for invariant I2 (b): the same bits on every machine, which no libm promises.
// Made of + − × ÷ fma, integers and selects, in one fixed order; branch-free, so that a loop over an array vectorises
// where the target has fma. Coefficients: minimax fits of the relative error. Error bounds: tests/base/math_test.cpp.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace godwit {

/// e^x; at most 1.01 ulp off, over all floats (for results below 2^-126 an ulp is 2^-149). e^0 is exactly
/// 1, x < -104 gives exactly 0, x > 88.73 gives +inf, NaN stays NaN. Never decreases as x grows.
inline float exp_f32(float x) {
    x = x < -104.0f ? -104.0f : x;  // NaN passes both
    x = x > 89.0f ? 89.0f : x;
    // Cody and Waite: x = n ln 2 + r, |r| <= ln 2 / 2. Adding 1.5 * 2^23 rounds n into the low bits of the sum.
    constexpr float kRound = 0x1.8p23f;
    const float shifted = std::fma(x, 0x1.715476p0f, kRound);
    const float n = shifted - kRound;
    float r = std::fma(n, -0x1.62e400p-1f, x);  // ln 2 in two parts; n times the first is exact
    r = std::fma(n, -0x1.7f7d1cp-20f, r);
    float p = 0x1.6a243ap-10f;  // e^r = 1 + r + r^2 p(r)
    p = std::fma(p, r, 0x1.1239e0p-7f);
    p = std::fma(p, r, 0x1.5558f2p-5f);
    p = std::fma(p, r, 0x1.555492p-3f);
    p = std::fma(p, r, 0x1.fffffcp-2f);
    const float y = 1.0f + std::fma(r * r, p, r);
    // 2^n in two factors: n reaches from -150 to 128, beyond what one exponent holds.
    const uint32_t exponent = std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(kRound);
    const uint32_t half = static_cast<uint32_t>(static_cast<int32_t>(exponent) >> 1);
    const float scale1 = std::bit_cast<float>((half + 127) << 23);
    const float scale2 = std::bit_cast<float>((exponent - half + 127) << 23);
    return y * scale1 * scale2;
}

/// Natural logarithm; at most 0.84 ulp off. log 1 is exactly 0, log ±0 is -inf, x < 0 and NaN give NaN, +inf stays.
inline float log_f32(float x) {
    const bool subnormal = x < 0x1p-126f;
    const float scaled = subnormal ? x * 0x1p23f : x;
    // scaled = 2^e m with m in [sqrt(1/2), sqrt(2)); log x = e ln 2 + log1p(f), f = m - 1 (exact).
    const uint32_t bits = std::bit_cast<uint32_t>(scaled);
    const int32_t exponent = static_cast<int32_t>(bits - 0x3f3504f3) >> 23;
    const float f = std::bit_cast<float>(bits - (static_cast<uint32_t>(exponent) << 23)) - 1.0f;
    const float e = static_cast<float>(exponent) - (subnormal ? 23.0f : 0.0f);
    float p = 0x1.145886p-4f;  // log1p(f) = f - f^2/2 + f^3 p(f)
    p = std::fma(p, f, -0x1.de3d74p-4f);
    p = std::fma(p, f, 0x1.e6f0c8p-4f);
    p = std::fma(p, f, -0x1.fc21d8p-4f);
    p = std::fma(p, f, 0x1.233760p-3f);
    p = std::fma(p, f, -0x1.555c4ep-3f);
    p = std::fma(p, f, 0x1.99a4b6p-3f);
    p = std::fma(p, f, -0x1.000006p-2f);
    p = std::fma(p, f, 0x1.555548p-2f);
    const float square = f * f;
    float tail = std::fma(e, 0x1.7f7d1cp-20f, square * (p * f));
    tail = std::fma(-0.5f, square, tail);
    const float y = std::fma(e, 0x1.62e400p-1f, f + tail);
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const float special = x == 0.0f ? -kInfinity : (x > 0.0f ? x : std::numeric_limits<float>::quiet_NaN());
    return x > 0.0f && x < kInfinity ? y : special;
}

/// Hyperbolic tangent; at most 1.34 ulp off. ±0 and the sign are kept, NaN stays NaN.
inline float tanh_f32(float x) {
    const float magnitude = std::fabs(x);
    const float square = x * x;
    float p = -0x1.75e1ccp-8f;  // near zero: tanh x = x + x^3 p(x^2)
    p = std::fma(p, square, 0x1.52269ap-6f);
    p = std::fma(p, square, -0x1.b83c5ap-5f);
    p = std::fma(p, square, 0x1.110726p-3f);
    p = std::fma(p, square, -0x1.555532p-2f);
    const float near = std::fma(magnitude * square, p, magnitude);
    const float far = 1.0f - 2.0f / (exp_f32(2.0f * magnitude) + 1.0f);
    return std::copysign(magnitude < 0.625f ? near : far, x);
}

/// log(1 + x) for finite x >= 0; at most 2 ulp off, so that softplus keeps its small values. NaN stays NaN.
inline float log1p_f32(float x) {
    const float u = 1.0f + x;
    return log_f32(u) + (x - (u - 1.0f)) / u;  // the second term is what rounding u lost
}

/// Error function; at most 2 ulp off. ±0 and the sign are kept, NaN stays NaN, |x| >= 4 gives exactly ±1.
inline float erf_f32(float x) {
    const float magnitude = std::fabs(x);
    const float square = x * x;
    float p = -0x1.453ad6p-11f;  // near zero: erf x = x + x p(x^2)
    p = std::fma(p, square, 0x1.49ca0ap-8f);
    p = std::fma(p, square, -0x1.b6f38cp-6f);
    p = std::fma(p, square, 0x1.ce211ep-4f);
    p = std::fma(p, square, -0x1.81270cp-2f);
    p = std::fma(p, square, 0x1.06eba6p-3f);
    const float near = std::fma(x, p, x);
    const float t = magnitude > 4.0f ? 4.0f : magnitude;
    float q = 0x1.2b2076p-17f;  // else: erf t = 1 - exp(-t q(t))
    q = std::fma(q, t, -0x1.3a80dep-12f);
    q = std::fma(q, t, 0x1.d16a90p-9f);
    q = std::fma(q, t, -0x1.823184p-6f);
    q = std::fma(q, t, 0x1.b24140p-4f);
    q = std::fma(q, t, 0x1.45437ep-1f);
    q = std::fma(q, t, 0x1.20ed10p+0f);
    const float far = 1.0f - exp_f32(-t * q);
    return magnitude < 0.875f ? near : std::copysign(far, x);
}

}  // namespace godwit
