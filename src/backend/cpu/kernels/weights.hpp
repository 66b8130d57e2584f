// How the weights of each type lie in a panel of 16 outputs (packed.hpp) and come out of it as bytes that dot products
// take. A format has: Block, the activations it meets; kBytes of a packed block; kBound, the greatest byte that
// weights() gives (128: signed bytes); kScale …, where in the block the 16-bit fields of the 16 outputs stand.
// weights(): four consecutive weights of each lane.
#pragma once

#include "backend/activation_blocks.hpp"
#include "backend/cpu/isa/intrinsics.hpp"

namespace godwit::cpu {
namespace {

/// 4 bytes of each of the 16 outputs: the part of them that fits the lanes.
template <class L>
GODWIT_INLINE typename L::Bytes words(const uint8_t* plane, int row, int part) {
    return L::load_bytes(plane + row * 64 + part * L::kLanes * 4);
}

/// 4 bits: weights 0–15 of a block of 32 (rows 0–3) in the low halves of 4 words, 16–31 (rows 4–7) in the high ones.
template <class L, int row>
GODWIT_INLINE typename L::Bytes nibbles(const uint8_t* block, int part) {
    return L::template move_bits<row / 4 * 4, 0, 4>(words<L>(block, row % 4, part));
}

/// A fifth bit each: that of row r in bit r of the bytes of one word.
template <class L, int row>
GODWIT_INLINE typename L::Bytes five_bits(const uint8_t* block, int part) {
    return L::or_bytes(nibbles<L, row>(block, part), L::template move_bits<row, 4, 1>(words<L>(block + 256, 0, part)));
}

// Types of 32 weights. kZero: what was added to the weights, in units of 8; kMinimum: 0 where there is none.
struct WeightsQ4_0 {
    using Block = Block32;
    static constexpr int kBytes = 288, kScale = 256, kMinimum = 0, kBound = 15, kZero = 1;
    template <class L, int row>
    GODWIT_INLINE auto weights(const uint8_t* block, int part) {
        return nibbles<L, row>(block, part);
    }
};
struct WeightsQ4_1 {
    using Block = Block32;
    static constexpr int kBytes = 320, kScale = 256, kMinimum = 288, kBound = 15, kZero = 0;
    template <class L, int row>
    GODWIT_INLINE auto weights(const uint8_t* block, int part) {
        return nibbles<L, row>(block, part);
    }
};
struct WeightsQ5_0 {
    using Block = Block32;
    static constexpr int kBytes = 352, kScale = 320, kMinimum = 0, kBound = 31, kZero = 2;
    template <class L, int row>
    GODWIT_INLINE auto weights(const uint8_t* block, int part) {
        return five_bits<L, row>(block, part);
    }
};
struct WeightsQ5_1 {
    using Block = Block32;
    static constexpr int kBytes = 384, kScale = 320, kMinimum = 352, kBound = 31, kZero = 0;
    template <class L, int row>
    GODWIT_INLINE auto weights(const uint8_t* block, int part) {
        return five_bits<L, row>(block, part);
    }
};
struct WeightsQ8_0 {
    using Block = Block32;
    static constexpr int kBytes = 544, kScale = 512, kMinimum = 0, kBound = 128, kZero = 16;
    template <class L, int row>
    GODWIT_INLINE auto weights(const uint8_t* block, int part) {
        return words<L>(block, row, part);
    }
};

/// Scales and minima of Q4_K and Q5_K, 6 bits each: four to a word, subs 0–3 and 4–7.
template <class L>
struct ScalesK4 {
    typename L::I low, high, minima_low, minima_high;

    GODWIT_INLINE ScalesK4 of(const uint8_t* plane, int part) {
        const auto word = [=](int i) GODWIT_INLINE_LAMBDA {
            return L::load_int(reinterpret_cast<const int32_t*>(plane + 64 * i) + part * L::kLanes);
        };
        const auto a = word(0), b = word(1), c = word(2);
        const auto six = L::set_int(0x3f3f3f3f), four = L::set_int(0x0f0f0f0f), top = L::set_int(0x30303030);
        return {L::and_int(a, six),
                L::or_int(L::and_int(c, four), L::and_int(L::template shift_right_unsigned<2>(a), top)),
                L::and_int(b, six),
                L::or_int(L::and_int(L::template shift_right_unsigned<4>(c), four),
                          L::and_int(L::template shift_right_unsigned<2>(b), top))};
    }
    template <int sub>
    GODWIT_INLINE typename L::Scale scale(const ScalesK4& s) {
        return L::template scale_unsigned<sub % 4>(sub < 4 ? s.low : s.high);
    }
    /// Σ minimum · Σq over the subs.
    GODWIT_INLINE typename L::I correction(const ScalesK4& s, const Block256& x) {
        auto sum = L::dot2(L::set_int(0), L::even_unsigned(s.minima_low), pair(x.sums32));
        sum = L::dot2(sum, L::odd_unsigned(s.minima_low), pair(x.sums32 + 2));
        sum = L::dot2(sum, L::even_unsigned(s.minima_high), pair(x.sums32 + 4));
        return L::dot2(sum, L::odd_unsigned(s.minima_high), pair(x.sums32 + 6));
    }
    GODWIT_INLINE int32_t pair(const int16_t* sums) {
        int32_t two;
        __builtin_memcpy(&two, sums, sizeof two);
        return two;
    }
};

/// The scales of Q6_K, 8 signed bits: four to a word.
template <class L>
struct ScalesQ6 {
    typename L::I words[4];

    GODWIT_INLINE ScalesQ6 of(const uint8_t* plane, int part) {
        ScalesQ6 s;
        for (int i = 0; i < 4; ++i)
            s.words[i] = L::load_int(reinterpret_cast<const int32_t*>(plane + 64 * i) + part * L::kLanes);
        return s;
    }
    template <int sub>
    GODWIT_INLINE typename L::Scale scale(const ScalesQ6& s) {
        return L::template scale_signed<sub % 4>(s.words[sub / 4]);
    }
    /// Σ scale · Σq over the subs: what the 32 added to every weight makes.
    GODWIT_INLINE typename L::I correction(const ScalesQ6& s, const Block256& x) {
        auto sum = L::set_int(0);
        GODWIT_UNROLL
        for (int i = 0; i < 4; ++i) {
            sum = L::dot2(sum, L::even_signed(s.words[i]), ScalesK4<L>::pair(x.sums16 + 4 * i));
            sum = L::dot2(sum, L::odd_signed(s.words[i]), ScalesK4<L>::pair(x.sums16 + 4 * i + 2));
        }
        return sum;
    }
};

// Types of 256 weights in subs with a scale each. kMinimum: 0 where there is none, but 32 was added to the weights.
struct WeightsQ4_K {
    using Block = Block256;
    static constexpr int kBytes = 2304, kScales = 2048, kScale = 2240, kMinimum = 2272, kBound = 15, kSubs = 8;
    template <class L>
    using Scales = ScalesK4<L>;
    template <class L, int sub, int row>
    GODWIT_INLINE auto weights(const uint8_t* block, int part) {
        return L::template move_bits<sub % 2 * 4, 0, 4>(words<L>(block, sub / 2 * 8 + row, part));
    }
};
struct WeightsQ5_K {
    using Block = Block256;
    static constexpr int kBytes = 2816, kScales = 2560, kScale = 2752, kMinimum = 2784, kBound = 31, kSubs = 8;
    template <class L>
    using Scales = ScalesK4<L>;
    template <class L, int sub, int row>
    GODWIT_INLINE auto weights(const uint8_t* block, int part) {
        return L::or_bytes(WeightsQ4_K::weights<L, sub, row>(block, part),
                           L::template move_bits<sub, 4, 1>(words<L>(block + 2048, row, part)));
    }
};
struct WeightsQ6_K {
    using Block = Block256;
    static constexpr int kBytes = 3360, kScales = 3072, kScale = 3328, kMinimum = 0, kBound = 63, kSubs = 16;
    template <class L>
    using Scales = ScalesQ6<L>;
    template <class L, int sub, int row>
    GODWIT_INLINE auto weights(const uint8_t* block, int part) {
        const auto low = words<L>(block, sub / 8 * 16 + sub % 4 * 4 + row, part);
        const auto high = words<L>(block + 2048, sub / 8 * 8 + sub % 2 * 4 + row, part);
        return L::or_bytes(L::template move_bits<sub / 4 % 2 * 4, 0, 4>(low),
                           L::template move_bits<sub / 2 % 4 * 2, 4, 2>(high));
    }
};

}  // namespace
}  // namespace godwit::cpu
