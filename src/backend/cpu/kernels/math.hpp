// exp, log, tanh, erf and the activations over lanes: base/math.hpp and reference/activation.hpp once more, operation
// by operation, so that every lane has the bits of the function of one float. What the steps are for is said there.
#pragma once

#include "backend/cpu/isa/intrinsics.hpp"
#include "backend/ops.hpp"

namespace godwit::cpu {
namespace {

template <class L>
struct Math {
    using F = typename L::F;
    using I = typename L::I;

    GODWIT_INLINE F fma(F a, F b, float c) { return L::fma(a, b, L::set(c)); }
    GODWIT_INLINE F times(float a, F b) { return L::mul(L::set(a), b); }
    GODWIT_INLINE F negative(F x) { return L::from_bits(L::sub_int(L::bits(x), L::set_int(INT32_MIN))); }
    GODWIT_INLINE F magnitude(F x) { return L::from_bits(L::and_int(L::bits(x), L::set_int(0x7fffffff))); }
    GODWIT_INLINE F copysign(F x, F sign) {
        const I bit = L::and_int(L::bits(sign), L::set_int(INT32_MIN));
        return L::from_bits(L::or_int(L::bits(magnitude(x)), bit));
    }

    GODWIT_INLINE F exp(F x) {
        x = L::select(L::less(x, L::set(-104.0f)), L::set(-104.0f), x);
        x = L::select(L::less(L::set(89.0f), x), L::set(89.0f), x);
        const F round = L::set(0x1.8p23f);
        const F shifted = L::fma(x, L::set(0x1.715476p0f), round);
        const F n = L::sub(shifted, round);
        F r = L::fma(n, L::set(-0x1.62e400p-1f), x);
        r = L::fma(n, L::set(-0x1.7f7d1cp-20f), r);
        F p = L::set(0x1.6a243ap-10f);
        p = fma(p, r, 0x1.1239e0p-7f);
        p = fma(p, r, 0x1.5558f2p-5f);
        p = fma(p, r, 0x1.555492p-3f);
        p = fma(p, r, 0x1.fffffcp-2f);
        const F y = L::add(L::set(1.0f), L::fma(L::mul(r, r), p, r));
        const I exponent = L::sub_int(L::bits(shifted), L::bits(round));
        const I half = L::template shift_right<1>(exponent);
        const I bias = L::set_int(127);
        const F scale1 = L::from_bits(L::template shift_left<23>(L::add_int(half, bias)));
        const F scale2 = L::from_bits(L::template shift_left<23>(L::add_int(L::sub_int(exponent, half), bias)));
        return L::mul(L::mul(y, scale1), scale2);
    }

    GODWIT_INLINE F log(F x) {
        const F infinity = L::set(__builtin_inff());
        const auto subnormal = L::less(x, L::set(0x1p-126f));
        const I bits = L::bits(L::select(subnormal, L::mul(x, L::set(0x1p23f)), x));
        const I exponent = L::template shift_right<23>(L::sub_int(bits, L::set_int(0x3f3504f3)));
        const F f = L::sub(L::from_bits(L::sub_int(bits, L::template shift_left<23>(exponent))), L::set(1.0f));
        const F e = L::sub(L::to_float(exponent), L::select(subnormal, L::set(23.0f), L::zero()));
        F p = L::set(0x1.145886p-4f);
        p = fma(p, f, -0x1.de3d74p-4f);
        p = fma(p, f, 0x1.e6f0c8p-4f);
        p = fma(p, f, -0x1.fc21d8p-4f);
        p = fma(p, f, 0x1.233760p-3f);
        p = fma(p, f, -0x1.555c4ep-3f);
        p = fma(p, f, 0x1.99a4b6p-3f);
        p = fma(p, f, -0x1.000006p-2f);
        p = fma(p, f, 0x1.555548p-2f);
        const F square = L::mul(f, f);
        F tail = L::fma(e, L::set(0x1.7f7d1cp-20f), L::mul(square, L::mul(p, f)));
        tail = L::fma(L::set(-0.5f), square, tail);
        const F y = L::fma(e, L::set(0x1.62e400p-1f), L::add(f, tail));
        const auto is_zero = L::less(magnitude(x), L::set(0x1p-149f));
        const F not_positive = L::select(is_zero, negative(infinity), L::set(__builtin_nanf("")));
        return L::select(L::less(L::zero(), x), L::select(L::less(x, infinity), y, x), not_positive);
    }

    GODWIT_INLINE F tanh(F x) {
        const F magnitude_x = magnitude(x);
        const F square = L::mul(x, x);
        F p = L::set(-0x1.75e1ccp-8f);
        p = fma(p, square, 0x1.52269ap-6f);
        p = fma(p, square, -0x1.b83c5ap-5f);
        p = fma(p, square, 0x1.110726p-3f);
        p = fma(p, square, -0x1.555532p-2f);
        const F near = L::fma(L::mul(magnitude_x, square), p, magnitude_x);
        const F e = exp(times(2.0f, magnitude_x));
        const F far = L::sub(L::set(1.0f), L::div(L::set(2.0f), L::add(e, L::set(1.0f))));
        return copysign(L::select(L::less(magnitude_x, L::set(0.625f)), near, far), x);
    }

    /// x ≥ 0
    GODWIT_INLINE F log1p(F x) {
        const F u = L::add(L::set(1.0f), x);
        return L::add(log(u), L::div(L::sub(x, L::sub(u, L::set(1.0f))), u));
    }

    GODWIT_INLINE F erf(F x) {
        const F magnitude_x = magnitude(x);
        const F square = L::mul(x, x);
        F p = L::set(-0x1.453ad6p-11f);
        p = fma(p, square, 0x1.49ca0ap-8f);
        p = fma(p, square, -0x1.b6f38cp-6f);
        p = fma(p, square, 0x1.ce211ep-4f);
        p = fma(p, square, -0x1.81270cp-2f);
        p = fma(p, square, 0x1.06eba6p-3f);
        const F near = L::fma(x, p, x);
        const F t = L::select(L::less(L::set(4.0f), magnitude_x), L::set(4.0f), magnitude_x);
        F q = L::set(0x1.2b2076p-17f);
        q = fma(q, t, -0x1.3a80dep-12f);
        q = fma(q, t, 0x1.d16a90p-9f);
        q = fma(q, t, -0x1.823184p-6f);
        q = fma(q, t, 0x1.b24140p-4f);
        q = fma(q, t, 0x1.45437ep-1f);
        q = fma(q, t, 0x1.20ed10p+0f);
        const F far = L::sub(L::set(1.0f), exp(L::mul(negative(t), q)));
        return L::select(L::less(magnitude_x, L::set(0.875f)), near, copysign(far, x));
    }

    /// 1 + e^(−x), which σ and its kin divide by.
    GODWIT_INLINE F logistic_divisor(F x) { return L::add(L::set(1.0f), exp(negative(x))); }

    GODWIT_INLINE F gelu_tanh(F x) {
        const F u = L::mul(times(0x1.988454p-1f, x), fma(times(0.044715f, x), x, 1.0f));
        return L::div(x, logistic_divisor(times(2.0f, u)));
    }
    GODWIT_INLINE F gelu_erf(F x) {
        return L::mul(times(0.5f, x), L::add(L::set(1.0f), erf(times(0x1.6a09e6p-1f, x))));
    }
    GODWIT_INLINE F softplus(F x) {
        const F positive = L::select(L::less(L::zero(), x), x, L::zero());
        return L::add(positive, log1p(exp(negative(magnitude(x)))));
    }

    template <Activation activation>
    GODWIT_INLINE F activate(F x) {
        if constexpr (activation == Activation::None) return x;
        if constexpr (activation == Activation::Silu) return L::div(x, logistic_divisor(x));
        if constexpr (activation == Activation::GeluTanh) return gelu_tanh(x);
        if constexpr (activation == Activation::GeluErf) return gelu_erf(x);
        if constexpr (activation == Activation::Relu) return L::select(L::less(x, L::zero()), L::zero(), x);
        if constexpr (activation == Activation::ReluSquared)
            return L::select(L::less(x, L::zero()), L::zero(), L::mul(x, x));
        if constexpr (activation == Activation::Sigmoid) return L::div(L::set(1.0f), logistic_divisor(x));
        if constexpr (activation == Activation::Tanh) return tanh(x);
        if constexpr (activation == Activation::Softplus) return softplus(x);
    }
};

/// body.operator()<activation>(), for an activation known only now: loops are compiled once for each.
template <class Body>
GODWIT_INLINE void with_activation(Activation activation, const Body& body) {
    switch (activation) {
        case Activation::None:
            return body.template operator()<Activation::None>();
        case Activation::Silu:
            return body.template operator()<Activation::Silu>();
        case Activation::GeluTanh:
            return body.template operator()<Activation::GeluTanh>();
        case Activation::GeluErf:
            return body.template operator()<Activation::GeluErf>();
        case Activation::Relu:
            return body.template operator()<Activation::Relu>();
        case Activation::ReluSquared:
            return body.template operator()<Activation::ReluSquared>();
        case Activation::Sigmoid:
            return body.template operator()<Activation::Sigmoid>();
        case Activation::Tanh:
            return body.template operator()<Activation::Tanh>();
        case Activation::Softplus:
            return body.template operator()<Activation::Softplus>();
    }
}

}  // namespace
}  // namespace godwit::cpu
