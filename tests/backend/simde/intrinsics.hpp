// x86 intrinsics for machines that lack them: SIMDe's, and our own where Debian 12's SIMDe has none or other bits than
// the instruction. Included before a file of src/backend/cpu/isa, in place of <immintrin.h>. Bits are judged here,
// never speed.
#pragma once

#define GODWIT_SIMDE
#define SIMDE_ENABLE_NATIVE_ALIASES
#if defined(__x86_64__)
#include <emmintrin.h>
#endif
#define __m128bh simde_alias_m128bh  // clang's SSE2 header has the name already
#include <simde/x86/avx2.h>
#include <simde/x86/avx512.h>
#include <simde/x86/f16c.h>
#include <simde/x86/fma.h>
#undef __m128bh

#include <cstdint>
#include <type_traits>

#include "base/half.hpp"

#if !defined(_CMP_LT_OQ)
#define _CMP_LT_OQ SIMDE_CMP_LT_OQ
#endif
using __mmask16 = simde__mmask16;

namespace godwit::cpu {
namespace {

/// out[i] = element(i) in every lane.
template <class Vector, class Element>
Vector each_lane(Element element) {
    Vector out;
    using Lane = std::remove_cvref_t<decltype(out[0])>;
    for (size_t i = 0; i < sizeof(Vector) / sizeof(Lane); ++i) out[i] = static_cast<Lane>(element(i));
    return out;
}

/// The same of vectors of integers, whose SIMDe type has 64-bit lanes: their bytes as numbers of another width.
template <class Number, class Vector>
struct Numbers {
    Number at[sizeof(Vector) / sizeof(Number)];
};
template <class Number, class Vector>
Numbers<Number, Vector> numbers(Vector vector) {
    return std::bit_cast<Numbers<Number, Vector>>(vector);
}
template <class Vector, class Number, class Element>
Vector from_numbers(Element element) {
    Numbers<Number, Vector> out;
    for (size_t i = 0; i < sizeof(Vector) / sizeof(Number); ++i) out.at[i] = static_cast<Number>(element(i));
    return std::bit_cast<Vector>(out);
}

// SIMDe multiplies, rounds, and adds.
template <class Vector>
Vector fused_multiply_add(Vector a, Vector b, Vector c) {
    return each_lane<Vector>([&](size_t i) { return __builtin_fmaf(a[i], b[i], c[i]); });
}
#undef _mm256_fmadd_ps
#undef _mm512_fmadd_ps
#define _mm256_fmadd_ps(a, b, c) fused_multiply_add(a, b, c)
#define _mm512_fmadd_ps(a, b, c) fused_multiply_add(a, b, c)

// SIMDe's NaN has other bits.
template <class Halves, class Floats>
Halves to_half(Floats floats) {
    return from_numbers<Halves, uint16_t>([&](size_t i) { return f32_to_f16(floats[i]); });
}
#undef _mm256_cvtps_ph
#define _mm256_cvtps_ph(a, rounding) to_half<__m128i>(a)
#define _mm512_cvtps_ph(a, rounding) to_half<__m256i>(a)

// SIMDe's is right, and clang needs minutes for it.
template <class Floats, class Halves>
Floats from_half(Halves halves) {
    return each_lane<Floats>([&](size_t i) { return f16_to_f32(numbers<uint16_t>(halves).at[i]); });
}
#undef _mm256_cvtph_ps
#define _mm256_cvtph_ps(a) from_half<__m256>(a)
#define _mm512_cvtph_ps(a) from_half<__m512>(a)

// What SIMDe lacks.
inline __m512i _mm512_cvtps_epi32(__m512 a) {
    return from_numbers<__m512i, int32_t>([&](size_t i) {
        const float x = a[i];
        return -0x1p31f <= x && x < 0x1p31f ? __builtin_lrintf(x) : INT32_MIN;
    });
}
inline __m512 _mm512_cvtepi32_ps(__m512i a) {
    return each_lane<__m512>([&](size_t i) { return numbers<int32_t>(a).at[i]; });
}
inline __m512i _mm512_cvtepu16_epi32(__m256i a) {
    return from_numbers<__m512i, int32_t>([&](size_t i) { return numbers<uint16_t>(a).at[i]; });
}
inline __m128i _mm512_cvtepi32_epi8(__m512i a) {
    return from_numbers<__m128i, int8_t>([&](size_t i) { return numbers<int32_t>(a).at[i]; });
}
inline __m512i _mm512_srai_epi32(__m512i a, unsigned count) {
    return from_numbers<__m512i, int32_t>(
        [&](size_t i) { return numbers<int32_t>(a).at[i] >> (count > 31 ? 31 : count); });
}
inline int32_t _mm512_reduce_add_epi32(__m512i a) {
    uint32_t sum = 0;
    for (int32_t lane : numbers<int32_t>(a).at) sum += static_cast<uint32_t>(lane);
    return static_cast<int32_t>(sum);
}
inline int32_t _mm512_reduce_max_epi32(__m512i a) {
    int32_t greatest = INT32_MIN;
    for (int32_t lane : numbers<int32_t>(a).at) greatest = lane > greatest ? lane : greatest;
    return greatest;
}
inline __m512 _mm512_maskz_loadu_ps(__mmask16 mask, const void* p) {
    return each_lane<__m512>([&](size_t i) { return mask >> i & 1 ? static_cast<const float*>(p)[i] : 0.0f; });
}
inline void _mm512_mask_storeu_ps(void* p, __mmask16 mask, __m512 a) {
    for (size_t i = 0; i < 16; ++i)
        if (mask >> i & 1) static_cast<float*>(p)[i] = a[i];
}

}  // namespace
}  // namespace godwit::cpu
