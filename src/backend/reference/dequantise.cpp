#include "backend/reference/dequantise.hpp"

#include <cstring>

#include "base/check.hpp"
#include "base/half.hpp"
#include "tensor/blocks.hpp"

namespace godwit {
namespace {

// One function a type writes one block. Weight j of a type of 32 is in the lower nibble of byte j, weight j + 16 in
// the upper one.

void dequantise(const BlockQ4_0& block, float* out) {
    const float d = f16_to_f32(block.d);
    for (int j = 0; j < 16; ++j) {
        out[j] = d * static_cast<float>((block.qs[j] & 15) - 8);
        out[j + 16] = d * static_cast<float>((block.qs[j] >> 4) - 8);
    }
}

void dequantise(const BlockQ4_1& block, float* out) {
    const float d = f16_to_f32(block.d);
    const float m = f16_to_f32(block.m);
    for (int j = 0; j < 16; ++j) {
        out[j] = d * static_cast<float>(block.qs[j] & 15) + m;
        out[j + 16] = d * static_cast<float>(block.qs[j] >> 4) + m;
    }
}

void dequantise(const BlockQ5_0& block, float* out) {
    const float d = f16_to_f32(block.d);
    const uint32_t high = block.qh;
    for (int j = 0; j < 16; ++j) {
        const uint32_t bits = high >> j;
        out[j] = d * static_cast<float>(static_cast<int>((block.qs[j] & 15u) | ((bits & 1) << 4)) - 16);
        out[j + 16] = d * static_cast<float>(static_cast<int>((block.qs[j] >> 4) | ((bits >> 16 & 1) << 4)) - 16);
    }
}

void dequantise(const BlockQ5_1& block, float* out) {
    const float d = f16_to_f32(block.d);
    const float m = f16_to_f32(block.m);
    const uint32_t high = block.qh;
    for (int j = 0; j < 16; ++j) {
        const uint32_t bits = high >> j;
        out[j] = d * static_cast<float>(static_cast<int>((block.qs[j] & 15u) | ((bits & 1) << 4))) + m;
        out[j + 16] = d * static_cast<float>(static_cast<int>((block.qs[j] >> 4) | ((bits >> 16 & 1) << 4))) + m;
    }
}

void dequantise(const BlockQ8_0& block, float* out) {
    const float d = f16_to_f32(block.d);
    for (int j = 0; j < 32; ++j) out[j] = d * static_cast<float>(block.qs[j]);
}

// Q2_K and Q3_K: each 32 bytes hold 128 weights, 2 bits at a time: weights 0-31 in bits 0-1, 32-63 in bits 2-3, …

void dequantise(const BlockQ2_K& block, float* out) {
    const float d = f16_to_f32(block.d);
    const float dmin = f16_to_f32(block.dmin);
    for (int sub = 0; sub < 16; ++sub) {
        const float scale = d * static_cast<float>(block.scales[sub] & 15);
        const float minimum = dmin * static_cast<float>(block.scales[sub] >> 4);
        const uint8_t* qs = block.qs + sub / 8 * 32 + sub % 2 * 16;
        const int shift = sub / 2 % 4 * 2;
        for (int j = 0; j < 16; ++j) out[sub * 16 + j] = scale * static_cast<float>(qs[j] >> shift & 3) - minimum;
    }
}

/// The scale of a sub-block of 16: 4 bits of bytes 0-7 (upper nibbles for sub-blocks 8-15), 2 bits of bytes 8-11.
int scale_q3_k(const uint8_t* scales, int sub) {
    const int low = sub < 8 ? scales[sub] & 15 : scales[sub - 8] >> 4;
    const int high = scales[8 + sub % 4] >> (sub / 4 * 2) & 3;
    return (low | high << 4) - 32;
}

void dequantise(const BlockQ3_K& block, float* out) {
    const float d = f16_to_f32(block.d);
    for (int sub = 0; sub < 16; ++sub) {
        const float scale = d * static_cast<float>(scale_q3_k(block.scales, sub));
        const uint8_t* qs = block.qs + sub / 8 * 32 + sub % 2 * 16;
        const uint8_t* high = block.hmask + sub % 2 * 16;
        const int shift = sub / 2 % 4 * 2;
        const int high_shift = sub / 2;
        for (int j = 0; j < 16; ++j) {
            const int q = (qs[j] >> shift & 3) | (high[j] >> high_shift & 1) << 2;
            out[sub * 16 + j] = scale * static_cast<float>(q - 4);
        }
    }
}

/// Scale and minimum of a sub-block of 32 in Q4_K and Q5_K: sub-blocks 0-3 whole in bytes 0-3 and 4-7; sub-blocks 4-7
/// have their lower 4 bits in bytes 8-11, the upper 2 in the top of bytes 0-7.
struct ScaleMin {
    int scale, minimum;
};
ScaleMin scale_min_k4(const uint8_t* scales, int sub) {
    if (sub < 4) return {scales[sub] & 63, scales[sub + 4] & 63};
    return {(scales[sub + 4] & 15) | (scales[sub - 4] >> 6) << 4, (scales[sub + 4] >> 4) | (scales[sub] >> 6) << 4};
}

// Q4_K and Q5_K: each 32 bytes hold 64 weights: 32 in the lower nibbles, then 32 in the upper ones.

void dequantise(const BlockQ4_K& block, float* out) {
    const float d = f16_to_f32(block.d);
    const float dmin = f16_to_f32(block.dmin);
    for (int sub = 0; sub < 8; ++sub) {
        const ScaleMin packed = scale_min_k4(block.scales, sub);
        const float scale = d * static_cast<float>(packed.scale);
        const float minimum = dmin * static_cast<float>(packed.minimum);
        const uint8_t* qs = block.qs + sub / 2 * 32;
        const int shift = sub % 2 * 4;
        for (int j = 0; j < 32; ++j) out[sub * 32 + j] = scale * static_cast<float>(qs[j] >> shift & 15) - minimum;
    }
}

void dequantise(const BlockQ5_K& block, float* out) {
    const float d = f16_to_f32(block.d);
    const float dmin = f16_to_f32(block.dmin);
    for (int sub = 0; sub < 8; ++sub) {
        const ScaleMin packed = scale_min_k4(block.scales, sub);
        const float scale = d * static_cast<float>(packed.scale);
        const float minimum = dmin * static_cast<float>(packed.minimum);
        const uint8_t* qs = block.qs + sub / 2 * 32;
        const int shift = sub % 2 * 4;
        for (int j = 0; j < 32; ++j) {
            const int q = (qs[j] >> shift & 15) | (block.qh[j] >> sub & 1) << 4;
            out[sub * 32 + j] = scale * static_cast<float>(q) - minimum;
        }
    }
}

// Q6_K: 64 bytes of ql and 32 of qh hold 128 weights: ql 64 in the lower nibbles, then 64 in the upper ones;
// qh 2 bits at a time as in Q2_K.
void dequantise(const BlockQ6_K& block, float* out) {
    const float d = f16_to_f32(block.d);
    for (int sub = 0; sub < 16; ++sub) {
        const float scale = d * static_cast<float>(block.scales[sub]);
        const uint8_t* ql = block.ql + sub / 8 * 64 + sub % 4 * 16;
        const uint8_t* qh = block.qh + sub / 8 * 32 + sub % 2 * 16;
        const int low_shift = sub / 4 % 2 * 4;
        const int high_shift = sub / 2 % 4 * 2;
        for (int j = 0; j < 16; ++j) {
            const int q = (ql[j] >> low_shift & 15) | (qh[j] >> high_shift & 3) << 4;
            out[sub * 16 + j] = scale * static_cast<float>(q - 32);
        }
    }
}

template <DType dtype, class Block>
void dequantise_blocks(const std::byte* row, float* out, int64_t elements) {
    constexpr int64_t kElements = dtype_info(dtype).block_elements;
    CHECK(elements % kElements == 0);
    const auto* blocks = reinterpret_cast<const Block*>(row);
    for (int64_t i = 0; i < elements / kElements; ++i) dequantise(blocks[i], out + i * kElements);
}

template <float convert(uint16_t)>
void convert_row(const std::byte* row, float* out, int64_t elements) {
    for (int64_t i = 0; i < elements; ++i) {
        uint16_t bits;
        std::memcpy(&bits, row + 2 * i, sizeof bits);
        out[i] = convert(bits);
    }
}

void copy_row(const std::byte* row, float* out, int64_t elements) {
    std::memcpy(out, row, static_cast<size_t>(elements) * sizeof(float));
}

using RowFunction = void (*)(const std::byte* row, float* out, int64_t elements);

/// Null where there is none.
RowFunction row_function(DType dtype) {
    switch (dtype) {
        case DType::F32:
            return copy_row;
        case DType::F16:
            return convert_row<f16_to_f32>;
        case DType::BF16:
            return convert_row<bf16_to_f32>;
        case DType::Q4_0:
            return dequantise_blocks<DType::Q4_0, BlockQ4_0>;
        case DType::Q4_1:
            return dequantise_blocks<DType::Q4_1, BlockQ4_1>;
        case DType::Q5_0:
            return dequantise_blocks<DType::Q5_0, BlockQ5_0>;
        case DType::Q5_1:
            return dequantise_blocks<DType::Q5_1, BlockQ5_1>;
        case DType::Q8_0:
            return dequantise_blocks<DType::Q8_0, BlockQ8_0>;
        case DType::Q2_K:
            return dequantise_blocks<DType::Q2_K, BlockQ2_K>;
        case DType::Q3_K:
            return dequantise_blocks<DType::Q3_K, BlockQ3_K>;
        case DType::Q4_K:
            return dequantise_blocks<DType::Q4_K, BlockQ4_K>;
        case DType::Q5_K:
            return dequantise_blocks<DType::Q5_K, BlockQ5_K>;
        case DType::Q6_K:
            return dequantise_blocks<DType::Q6_K, BlockQ6_K>;
        default:
            return nullptr;
    }
}

}  // namespace

bool can_dequantise(DType dtype) { return row_function(dtype) != nullptr; }

void dequantise_row(DType dtype, const std::byte* row, float* out, int64_t elements) {
    const RowFunction function = row_function(dtype);
    CHECK(function != nullptr);
    function(row, out, elements);
}

}  // namespace godwit
