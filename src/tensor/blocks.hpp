// The blocks of the quantised types as they lie in a GGUF file: little-endian, packed, without padding.
// Source: the GGUF specification (ggml's block types). Fields of two bytes are binary16 bits (base/half.hpp).
// What the bits mean is told where they are read: backend/reference/dequantise.cpp.
#pragma once

#include <bit>
#include <cstdint>

#include "tensor/dtype.hpp"

namespace godwit {

static_assert(std::endian::native == std::endian::little, "blocks are read in place");

#pragma pack(push, 1)

// Types of 32 weights.
struct BlockQ4_0 {
    uint16_t d;      // scale
    uint8_t qs[16];  // 4 bits a weight
};
struct BlockQ4_1 {
    uint16_t d;  // scale
    uint16_t m;  // minimum
    uint8_t qs[16];
};
struct BlockQ5_0 {
    uint16_t d;
    uint32_t qh;     // bit j: fifth bit of weight j
    uint8_t qs[16];  // lower 4 bits
};
struct BlockQ5_1 {
    uint16_t d;
    uint16_t m;
    uint32_t qh;
    uint8_t qs[16];
};
struct BlockQ8_0 {
    uint16_t d;
    int8_t qs[32];
};

// K types: super-blocks of 256 weights in 16 sub-blocks of 16 or 8 sub-blocks of 32, each with its own scale.
struct BlockQ2_K {
    uint8_t scales[16];  // a sub-block of 16: scale in the lower, minimum in the upper 4 bits
    uint8_t qs[64];      // 2 bits a weight
    uint16_t d;          // scale of the scales
    uint16_t dmin;       // scale of the minimums
};
struct BlockQ3_K {
    uint8_t hmask[32];   // third bits
    uint8_t qs[64];      // lower 2 bits
    uint8_t scales[12];  // 16 scales of 6 bits
    uint16_t d;
};
struct BlockQ4_K {
    uint16_t d;
    uint16_t dmin;
    uint8_t scales[12];  // 8 scales and 8 minimums of 6 bits
    uint8_t qs[128];
};
struct BlockQ5_K {
    uint16_t d;
    uint16_t dmin;
    uint8_t scales[12];  // as in Q4_K
    uint8_t qh[32];      // fifth bits
    uint8_t qs[128];     // lower 4 bits
};
struct BlockQ6_K {
    uint8_t ql[128];    // lower 4 bits
    uint8_t qh[64];     // upper 2 bits
    int8_t scales[16];  // a sub-block of 16
    uint16_t d;
};

#pragma pack(pop)

template <class Block>
constexpr bool block_fits(DType dtype) {
    return sizeof(Block) == dtype_info(dtype).block_bytes && alignof(Block) == 1;
}
static_assert(block_fits<BlockQ4_0>(DType::Q4_0) && block_fits<BlockQ4_1>(DType::Q4_1));
static_assert(block_fits<BlockQ5_0>(DType::Q5_0) && block_fits<BlockQ5_1>(DType::Q5_1));
static_assert(block_fits<BlockQ8_0>(DType::Q8_0));
static_assert(block_fits<BlockQ2_K>(DType::Q2_K) && block_fits<BlockQ3_K>(DType::Q3_K));
static_assert(block_fits<BlockQ4_K>(DType::Q4_K) && block_fits<BlockQ5_K>(DType::Q5_K));
static_assert(block_fits<BlockQ6_K>(DType::Q6_K));

}  // namespace godwit
