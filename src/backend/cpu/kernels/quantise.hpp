// Activations to 8 bits (docs/numerics.md): reference/quantise.cpp over lanes.
#pragma once

#include "backend/activation_blocks.hpp"
#include "backend/cpu/kernels/unroll.hpp"

namespace godwit::cpu {
namespace {

template <class L>
struct Quantise {
    using F = typename L::F;
    using I = typename L::I;

    struct Scales {
        float d, inverse;
    };

    /// From the greatest magnitude's bits: nothing counts as zero below 2^-100, and what is not finite makes NaN of the
    /// block.
    GODWIT_INLINE Scales scales(int32_t bits) {
        if (bits >= 0x7f800000) return {__builtin_bit_cast(float, 0x7fc00000), 0.0f};
        const float greatest = __builtin_bit_cast(float, bits);
        if (greatest < 0x1p-100f) return {0.0f, 0.0f};
        return {greatest / 127.0f, 127.0f / greatest};
    }

    GODWIT_INLINE I magnitudes(const float* in, int count) {
        const I mask = L::set_int(0x7fffffff);
        I greatest = L::set_int(0);
        for (int i = 0; i < count; i += L::kLanes)
            greatest = L::max_int(greatest, L::and_int(L::bits(L::load(in + i)), mask));
        return greatest;
    }

    /// 16 elements to q; returns Σq.
    GODWIT_INLINE int32_t sixteen(const float* in, float inverse, int8_t* q) {
        I sum = L::set_int(0);
        GODWIT_UNROLL
        for (int i = 0; i < 16; i += L::kLanes) {
            const I rounded = L::to_int(L::mul(L::load(in + i), L::set(inverse)));
            sum = L::add_int(sum, rounded);
            L::store_int8(q + i, rounded);
        }
        return L::total(sum);
    }

    /// inf × 0 is NaN and has no integer: such a block is all zeros.
    static bool zero_block(float inverse, int8_t* q, int count) {
        if (inverse != 0.0f) return false;
        __builtin_memset(q, 0, static_cast<size_t>(count));
        return true;
    }
};

template <class L>
void quantise32(const float* in, int64_t blocks, Block32* out, int64_t stride) {
    using Q = Quantise<L>;
    for (int64_t b = 0; b < blocks; ++b, in += 32, out += stride) {
        const auto scale = Q::scales(L::greatest(Q::magnitudes(in, 32)));
        int32_t sum = 0;
        if (!Q::zero_block(scale.inverse, out->q, 32))
            sum = Q::sixteen(in, scale.inverse, out->q) + Q::sixteen(in + 16, scale.inverse, out->q + 16);
        out->d = scale.d;
        out->d_sum = scale.d * static_cast<float>(sum);
        out->offset = -8 * sum;
    }
}

/// The place of sum i among the pairs 0 2, 1 3, 4 6, 5 7, …
GODWIT_INLINE int paired(int i) { return i / 4 * 4 + i % 2 * 2 + i / 2 % 2; }

template <class L>
void quantise256(const float* in, int64_t blocks, Block256* out, int64_t stride) {
    using Q = Quantise<L>;
    for (int64_t b = 0; b < blocks; ++b, in += 256, out += stride) {
        const auto scale = Q::scales(L::greatest(Q::magnitudes(in, 256)));
        out->d = scale.d;
        int32_t sums[16] = {};
        if (!Q::zero_block(scale.inverse, out->q, 256))
            for (int i = 0; i < 16; ++i) sums[i] = Q::sixteen(in + 16 * i, scale.inverse, out->q + 16 * i);
        for (int i = 0; i < 16; ++i) out->sums16[paired(i)] = static_cast<int16_t>(sums[i]);
        for (int i = 0; i < 8; ++i) out->sums32[paired(i)] = static_cast<int16_t>(sums[2 * i] + sums[2 * i + 1]);
    }
}

}  // namespace
}  // namespace godwit::cpu
