// The products of docs/numerics.md: packed weights times tiles of activations, for every type of weights and every
// number of rows that a tile may have. Lanes are outputs. A panel has 16 outputs; where an ISA has fewer lanes, a panel
// has several parts of as many outputs as there are lanes.
#pragma once

#include "backend/cpu/kernels.hpp"
#include "backend/cpu/kernels/math.hpp"
#include "backend/cpu/kernels/unroll.hpp"
#include "backend/cpu/kernels/weights.hpp"

namespace godwit::cpu {
namespace {

GODWIT_INLINE int32_t four_bytes(const int8_t* q) {
    int32_t word;
    __builtin_memcpy(&word, q, sizeof word);
    return word;
}

/// Prefetches weights for tiles of one or two rows: these wait for memory. With more rows the arithmetic takes longer
/// than the memory does.
template <int R, int kBytes>
GODWIT_INLINE void prefetch(const uint8_t* block) {
    constexpr int kAhead = 4096;
    if constexpr (R <= 2)
        for (int line = 0; line < kBytes; line += 64) __builtin_prefetch(block + kAhead + line);
}

/// Adds to acc[r][p] the products of R rows with the parts [first, first + P) of a panel. Weights in blocks of 32.
template <class L, class W, int R, int P>
struct Product32 {
    using F = typename L::F;
    using I = typename L::I;

    /// total[r] = Σ weight · q over one block, exact.
    GODWIT_INLINE void sums(const uint8_t* block, const Block32* x, int part, I (&total)[R]) {
        if constexpr (W::kBound == 128) {
            for (int r = 0; r < R; ++r) total[r] = L::set_int(0);
            unroll<0, 8>([&](auto row) GODWIT_INLINE_LAMBDA {
                const auto w = W::template weights<L, row.value>(block, part);
                GODWIT_UNROLL
                for (int r = 0; r < R; ++r) total[r] = L::dot4_signed(total[r], w, four_bytes(x[r].q + 4 * row.value));
            });
        } else {
            typename L::Sum sum[R];
            for (int r = 0; r < R; ++r) sum[r] = L::no_sum();
            unroll<0, 8>([&](auto row) GODWIT_INLINE_LAMBDA {
                constexpr bool kLast = row.value == 7;
                const auto w = W::template weights<L, row.value>(block, part);
                GODWIT_UNROLL
                for (int r = 0; r < R; ++r) sum[r] = L::dot4(sum[r], w, four_bytes(x[r].q + 4 * row.value));
                if constexpr (L::template widen_after<W::kBound>(row.value, kLast)) {
                    constexpr bool kFirst = !L::template widen_after<W::kBound>(row.value - 1, false) && row.value < 4;
                    GODWIT_UNROLL
                    for (int r = 0; r < R; ++r) {
                        if constexpr (kFirst || !kSeveral) total[r] = L::widen(sum[r]);
                        else total[r] = L::add_int(total[r], L::widen(sum[r]));
                        if constexpr (!kLast) sum[r] = L::no_sum();
                    }
                }
            });
        }
        constexpr int kZero = W::kBound == 128 && L::kSigned ? 0 : W::kZero;
        if constexpr (kZero > 0)
            for (int r = 0; r < R; ++r)
                total[r] = L::add_int(total[r],
                                      L::template shift_left<(kZero == 16 ? 4 : kZero - 1)>(L::set_int(x[r].offset)));
    }

    GODWIT_INLINE void run(const uint8_t* block, int64_t blocks, const void* tile, int first, F (&acc)[R][P]) {
        const auto* x = static_cast<const Block32*>(tile);
        for (int64_t b = 0; b < blocks; ++b, block += W::kBytes, x += R) {
            prefetch<R, W::kBytes>(block);
            GODWIT_UNROLL
            for (int p = 0; p < P; ++p) {
                I total[R];
                sums(block, x, first + p, total);
                const F d = L::load_half(block + W::kScale + (first + p) * L::kLanes * 2);
                GODWIT_UNROLL
                for (int r = 0; r < R; ++r)
                    acc[r][p] = L::fma(L::to_float(total[r]), L::mul(d, L::set(x[r].d)), acc[r][p]);
                if constexpr (W::kMinimum > 0) {
                    const F m = L::load_half(block + W::kMinimum + (first + p) * L::kLanes * 2);
                    GODWIT_UNROLL
                    for (int r = 0; r < R; ++r) acc[r][p] = L::fma(m, L::set(x[r].d_sum), acc[r][p]);
                }
            }
        }
    }

private:
    static constexpr bool kSeveral =
        L::template widen_after<W::kBound>(3, false);  // a block needs more than one widening
};

/// The same for weights in blocks of 256, which have W::kSubs sub-blocks with scales of their own.
template <class L, class W, int R, int P>
struct Product256 {
    using F = typename L::F;
    using I = typename L::I;
    static constexpr int kRows = 64 / W::kSubs;  // words of a sub-block

    /// total[r] = Σ scale · (Σ weight · q) over the sub-blocks of one block, exact; weights as they are stored.
    GODWIT_INLINE void sums(const uint8_t* block, const Block256* x, int part,
                            const typename W::template Scales<L>& scales, I (&total)[R]) {
        using Scales = typename W::template Scales<L>;
        for (int r = 0; r < R; ++r) total[r] = L::set_int(0);
        unroll<0, W::kSubs>([&](auto sub) GODWIT_INLINE_LAMBDA {
            const auto scale = Scales::template scale<sub.value>(scales);
            typename L::Sum sum[R];
            for (int r = 0; r < R; ++r) sum[r] = L::no_sum();
            unroll<0, kRows>([&](auto row) GODWIT_INLINE_LAMBDA {
                constexpr bool kLast = row.value == kRows - 1;
                const auto w = W::template weights<L, sub.value, row.value>(block, part);
                GODWIT_UNROLL
                for (int r = 0; r < R; ++r)
                    sum[r] = L::dot4(sum[r], w, four_bytes(x[r].q + 4 * (sub.value * kRows + row.value)));
                if constexpr (L::template widen_after<W::kBound>(row.value, kLast)) {
                    GODWIT_UNROLL
                    for (int r = 0; r < R; ++r) {
                        total[r] = L::scaled(total[r], sum[r], scale);
                        if constexpr (!kLast) sum[r] = L::no_sum();
                    }
                }
            });
        });
    }

    GODWIT_INLINE void run(const uint8_t* block, int64_t blocks, const void* tile, int first, F (&acc)[R][P]) {
        using Scales = typename W::template Scales<L>;
        const auto* x = static_cast<const Block256*>(tile);
        for (int64_t b = 0; b < blocks; ++b, block += W::kBytes, x += R) {
            prefetch<R, W::kBytes>(block);
            GODWIT_UNROLL
            for (int p = 0; p < P; ++p) {
                const int part = first + p, lane = part * L::kLanes;
                const Scales scales = Scales::of(block + W::kScales, part);
                I total[R];
                sums(block, x, part, scales, total);
                const F d = L::load_half(block + W::kScale + lane * 2);
                GODWIT_UNROLL
                for (int r = 0; r < R; ++r) {
                    const I correction = Scales::correction(scales, x[r]);
                    if constexpr (W::kMinimum == 0)
                        total[r] = L::sub_int(total[r], L::template shift_left<5>(correction));
                    acc[r][p] = L::fma(L::to_float(total[r]), L::mul(d, L::set(x[r].d)), acc[r][p]);
                    if constexpr (W::kMinimum > 0) {
                        const F minimum = L::load_half(block + W::kMinimum + lane * 2);
                        acc[r][p] = L::fma(L::to_float(correction), L::mul(minimum, L::set(-x[r].d)), acc[r][p]);
                    }
                }
            }
        }
    }
};

// Float types: a block holds one weight of each output.
struct WeightsF32 {
    static constexpr int kBytes = 64;
    template <class L>
    GODWIT_INLINE auto weights(const uint8_t* block, int lane) {
        return L::load(reinterpret_cast<const float*>(block) + lane);
    }
};
struct WeightsF16 {
    static constexpr int kBytes = 32;
    template <class L>
    GODWIT_INLINE auto weights(const uint8_t* block, int lane) {
        return L::load_half(block + 2 * lane);
    }
};
struct WeightsBF16 {
    static constexpr int kBytes = 32;
    template <class L>
    GODWIT_INLINE auto weights(const uint8_t* block, int lane) {
        return L::load_bf16(block + 2 * lane);
    }
};

template <class L, class W, int R, int P>
struct ProductFloat {
    using F = typename L::F;

    GODWIT_INLINE void run(const uint8_t* block, int64_t blocks, const void* tile, int first, F (&acc)[R][P]) {
        const auto* x = static_cast<const float*>(tile);
        for (int64_t k = 0; k < blocks; ++k, block += W::kBytes, x += R) {
            F w[P];
            unroll<0, P>([&](auto p) GODWIT_INLINE_LAMBDA {
                w[p.value] = W::template weights<L>(block, (first + p.value) * L::kLanes);
            });
            unroll<0, R>([&](auto r) GODWIT_INLINE_LAMBDA {
                const F row = L::set(x[r.value]);
                unroll<0, P>([&](auto p) GODWIT_INLINE_LAMBDA {
                    acc[r.value][p.value] = L::fma(row, w[p.value], acc[r.value][p.value]);
                });
            });
        }
    }
};

/// Applies bias, activation, gate and residual to `count` lanes of one row, from output n on, and stores them.
template <class L, Activation kActivation>
GODWIT_INLINE void finish_lanes(const Matmul& m, int64_t row, int64_t n, int count, typename L::F y) {
    const int64_t at = row * m.stride + n;
    if (m.bias != nullptr) y = L::add(y, L::load_part(m.bias + n, count));
    if (m.gate == nullptr) y = Math<L>::template activate<kActivation>(y);
    else y = L::mul(Math<L>::template activate<kActivation>(L::load_part(m.gate + at, count)), y);
    if (m.residual != nullptr) y = L::add(y, L::load_part(m.residual + at, count));
    L::store_part(m.out + at, y, count);
}

/// The same for one panel and all rows of the tile; products [rows][16].
template <class L, Activation kActivation>
[[gnu::noinline]] void finish_panel(const Matmul& m, int64_t n, const float* products) {
    for (int64_t lane = 0; lane < 16 && n + lane < m.end; lane += L::kLanes) {
        const int64_t left = m.end - n - lane;
        const int count = left < L::kLanes ? static_cast<int>(left) : L::kLanes;
        for (int32_t r = 0; r < m.rows; ++r)
            finish_lanes<L, kActivation>(m, r, n + lane, count, L::load(products + r * 16 + lane));
    }
}

template <class L>
void finish(const Matmul& m, int64_t n, const float* products) {
    switch (m.activation) {
        case Activation::None:
            return finish_panel<L, Activation::None>(m, n, products);
        case Activation::Silu:
            return finish_panel<L, Activation::Silu>(m, n, products);
        case Activation::GeluTanh:
            return finish_panel<L, Activation::GeluTanh>(m, n, products);
        case Activation::GeluErf:
            return finish_panel<L, Activation::GeluErf>(m, n, products);
        case Activation::Relu:
            return finish_panel<L, Activation::Relu>(m, n, products);
        case Activation::ReluSquared:
            return finish_panel<L, Activation::ReluSquared>(m, n, products);
        case Activation::Sigmoid:
            return finish_panel<L, Activation::Sigmoid>(m, n, products);
        case Activation::Tanh:
            return finish_panel<L, Activation::Tanh>(m, n, products);
        case Activation::Softplus:
            return finish_panel<L, Activation::Softplus>(m, n, products);
    }
}

/// One tile of R rows, P parts of a panel at a time.
template <class L, template <class, class, int, int> class Product, class W, int R, int P>
void multiply_tile(const Matmul& m) {
    const uint8_t* weights = m.weights;
    for (int64_t n = m.begin; n < m.end; n += 16, weights += m.panel_bytes) {
        alignas(64) float products[R * 16];
        for (int part = 0; part < 16 / L::kLanes; part += P) {
            typename L::F acc[R][P];
            GODWIT_UNROLL
            for (int r = 0; r < R; ++r)
                for (int p = 0; p < P; ++p) acc[r][p] = L::zero();
            Product<L, W, R, P>::run(weights, m.blocks, m.activations, part, acc);
            GODWIT_UNROLL
            for (int r = 0; r < R; ++r)
                for (int p = 0; p < P; ++p) L::store(products + r * 16 + (part + p) * L::kLanes, acc[r][p]);
        }
        finish<L>(m, n, products);
    }
}

/// With several rows, one part at a time of an integer product fills all registers. Single rows and float products take
/// all parts at once.
template <class L, template <class, class, int, int> class Product, class W, bool kFloat>
void multiply(const Matmul& m) {
    constexpr int kParts = 16 / L::kLanes;
    if constexpr (L::kTile > 1) {
        if (m.rows == L::kTile) return multiply_tile<L, Product, W, L::kTile, kFloat ? kParts : 1>(m);
        if (m.rows == 4) return multiply_tile<L, Product, W, 4, kFloat ? kParts : 1>(m);
        if (m.rows == 2) return multiply_tile<L, Product, W, 2, kParts>(m);
    }
    multiply_tile<L, Product, W, 1, kParts>(m);
}

}  // namespace
}  // namespace godwit::cpu
