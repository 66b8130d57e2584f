// The activation functions, one element at a time: the exact f32 forms that every backend reproduces.
#pragma once

#include <cmath>

#include "backend/ops.hpp"
#include "base/check.hpp"
#include "base/math.hpp"

namespace godwit::reference {

inline float sigmoid(float x) { return 1.0f / (1.0f + exp_f32(-x)); }

/// log(1 + e^x), in the form that neither overflows nor loses small values.
inline float softplus(float x) { return (x > 0.0f ? x : 0.0f) + log1p_f32(exp_f32(-std::fabs(x))); }

/// 0.5 x (1 + tanh u) with u = √(2/π) (x + 0.044715 x³): the same as x σ(2u), which loses nothing where tanh nears −1.
inline float gelu_tanh(float x) {
    const float u = 0x1.988454p-1f * x * std::fma(0.044715f * x, x, 1.0f);
    return x / (1.0f + exp_f32(-2.0f * u));
}

/// x Φ(x), Φ the distribution function of the normal distribution.
inline float gelu_erf(float x) { return 0.5f * x * (1.0f + erf_f32(x * 0x1.6a09e6p-1f)); }

/// NaN stays NaN in all of them.
[[gnu::always_inline]] inline float activate(Activation activation, float x) {
    switch (activation) {
        case Activation::None:
            return x;
        case Activation::Silu:
            return x / (1.0f + exp_f32(-x));
        case Activation::GeluTanh:
            return gelu_tanh(x);
        case Activation::GeluErf:
            return gelu_erf(x);
        case Activation::Relu:
            return x < 0.0f ? 0.0f : x;
        case Activation::ReluSquared:
            return x < 0.0f ? 0.0f : x * x;
        case Activation::Sigmoid:
            return sigmoid(x);
        case Activation::Tanh:
            return tanh_f32(x);
        case Activation::Softplus:
            return softplus(x);
    }
    CHECK(false);
    return 0;
}

}  // namespace godwit::reference
