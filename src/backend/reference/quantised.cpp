#include "backend/reference/quantised.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "base/check.hpp"
#include "base/half.hpp"
#include "tensor/blocks.hpp"

namespace godwit::reference {
namespace {

/// Scale of a block, and what its elements are multiplied with.
struct Scale {
    float d, inverse;
};

/// Below 2^-100 all counts as zero; what is not finite makes NaN of the block.
Scale scale_of(const float* in, int count) {
    uint32_t greatest = 0;  // magnitudes compare like their bits, NaN above all
    for (int i = 0; i < count; ++i) {
        const uint32_t magnitude = std::bit_cast<uint32_t>(in[i]) & 0x7fffffffu;
        if (magnitude > greatest) greatest = magnitude;
    }
    if (greatest >= 0x7f800000u) return {std::numeric_limits<float>::quiet_NaN(), 0.0f};
    const float value = std::bit_cast<float>(greatest);
    if (value < 0x1p-100f) return {0.0f, 0.0f};
    return {value / 127.0f, 127.0f / value};
}

/// To nearest, ties to even: adding 1.5 · 2^23 leaves no fraction. Within ±127, since inverse is 127 / the greatest.
void round_elements(const float* in, int count, float inverse, int8_t* q) {
    for (int i = 0; i < count; ++i) {
        const float rounded = inverse == 0.0f ? 0.0f : in[i] * inverse + 0x1.8p23f - 0x1.8p23f;
        q[i] = static_cast<int8_t>(rounded);
    }
}

int sum_of(const int8_t* q, int count) {
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += q[i];
    return sum;
}

/// Place of sum i: pairs 0 2, 1 3, 4 6, 5 7, …
int paired(int i) { return i / 4 * 4 + i % 2 * 2 + i / 2 % 2; }

// One function a type: y plus one block's share. Weight j of a type of 32 is in the lower nibble of byte j, weight j +
// 16 in the upper one.

float step(const BlockQ4_0& w, const Block32& x, float y) {
    int sum = 0;
    for (int j = 0; j < 16; ++j) sum += ((w.qs[j] & 15) - 8) * x.q[j] + ((w.qs[j] >> 4) - 8) * x.q[j + 16];
    return std::fma(static_cast<float>(sum), f16_to_f32(w.d) * x.d, y);
}

float step(const BlockQ4_1& w, const Block32& x, float y) {
    int sum = 0;
    for (int j = 0; j < 16; ++j) sum += (w.qs[j] & 15) * x.q[j] + (w.qs[j] >> 4) * x.q[j + 16];
    y = std::fma(static_cast<float>(sum), f16_to_f32(w.d) * x.d, y);
    return std::fma(f16_to_f32(w.m), x.d_sum, y);
}

int fifth_bit(uint32_t bits, int j) { return static_cast<int>(bits >> j & 1) << 4; }

template <class Block>
int sum_five_bits(const Block& w, const Block32& x, int zero) {
    int sum = 0;
    for (int j = 0; j < 16; ++j) {
        const int low = (w.qs[j] & 15) | fifth_bit(w.qh, j), high = (w.qs[j] >> 4) | fifth_bit(w.qh, j + 16);
        sum += (low - zero) * x.q[j] + (high - zero) * x.q[j + 16];
    }
    return sum;
}

float step(const BlockQ5_0& w, const Block32& x, float y) {
    return std::fma(static_cast<float>(sum_five_bits(w, x, 16)), f16_to_f32(w.d) * x.d, y);
}

float step(const BlockQ5_1& w, const Block32& x, float y) {
    y = std::fma(static_cast<float>(sum_five_bits(w, x, 0)), f16_to_f32(w.d) * x.d, y);
    return std::fma(f16_to_f32(w.m), x.d_sum, y);
}

float step(const BlockQ8_0& w, const Block32& x, float y) {
    int sum = 0;
    for (int j = 0; j < 32; ++j) sum += w.qs[j] * x.q[j];
    return std::fma(static_cast<float>(sum), f16_to_f32(w.d) * x.d, y);
}

/// Scale and minimum of a sub of 32 (as in dequantise.cpp).
struct ScaleMin {
    int scale, minimum;
};
ScaleMin scale_min(const uint8_t* s, int sub) {
    if (sub < 4) return {s[sub] & 63, s[sub + 4] & 63};
    return {(s[sub + 4] & 15) | (s[sub - 4] >> 6) << 4, (s[sub + 4] >> 4) | (s[sub] >> 6) << 4};
}

/// Q4_K and Q5_K: the sums of all subs, each times its integer scale, before anything is rounded.
template <class Block, class Weight>
float step_k4(const Block& w, const Block256& x, float y, Weight weight) {
    int sum = 0, minima = 0;
    for (int sub = 0; sub < 8; ++sub) {
        const ScaleMin packed = scale_min(w.scales, sub);
        int products = 0;
        for (int j = 0; j < 32; ++j) products += weight(sub, j) * x.q[sub * 32 + j];
        sum += packed.scale * products;
        minima += packed.minimum * x.sums32[paired(sub)];
    }
    y = std::fma(static_cast<float>(sum), f16_to_f32(w.d) * x.d, y);
    return std::fma(static_cast<float>(minima), f16_to_f32(w.dmin) * -x.d, y);
}

float step(const BlockQ4_K& w, const Block256& x, float y) {
    return step_k4(w, x, y, [&w](int sub, int j) { return w.qs[sub / 2 * 32 + j] >> (sub % 2 * 4) & 15; });
}

float step(const BlockQ5_K& w, const Block256& x, float y) {
    return step_k4(w, x, y, [&w](int sub, int j) {
        return (w.qs[sub / 2 * 32 + j] >> (sub % 2 * 4) & 15) | (w.qh[j] >> sub & 1) << 4;
    });
}

float step(const BlockQ6_K& w, const Block256& x, float y) {
    int sum = 0;
    for (int sub = 0; sub < 16; ++sub) {
        const uint8_t* ql = w.ql + sub / 8 * 64 + sub % 4 * 16;
        const uint8_t* qh = w.qh + sub / 8 * 32 + sub % 2 * 16;
        int products = 0;
        for (int j = 0; j < 16; ++j) {
            const int q = (ql[j] >> (sub / 4 % 2 * 4) & 15) | (qh[j] >> (sub / 2 % 4 * 2) & 3) << 4;
            products += (q - 32) * x.q[sub * 16 + j];
        }
        sum += w.scales[sub] * products;
    }
    return std::fma(static_cast<float>(sum), f16_to_f32(w.d) * x.d, y);
}

template <class Block, class X>
float dot_blocks(const std::byte* weights, const std::vector<X>& x) {
    const auto* blocks = reinterpret_cast<const Block*>(weights);
    float y = 0;
    for (size_t b = 0; b < x.size(); ++b) y = step(blocks[b], x[b], y);
    return y;
}

}  // namespace

void quantise(const float* in, int64_t blocks, Block32* out) {
    for (; blocks > 0; --blocks, in += 32, ++out) {
        const Scale scale = scale_of(in, 32);
        round_elements(in, 32, scale.inverse, out->q);
        const int sum = sum_of(out->q, 32);
        out->d = scale.d;
        out->d_sum = scale.d * static_cast<float>(sum);
        out->offset = -8 * sum;
    }
}

void quantise(const float* in, int64_t blocks, Block256* out) {
    for (; blocks > 0; --blocks, in += 256, ++out) {
        const Scale scale = scale_of(in, 256);
        round_elements(in, 256, scale.inverse, out->q);
        out->d = scale.d;
        for (int i = 0; i < 16; ++i) out->sums16[paired(i)] = static_cast<int16_t>(sum_of(out->q + 16 * i, 16));
        for (int i = 0; i < 8; ++i) out->sums32[paired(i)] = static_cast<int16_t>(sum_of(out->q + 32 * i, 32));
    }
}

bool has_quantised_product(DType dtype) {
    switch (dtype) {
        case DType::Q4_0:
        case DType::Q4_1:
        case DType::Q5_0:
        case DType::Q5_1:
        case DType::Q8_0:
        case DType::Q4_K:
        case DType::Q5_K:
        case DType::Q6_K:
            return true;
        default:
            return false;
    }
}

QuantisedRow::QuantisedRow(DType dtype, const float* in, int64_t elements) {
    CHECK(has_quantised_product(dtype));
    if (dtype_info(dtype).block_elements == 32) {
        blocks32_.resize(elements / 32);
        quantise(in, elements / 32, blocks32_.data());
    } else {
        blocks256_.resize(elements / 256);
        quantise(in, elements / 256, blocks256_.data());
    }
}

float QuantisedRow::dot(DType dtype, const std::byte* weights) const {
    switch (dtype) {
        case DType::Q4_0:
            return dot_blocks<BlockQ4_0>(weights, blocks32_);
        case DType::Q4_1:
            return dot_blocks<BlockQ4_1>(weights, blocks32_);
        case DType::Q5_0:
            return dot_blocks<BlockQ5_0>(weights, blocks32_);
        case DType::Q5_1:
            return dot_blocks<BlockQ5_1>(weights, blocks32_);
        case DType::Q8_0:
            return dot_blocks<BlockQ8_0>(weights, blocks32_);
        case DType::Q4_K:
            return dot_blocks<BlockQ4_K>(weights, blocks256_);
        case DType::Q5_K:
            return dot_blocks<BlockQ5_K>(weights, blocks256_);
        case DType::Q6_K:
            return dot_blocks<BlockQ6_K>(weights, blocks256_);
        default:
            CHECK(false);
            return 0;
    }
}

}  // namespace godwit::reference
