// The lanes of AVX2 with FMA and F16C: 8 at once. No VNNI: products of bytes are summed in 16 bits as deep as the
// weights' bound allows, and widened after that. See isa/scalar.hpp for what each function means.
#pragma once

#include <cstdint>

#include "backend/cpu/isa/intrinsics.hpp"

// clang-format off: one operation a line

namespace godwit::cpu {
namespace {

struct Avx2 {
    static constexpr int kLanes = 8;
    static constexpr int kTile = 6;
    static constexpr bool kSigned = true;

    using F = __m256;
    using I = __m256i;
    using Bytes = __m256i;
    using Sum = __m256i;    // 16 × int16: each lane's sum in two halves
    using Scale = __m256i;  // each lane's scale twice, as int16
    using Mask = __m256;

    // Floats
    GODWIT_INLINE F zero() { return _mm256_setzero_ps(); }
    GODWIT_INLINE F set(float x) { return _mm256_set1_ps(x); }
    GODWIT_INLINE F load(const float* p) { return _mm256_loadu_ps(p); }
    GODWIT_INLINE F load_part(const float* p, int count) {
        return _mm256_maskload_ps(p, _mm256_castps_si256(first(count)));
    }
    GODWIT_INLINE F load_half(const void* p) {
        return _mm256_cvtph_ps(_mm_loadu_si128(static_cast<const __m128i*>(p)));
    }
    GODWIT_INLINE F load_bf16(const void* p) {
        return _mm256_castsi256_ps(
            _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(static_cast<const __m128i*>(p))), 16));
    }
    GODWIT_INLINE void store(float* p, F a) { _mm256_storeu_ps(p, a); }
    GODWIT_INLINE void store_part(float* p, F a, int count) {
        _mm256_maskstore_ps(p, _mm256_castps_si256(first(count)), a);
    }
    GODWIT_INLINE void store_half(void* p, F a) {
        _mm_storeu_si128(static_cast<__m128i*>(p), _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
    }
    GODWIT_INLINE F add(F a, F b) { return _mm256_add_ps(a, b); }
    GODWIT_INLINE F sub(F a, F b) { return _mm256_sub_ps(a, b); }
    GODWIT_INLINE F mul(F a, F b) { return _mm256_mul_ps(a, b); }
    GODWIT_INLINE F div(F a, F b) { return _mm256_div_ps(a, b); }
    GODWIT_INLINE F sqrt(F a) { return _mm256_sqrt_ps(a); }
    GODWIT_INLINE F fma(F a, F b, F c) { return _mm256_fmadd_ps(a, b, c); }
    GODWIT_INLINE F max(F a, F b) { return _mm256_max_ps(a, b); }
    GODWIT_INLINE float greatest(F a) {
        __m128 four = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
        four = _mm_max_ps(four, _mm_movehl_ps(four, four));
        return _mm_cvtss_f32(_mm_max_ps(four, _mm_shuffle_ps(four, four, 1)));
    }
    GODWIT_INLINE float fold(const F (&lanes)[2]) {
        const F eight = _mm256_add_ps(lanes[0], lanes[1]);
        __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
        four = _mm_add_ps(four, _mm_movehl_ps(four, four));
        return _mm_cvtss_f32(_mm_add_ps(four, _mm_shuffle_ps(four, four, 1)));
    }

    GODWIT_INLINE F even(F low, F high) { return _mm256_shuffle_ps(low, high, 0x88); }
    GODWIT_INLINE F odd(F low, F high) { return _mm256_shuffle_ps(low, high, 0xdd); }
    GODWIT_INLINE F low(F even, F odd) { return _mm256_unpacklo_ps(even, odd); }
    GODWIT_INLINE F high(F even, F odd) { return _mm256_unpackhi_ps(even, odd); }

    // Choices
    GODWIT_INLINE Mask less(F a, F b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
    GODWIT_INLINE F select(Mask m, F yes, F no) { return _mm256_blendv_ps(no, yes, m); }
    GODWIT_INLINE Mask first(int count) {
        const I place = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        return _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(count), place));
    }

    // Integers
    GODWIT_INLINE I set_int(int32_t x) { return _mm256_set1_epi32(x); }
    GODWIT_INLINE I load_int(const int32_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
    GODWIT_INLINE void store_int(int32_t* p, I a) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), a); }
    GODWIT_INLINE void store_int8(int8_t* p, I a) {
        const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
        _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packs_epi16(words, words));
    }
    GODWIT_INLINE I bits(F a) { return _mm256_castps_si256(a); }
    GODWIT_INLINE F from_bits(I a) { return _mm256_castsi256_ps(a); }
    GODWIT_INLINE I to_int(F a) { return _mm256_cvtps_epi32(a); }
    GODWIT_INLINE F to_float(I a) { return _mm256_cvtepi32_ps(a); }
    GODWIT_INLINE I add_int(I a, I b) { return _mm256_add_epi32(a, b); }
    GODWIT_INLINE I sub_int(I a, I b) { return _mm256_sub_epi32(a, b); }
    GODWIT_INLINE I and_int(I a, I b) { return _mm256_and_si256(a, b); }
    GODWIT_INLINE I or_int(I a, I b) { return _mm256_or_si256(a, b); }
    GODWIT_INLINE I max_int(I a, I b) { return _mm256_max_epi32(a, b); }
    GODWIT_INLINE int32_t greatest(I a) {
        __m128i four = _mm_max_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
        four = _mm_max_epi32(four, _mm_shuffle_epi32(four, 0x4e));
        return _mm_cvtsi128_si32(_mm_max_epi32(four, _mm_shuffle_epi32(four, 0xb1)));
    }
    GODWIT_INLINE int32_t total(I a) {
        __m128i four = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
        four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
        return _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_shuffle_epi32(four, 0xb1)));
    }
    template <int n>
    GODWIT_INLINE I shift_left(I a) { return _mm256_slli_epi32(a, n); }
    template <int n>
    GODWIT_INLINE I shift_right(I a) { return _mm256_srai_epi32(a, n); }
    template <int n>
    GODWIT_INLINE I shift_right_unsigned(I a) { return _mm256_srli_epi32(a, n); }

    // Bytes and dot products
    GODWIT_INLINE Bytes load_bytes(const uint8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
    template <int n>
    GODWIT_INLINE Bytes low_bits(Bytes a) { return _mm256_and_si256(a, _mm256_set1_epi8((1 << n) - 1)); }
    template <int from, int to, int n>
    GODWIT_INLINE Bytes move_bits(Bytes a) {
        const Bytes moved = from > to ? _mm256_srli_epi32(a, from > to ? from - to : 0)
                                      : _mm256_slli_epi32(a, to > from ? to - from : 0);
        return _mm256_and_si256(moved, _mm256_set1_epi8(static_cast<char>(((1 << n) - 1) << to)));
    }
    GODWIT_INLINE Bytes or_bytes(Bytes a, Bytes b) { return _mm256_or_si256(a, b); }

    /// Two products of bound · 127 enter a half at once; it holds 32767.
    template <int bound>
    static constexpr bool widen_after(int row, bool last) {
        return last || (row + 1) % (32767 / (2 * bound * 127)) == 0;
    }
    GODWIT_INLINE Sum no_sum() { return _mm256_setzero_si256(); }
    GODWIT_INLINE Sum dot4(Sum sum, Bytes u, int32_t x) {
        return _mm256_add_epi16(sum, _mm256_maddubs_epi16(u, _mm256_set1_epi32(x)));
    }
    GODWIT_INLINE I widen(Sum sum) { return _mm256_madd_epi16(sum, _mm256_set1_epi16(1)); }
    GODWIT_INLINE I dot4_signed(I sum, Bytes w, int32_t x) {  // |w| ≤ 128, |x| ≤ 127: 2 · 128 · 127 fits
        const __m256i halves = _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(_mm256_set1_epi32(x), w));
        return _mm256_add_epi32(sum, _mm256_madd_epi16(halves, _mm256_set1_epi16(1)));
    }
    template <int i>
    GODWIT_INLINE Scale scale_unsigned(I four) {
        const __m256i places =
            _mm256_setr_epi8(i, -1, i, -1, i + 4, -1, i + 4, -1, i + 8, -1, i + 8, -1, i + 12, -1, i + 12, -1,  //
                             i, -1, i, -1, i + 4, -1, i + 4, -1, i + 8, -1, i + 8, -1, i + 12, -1, i + 12, -1);
        return _mm256_shuffle_epi8(four, places);
    }
    template <int i>
    GODWIT_INLINE Scale scale_signed(I four) {
        const __m256i places =
            _mm256_setr_epi8(-1, i, -1, i, -1, i + 4, -1, i + 4, -1, i + 8, -1, i + 8, -1, i + 12, -1, i + 12,  //
                             -1, i, -1, i, -1, i + 4, -1, i + 4, -1, i + 8, -1, i + 8, -1, i + 12, -1, i + 12);
        return _mm256_srai_epi16(_mm256_shuffle_epi8(four, places), 8);
    }
    GODWIT_INLINE I scaled(I total, Sum sum, Scale scale) {
        return _mm256_add_epi32(total, _mm256_madd_epi16(sum, scale));
    }

    GODWIT_INLINE I even_unsigned(I four) { return _mm256_and_si256(four, _mm256_set1_epi32(0x00ff00ff)); }
    GODWIT_INLINE I odd_unsigned(I four) { return _mm256_srli_epi16(four, 8); }
    GODWIT_INLINE I even_signed(I four) { return _mm256_srai_epi16(_mm256_slli_epi16(four, 8), 8); }
    GODWIT_INLINE I odd_signed(I four) { return _mm256_srai_epi16(four, 8); }
    GODWIT_INLINE I dot2(I sum, I pairs, int32_t x) {
        return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi32(x)));
    }
};

}  // namespace
}  // namespace godwit::cpu
