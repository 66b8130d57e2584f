// The lanes of AVX-512 (F, BW, DQ, VL, VNNI): 16 at once. See isa/scalar.hpp for what each function means.
#pragma once

#include <cstdint>

#include "backend/cpu/isa/intrinsics.hpp"

// clang-format off: one operation a line

namespace godwit::cpu {
namespace {

struct Avx512 {
    static constexpr int kLanes = 16;
    static constexpr int kTile = 8;
    static constexpr bool kSigned = false;

    using F = __m512;
    using I = __m512i;
    using Bytes = __m512i;
    using Sum = __m512i;
    using Scale = __m512i;
    using Mask = __mmask16;

    // Floats
    GODWIT_INLINE F zero() { return _mm512_setzero_ps(); }
    GODWIT_INLINE F set(float x) { return _mm512_set1_ps(x); }
    GODWIT_INLINE F load(const float* p) { return _mm512_loadu_ps(p); }
    GODWIT_INLINE F load_part(const float* p, int count) { return _mm512_maskz_loadu_ps(first(count), p); }
    GODWIT_INLINE F load_half(const void* p) {
        return _mm512_cvtph_ps(_mm256_loadu_si256(static_cast<const __m256i*>(p)));
    }
    GODWIT_INLINE F load_bf16(const void* p) {
        return _mm512_castsi512_ps(
            _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(static_cast<const __m256i*>(p))), 16));
    }
    GODWIT_INLINE void store(float* p, F a) { _mm512_storeu_ps(p, a); }
    GODWIT_INLINE void store_part(float* p, F a, int count) { _mm512_mask_storeu_ps(p, first(count), a); }
    GODWIT_INLINE void store_half(void* p, F a) {
        _mm256_storeu_si256(static_cast<__m256i*>(p), _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
    }
    GODWIT_INLINE F add(F a, F b) { return _mm512_add_ps(a, b); }
    GODWIT_INLINE F sub(F a, F b) { return _mm512_sub_ps(a, b); }
    GODWIT_INLINE F mul(F a, F b) { return _mm512_mul_ps(a, b); }
    GODWIT_INLINE F div(F a, F b) { return _mm512_div_ps(a, b); }
    GODWIT_INLINE F sqrt(F a) { return _mm512_sqrt_ps(a); }
    GODWIT_INLINE F fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
    GODWIT_INLINE F max(F a, F b) { return _mm512_max_ps(a, b); }
    GODWIT_INLINE __m256 upper(F a) { return _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(a), 1)); }
    GODWIT_INLINE float greatest(F a) {
        const __m256 eight = _mm256_max_ps(_mm512_castps512_ps256(a), upper(a));
        __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
        four = _mm_max_ps(four, _mm_movehl_ps(four, four));
        return _mm_cvtss_f32(_mm_max_ps(four, _mm_shuffle_ps(four, four, 1)));
    }
    GODWIT_INLINE float fold(const F (&lanes)[1]) {
        const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(lanes[0]), upper(lanes[0]));
        __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
        four = _mm_add_ps(four, _mm_movehl_ps(four, four));
        return _mm_cvtss_f32(_mm_add_ps(four, _mm_shuffle_ps(four, four, 1)));
    }

    GODWIT_INLINE F even(F low, F high) { return _mm512_shuffle_ps(low, high, 0x88); }
    GODWIT_INLINE F odd(F low, F high) { return _mm512_shuffle_ps(low, high, 0xdd); }
    GODWIT_INLINE F low(F even, F odd) { return _mm512_unpacklo_ps(even, odd); }
    GODWIT_INLINE F high(F even, F odd) { return _mm512_unpackhi_ps(even, odd); }

    // Choices
    GODWIT_INLINE Mask less(F a, F b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
    GODWIT_INLINE F select(Mask m, F yes, F no) { return _mm512_mask_blend_ps(m, no, yes); }
    GODWIT_INLINE Mask first(int count) { return static_cast<Mask>((1u << count) - 1u); }

    // Integers
    GODWIT_INLINE I set_int(int32_t x) { return _mm512_set1_epi32(x); }
    GODWIT_INLINE I load_int(const int32_t* p) { return _mm512_loadu_si512(p); }
    GODWIT_INLINE void store_int(int32_t* p, I a) { _mm512_storeu_si512(p, a); }
    GODWIT_INLINE void store_int8(int8_t* p, I a) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(a));
    }
    GODWIT_INLINE I bits(F a) { return _mm512_castps_si512(a); }
    GODWIT_INLINE F from_bits(I a) { return _mm512_castsi512_ps(a); }
    GODWIT_INLINE I to_int(F a) { return _mm512_cvtps_epi32(a); }
    GODWIT_INLINE F to_float(I a) { return _mm512_cvtepi32_ps(a); }
    GODWIT_INLINE I add_int(I a, I b) { return _mm512_add_epi32(a, b); }
    GODWIT_INLINE I sub_int(I a, I b) { return _mm512_sub_epi32(a, b); }
    GODWIT_INLINE I and_int(I a, I b) { return _mm512_and_si512(a, b); }
    GODWIT_INLINE I or_int(I a, I b) { return _mm512_or_si512(a, b); }
    GODWIT_INLINE I max_int(I a, I b) { return _mm512_max_epi32(a, b); }
    GODWIT_INLINE int32_t greatest(I a) { return _mm512_reduce_max_epi32(a); }
    GODWIT_INLINE int32_t total(I a) { return _mm512_reduce_add_epi32(a); }
    template <int n>
    GODWIT_INLINE I shift_left(I a) { return _mm512_slli_epi32(a, n); }
    template <int n>
    GODWIT_INLINE I shift_right(I a) { return _mm512_srai_epi32(a, n); }
    template <int n>
    GODWIT_INLINE I shift_right_unsigned(I a) { return _mm512_srli_epi32(a, n); }

    // Bytes and dot products
    GODWIT_INLINE Bytes load_bytes(const uint8_t* p) { return _mm512_loadu_si512(p); }
    template <int n>
    GODWIT_INLINE Bytes low_bits(Bytes a) { return _mm512_and_si512(a, _mm512_set1_epi8((1 << n) - 1)); }
    template <int from, int to, int n>
    GODWIT_INLINE Bytes move_bits(Bytes a) {
        const Bytes moved = from > to ? _mm512_srli_epi32(a, from > to ? from - to : 0)
                                      : _mm512_slli_epi32(a, to > from ? to - from : 0);
        return _mm512_and_si512(moved, _mm512_set1_epi8(static_cast<char>(((1 << n) - 1) << to)));
    }
    GODWIT_INLINE Bytes or_bytes(Bytes a, Bytes b) { return _mm512_or_si512(a, b); }

    template <int bound>
    static constexpr bool widen_after(int, bool last) { return last; }
    GODWIT_INLINE Sum no_sum() { return _mm512_setzero_si512(); }
    GODWIT_INLINE Sum dot4(Sum sum, Bytes u, int32_t x) { return _mm512_dpbusd_epi32(sum, u, _mm512_set1_epi32(x)); }
    GODWIT_INLINE I widen(Sum sum) { return sum; }
    GODWIT_INLINE I dot4_signed(I sum, Bytes w, int32_t x) {
        return _mm512_dpbusd_epi32(sum, _mm512_xor_si512(w, _mm512_set1_epi8(-128)), _mm512_set1_epi32(x));
    }
    template <int i>
    GODWIT_INLINE Scale scale_unsigned(I four) {
        return _mm512_and_si512(_mm512_srli_epi32(four, 8 * i), _mm512_set1_epi32(255));
    }
    template <int i>
    GODWIT_INLINE Scale scale_signed(I four) { return _mm512_srai_epi32(_mm512_slli_epi32(four, 24 - 8 * i), 24); }
    GODWIT_INLINE I scaled(I total, Sum sum, Scale scale) {
        return _mm512_add_epi32(total, _mm512_mullo_epi32(sum, scale));
    }

    GODWIT_INLINE I even_unsigned(I four) { return _mm512_and_si512(four, _mm512_set1_epi32(0x00ff00ff)); }
    GODWIT_INLINE I odd_unsigned(I four) { return _mm512_srli_epi16(four, 8); }
    GODWIT_INLINE I even_signed(I four) { return _mm512_srai_epi16(_mm512_slli_epi16(four, 8), 8); }
    GODWIT_INLINE I odd_signed(I four) { return _mm512_srai_epi16(four, 8); }
    GODWIT_INLINE I dot2(I sum, I pairs, int32_t x) { return _mm512_dpwssd_epi32(sum, pairs, _mm512_set1_epi32(x)); }
};

}  // namespace
}  // namespace godwit::cpu
