// IEEE 754 binary16 and bfloat16 to and from float, rounding to nearest even; subnormals, infinities and NaNs included.
// Bit code without branches: the baseline of x86-64 has no instruction for these (its _Float16 is a library call),
// and loops over these functions vectorise.
#pragma once

#include <bit>
#include <cstdint>

namespace godwit {

/// Exact. The sign and the payload of a NaN are kept.
inline float f16_to_f32(uint16_t half) {
    const uint32_t sign = (half & 0x8000u) << 16;
    const uint32_t magnitude = (half & 0x7fffu) << 13;  // the fields of a float, exponent still biased by 15
    const uint32_t normal = magnitude + ((127 - 15) << 23) + (magnitude >= 0x0f800000u ? (127 - 15) << 23 : 0);
    // Subnormal: 2^-14 (1 + mantissa) - 2^-14; never a subnormal float, which some CPUs are slow at.
    const auto subnormal = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude + (113u << 23)) - 0x1p-14f);
    const uint32_t is_subnormal = 0u - (magnitude < 0x00800000u);  // a mask: a choice of floats would be a branch
    return std::bit_cast<float>((subnormal & is_subnormal) | (normal & ~is_subnormal) | sign);
}

/// Nearest, ties to even; from 65520 on infinity. NaNs become quiet.
inline uint16_t f32_to_f16(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const uint32_t magnitude = bits & 0x7fffffffu;
    const uint32_t special = magnitude > 0x7f800000u ? 0x7e00u | ((magnitude >> 13) & 0x1ffu) : 0x7c00u;
    const uint32_t odd = (magnitude >> 13) & 1u;
    const uint32_t normal = (magnitude - ((127 - 15) << 23) + 0xfffu + odd) >> 13;  // the carry may reach infinity
    // Below 2^-14 the sum with 0.5 rounds to the step of a subnormal half, 2^-24.
    const uint32_t subnormal = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
    const uint32_t finite = magnitude < 0x38800000u ? subnormal : normal;
    return static_cast<uint16_t>((magnitude >= 0x47800000u ? special : finite) | ((bits >> 16) & 0x8000u));
}

/// Exact.
inline float bf16_to_f32(uint16_t value) { return std::bit_cast<float>(static_cast<uint32_t>(value) << 16); }

/// Nearest, ties to even. NaNs become quiet.
inline uint16_t f32_to_bf16(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    return static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? (bits >> 16) | 0x40u : rounded);
}

}  // namespace godwit
