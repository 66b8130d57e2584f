// The lanes in plain C++: 16 at once, for any machine; and the meaning of every function that the other ISAs have too.
// (Not forced into their callers: compiling that takes minutes.)
#pragma once

#include <cstdint>

#include "backend/cpu/isa/intrinsics.hpp"

// clang-format off: one operation a line

namespace godwit::cpu {
namespace {

struct Scalar {
    static constexpr int kLanes = 16;       // lanes of F and I
    static constexpr int kTile = 1;         // most rows that a product takes at once
    /// dot4_signed takes weights as they are; where false, it adds 128 to them, and the caller subtracts that share.
    static constexpr bool kSigned = true;

    struct F {
        float at[16];
    };
    struct I {
        int32_t at[16];
    };
    struct Bytes {  // four to a lane
        uint8_t at[64];
    };
    using Sum = I;    // a sum of products of bytes, in what precision it needs
    using Scale = I;  // what multiplies a Sum
    struct Mask {
        bool at[16];
    };

    template <class Element>
    static F each(Element element) {
        F out;
        for (int i = 0; i < 16; ++i) out.at[i] = element(i);
        return out;
    }
    template <class Element>
    static I each_int(Element element) {
        I out;
        for (int i = 0; i < 16; ++i) out.at[i] = static_cast<int32_t>(element(i));
        return out;
    }
    template <class Element>
    static Bytes each_byte(Element element) {
        Bytes out;
        for (int i = 0; i < 64; ++i) out.at[i] = static_cast<uint8_t>(element(i));
        return out;
    }
    static float half(uint32_t h) {  // as base/half.hpp
        const uint32_t magnitude = (h & 0x7fffu) << 13;
        const uint32_t normal = magnitude + ((127 - 15) << 23) + (magnitude >= 0x0f800000u ? (127 - 15) << 23 : 0);
        const float subnormal = __builtin_bit_cast(float, magnitude + (113u << 23)) - 0x1p-14f;
        const uint32_t bits = magnitude < 0x00800000u ? __builtin_bit_cast(uint32_t, subnormal) : normal;
        return __builtin_bit_cast(float, bits | (h & 0x8000u) << 16);
    }
    static uint16_t to_half(float value) {
        const uint32_t b = __builtin_bit_cast(uint32_t, value), magnitude = b & 0x7fffffffu;
        const uint32_t special = magnitude > 0x7f800000u ? 0x7e00u | ((magnitude >> 13) & 0x1ffu) : 0x7c00u;
        const uint32_t normal = (magnitude - ((127 - 15) << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
        const float shifted = __builtin_bit_cast(float, magnitude) + 0.5f;
        const uint32_t subnormal = __builtin_bit_cast(uint32_t, shifted) - 0x3f000000u;
        const uint32_t finite = magnitude < 0x38800000u ? subnormal : normal;
        return static_cast<uint16_t>((magnitude >= 0x47800000u ? special : finite) | ((b >> 16) & 0x8000u));
    }

    // Floats. Loads and stores need no alignment.
    static F zero() { return each([](int) { return 0.0f; }); }
    static F set(float x) { return each([=](int) { return x; }); }
    static F load(const float* p) { return each([=](int i) { return p[i]; }); }
    /// The first `count` (0 … kLanes) lanes, 0 in the others; nothing else is read.
    static F load_part(const float* p, int count) { return each([=](int i) { return i < count ? p[i] : 0.0f; }); }
    /// kLanes binary16 / bfloat16 numbers.
    static F load_half(const void* p) {
        return each([=](int i) { return half(static_cast<const uint16_t*>(p)[i]); });
    }
    static F load_bf16(const void* p) {
        return each([=](int i) {
            return __builtin_bit_cast(float, static_cast<uint32_t>(static_cast<const uint16_t*>(p)[i]) << 16);
        });
    }
    static void store(float* p, F a) {
        for (int i = 0; i < 16; ++i) p[i] = a.at[i];
    }
    static void store_part(float* p, F a, int count) {
        for (int i = 0; i < count; ++i) p[i] = a.at[i];
    }
    /// Rounded to nearest even.
    static void store_half(void* p, F a) {
        for (int i = 0; i < 16; ++i) static_cast<uint16_t*>(p)[i] = to_half(a.at[i]);
    }
    static F add(F a, F b) { return each([&](int i) { return a.at[i] + b.at[i]; }); }
    static F sub(F a, F b) { return each([&](int i) { return a.at[i] - b.at[i]; }); }
    static F mul(F a, F b) { return each([&](int i) { return a.at[i] * b.at[i]; }); }
    static F div(F a, F b) { return each([&](int i) { return a.at[i] / b.at[i]; }); }
    static F sqrt(F a) { return each([&](int i) { return __builtin_sqrtf(a.at[i]); }); }
    static F fma(F a, F b, F c) { return each([&](int i) { return __builtin_fmaf(a.at[i], b.at[i], c.at[i]); }); }
    /// a > b ? a : b, so b where one is NaN.
    static F max(F a, F b) { return each([&](int i) { return a.at[i] > b.at[i] ? a.at[i] : b.at[i]; }); }
    /// The greatest lane; none is NaN.
    static float greatest(F a) {
        float best = a.at[0];
        for (int i = 1; i < 16; ++i) best = a.at[i] > best ? a.at[i] : best;
        return best;
    }
    /// The sum of 16 lanes, in as many vectors as they take, folded 8, 4, 2, 1.
    static float fold(const F (&lanes)[1]) {
        F sum = lanes[0];
        for (int width = 8; width > 0; width /= 2)
            for (int i = 0; i < width; ++i) sum.at[i] += sum.at[i + width];
        return sum.at[0];
    }

    /// The even (odd) elements of two vectors, in an order of the ISA's own, which `low` and `high` turn back.
    static F even(F low, F high) { return each([&](int i) { return i < 8 ? low.at[2 * i] : high.at[2 * i - 16]; }); }
    static F odd(F low, F high) { return each([&](int i) { return i < 8 ? low.at[2 * i + 1] : high.at[2 * i - 15]; }); }
    static F low(F even, F odd) { return each([&](int i) { return (i % 2 == 0 ? even : odd).at[i / 2]; }); }
    static F high(F even, F odd) { return each([&](int i) { return (i % 2 == 0 ? even : odd).at[8 + i / 2]; }); }

    // Choices
    static Mask less(F a, F b) {
        Mask m;
        for (int i = 0; i < 16; ++i) m.at[i] = a.at[i] < b.at[i];
        return m;
    }
    static F select(Mask m, F yes, F no) { return each([&](int i) { return m.at[i] ? yes.at[i] : no.at[i]; }); }
    static Mask first(int count) {
        Mask m;
        for (int i = 0; i < 16; ++i) m.at[i] = i < count;
        return m;
    }

    // Integers of 32 bits, wrapping
    static I set_int(int32_t x) { return each_int([=](int) { return x; }); }
    static I load_int(const int32_t* p) { return each_int([=](int i) { return p[i]; }); }
    static void store_int(int32_t* p, I a) {
        for (int i = 0; i < 16; ++i) p[i] = a.at[i];
    }
    /// Of values within ±127.
    static void store_int8(int8_t* p, I a) {
        for (int i = 0; i < 16; ++i) p[i] = static_cast<int8_t>(a.at[i]);
    }
    static I bits(F a) { return each_int([&](int i) { return __builtin_bit_cast(int32_t, a.at[i]); }); }
    static F from_bits(I a) { return each([&](int i) { return __builtin_bit_cast(float, a.at[i]); }); }
    /// Rounded to nearest even; |a| < 2^22.
    static I to_int(F a) {
        return each_int([&](int i) { return __builtin_bit_cast(int32_t, a.at[i] + 0x1.8p23f) - 0x4b400000; });
    }
    /// Rounded to nearest even.
    static F to_float(I a) { return each([&](int i) { return static_cast<float>(a.at[i]); }); }
    static uint32_t u(int32_t x) { return static_cast<uint32_t>(x); }
    static I add_int(I a, I b) { return each_int([&](int i) { return u(a.at[i]) + u(b.at[i]); }); }
    static I sub_int(I a, I b) { return each_int([&](int i) { return u(a.at[i]) - u(b.at[i]); }); }
    static I and_int(I a, I b) { return each_int([&](int i) { return a.at[i] & b.at[i]; }); }
    static I or_int(I a, I b) { return each_int([&](int i) { return a.at[i] | b.at[i]; }); }
    static I max_int(I a, I b) { return each_int([&](int i) { return a.at[i] > b.at[i] ? a.at[i] : b.at[i]; }); }
    /// The greatest lane, and the sum of the lanes.
    static int32_t greatest(I a) {
        int32_t best = a.at[0];
        for (int i = 1; i < 16; ++i) best = a.at[i] > best ? a.at[i] : best;
        return best;
    }
    static int32_t total(I a) {
        uint32_t sum = 0;
        for (int i = 0; i < 16; ++i) sum += u(a.at[i]);
        return static_cast<int32_t>(sum);
    }
    template <int n>
    static I shift_left(I a) { return each_int([&](int i) { return u(a.at[i]) << n; }); }
    template <int n>
    static I shift_right(I a) { return each_int([&](int i) { return a.at[i] >> n; }); }
    template <int n>
    static I shift_right_unsigned(I a) { return each_int([&](int i) { return u(a.at[i]) >> n; }); }

    // Bytes
    /// 4 · kLanes bytes.
    static Bytes load_bytes(const uint8_t* p) { return each_byte([=](int i) { return p[i]; }); }
    /// The lowest n bits of every byte.
    template <int n>
    static Bytes low_bits(Bytes a) { return each_byte([&](int i) { return a.at[i] & ((1 << n) - 1); }); }
    /// n bits of every byte, those from `from` on, moved to `to`; the rest 0.
    template <int from, int to, int n>
    static Bytes move_bits(Bytes a) {
        return each_byte([&](int i) { return ((a.at[i] >> from) & ((1 << n) - 1)) << to; });
    }
    static Bytes or_bytes(Bytes a, Bytes b) { return each_byte([&](int i) { return a.at[i] | b.at[i]; }); }

    // Dot products of unsigned weights ≤ bound and activations within ±127. x holds four activations in its bytes, for
    // all lanes.
    /// Must a sum be widened after this row (0, 1, …) of a block?
    template <int bound>
    static constexpr bool widen_after(int, bool last) { return last; }
    static Sum no_sum() { return set_int(0); }
    static Sum dot4(Sum sum, Bytes w, int32_t x) {
        return each_int([&](int i) {
            int32_t s = sum.at[i];
            for (int j = 0; j < 4; ++j) s += w.at[4 * i + j] * static_cast<int8_t>(u(x) >> (8 * j));
            return s;
        });
    }
    static I widen(Sum sum) { return sum; }
    /// Weights are signed bytes (kSigned says what is done to them).
    static I dot4_signed(I sum, Bytes w, int32_t x) {
        return each_int([&](int i) {
            int32_t s = sum.at[i];
            for (int j = 0; j < 4; ++j)
                s += static_cast<int8_t>(w.at[4 * i + j]) * static_cast<int8_t>(u(x) >> (8 * j));
            return s;
        });
    }
    /// Byte i of every lane as a factor for `scaled`.
    template <int i>
    static Scale scale_unsigned(I four) { return each_int([&](int l) { return u(four.at[l]) >> (8 * i) & 255; }); }
    template <int i>
    static Scale scale_signed(I four) {
        return each_int([&](int l) { return static_cast<int8_t>(u(four.at[l]) >> (8 * i)); });
    }
    /// total + sum · scale.
    static I scaled(I total, Sum sum, Scale scale) {
        return each_int([&](int i) { return total.at[i] + sum.at[i] * scale.at[i]; });
    }
    /// Bytes 0 and 2 (1 and 3) of every lane as a pair of int16.
    static I even_unsigned(I four) { return each_int([&](int i) { return u(four.at[i]) & 0x00ff00ff; }); }
    static I odd_unsigned(I four) { return each_int([&](int i) { return u(four.at[i]) >> 8 & 0x00ff00ff; }); }
    static uint32_t pair(uint32_t bytes) {
        return (u(static_cast<int8_t>(bytes)) & 0xffff) | u(static_cast<int8_t>(bytes >> 16)) << 16;
    }
    static I even_signed(I four) { return each_int([&](int i) { return pair(u(four.at[i])); }); }
    static I odd_signed(I four) { return each_int([&](int i) { return pair(u(four.at[i]) >> 8); }); }
    /// sum + the dot product of two pairs of int16; x is the same pair for all lanes.
    static I dot2(I sum, I pairs, int32_t x) {
        return each_int([&](int i) {
            const int32_t low = static_cast<int16_t>(pairs.at[i]) * static_cast<int16_t>(x);
            return sum.at[i] + low + (pairs.at[i] >> 16) * (x >> 16);
        });
    }
};

}  // namespace
}  // namespace godwit::cpu
