// Elementwise work and reductions over lanes. A piece is as many elements as an ISA has lanes; sums run in 16 lanes on
// every ISA.
#pragma once

#include "backend/cpu/kernels.hpp"
#include "backend/cpu/kernels/math.hpp"
#include "backend/cpu/kernels/unroll.hpp"

namespace godwit::cpu {
namespace {

/// A whole piece.
template <class L>
struct Whole {
    using F = typename L::F;
    GODWIT_INLINE F load(const float* p) { return L::load(p); }
    GODWIT_INLINE void store(float* p, F x) { L::store(p, x); }
    GODWIT_INLINE F keep(F x, F) { return x; }
};

/// The last elements, fewer than lanes.
template <class L>
struct Rest {
    using F = typename L::F;
    int count;
    [[gnu::always_inline]] inline F load(const float* p) const { return L::load_part(p, count); }
    [[gnu::always_inline]] inline void store(float* p, F x) const { L::store_part(p, x, count); }
    /// `other` in the lanes that stand for nothing.
    [[gnu::always_inline]] inline F keep(F x, F other) const { return L::select(L::first(count), x, other); }
};

/// body(place, piece) for `count` elements.
template <class L, class Body>
GODWIT_INLINE void pieces(int64_t count, const Body& body) {
    int64_t i = 0;
    for (; i + L::kLanes <= count; i += L::kLanes) body(i, Whole<L>{});
    if (i < count) body(i, Rest<L>{static_cast<int>(count - i)});
}

/// out[i] = element of a[i].
template <class L, class Element>
GODWIT_INLINE void map(const float* a, int64_t count, float* out, const Element& element) {
    pieces<L>(count,
              [&](int64_t i, auto piece) GODWIT_INLINE_LAMBDA { piece.store(out + i, element(piece.load(a + i))); });
}

/// out[i] = element of a[i] and b[i].
template <class L, class Element>
GODWIT_INLINE void map(const float* a, const float* b, int64_t count, float* out, const Element& element) {
    pieces<L>(count, [&](int64_t i, auto piece)
                         GODWIT_INLINE_LAMBDA { piece.store(out + i, element(piece.load(a + i), piece.load(b + i))); });
}

/// The sum of ops.hpp: element i joins lane i mod 16, ascending; then lanes are folded 8, 4, 2, 1.
template <class L>
struct Lanes16 {
    using F = typename L::F;
    static constexpr int kParts = 16 / L::kLanes;

    /// Σ term(place, piece); a term must be 0 in lanes that stand for nothing.
    template <class Term>
    GODWIT_INLINE float sum(int64_t count, const Term& term) {
        F acc[kParts];
        for (F& part : acc) part = L::zero();
        int64_t i = 0;
        for (; i + 16 <= count; i += 16)
            for (int p = 0; p < kParts; ++p) acc[p] = L::add(acc[p], term(i + p * L::kLanes, Whole<L>{}));
        pieces_from(i, count, [&](int p, int64_t at, auto piece) GODWIT_INLINE_LAMBDA {
            acc[p] = L::add(acc[p], term(at, piece));
        });
        alignas(64) float lanes[16];
        for (int p = 0; p < kParts; ++p) L::store(lanes + p * L::kLanes, acc[p]);
        for (int width = 8; width > 0; width /= 2)
            for (int lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
        return lanes[0];
    }

private:
    /// The last, fewer than 16 elements from `begin` on: body(part, place, piece).
    template <class Body>
    GODWIT_INLINE void pieces_from(int64_t begin, int64_t count, const Body& body) {
        for (int p = 0; begin < count; ++p, begin += L::kLanes) {
            if (begin + L::kLanes <= count) body(p, begin, Whole<L>{});
            else body(p, begin, Rest<L>{static_cast<int>(count - begin)});
        }
    }
};

template <class L>
void add_row(const float* a, const float* b, int64_t count, float* out) {
    map<L>(a, b, count, out, [](auto x, auto y) GODWIT_INLINE_LAMBDA { return L::add(x, y); });
}

template <class L>
void multiply_row(const float* a, const float* b, int64_t count, float* out) {
    map<L>(a, b, count, out, [](auto x, auto y) GODWIT_INLINE_LAMBDA { return L::mul(x, y); });
}

template <class L>
void scale_row(const float* in, float factor, int64_t count, float* out) {
    map<L>(in, count, out, [=](auto x) GODWIT_INLINE_LAMBDA { return L::mul(x, L::set(factor)); });
}

template <class L>
void divide_row(const float* in, float divisor, int64_t count, float* out) {
    map<L>(in, count, out, [=](auto x) GODWIT_INLINE_LAMBDA { return L::div(x, L::set(divisor)); });
}

template <class L>
void softcap_row(const float* in, float cap, int64_t count, float* out) {
    map<L>(in, count, out,
           [=](auto x) GODWIT_INLINE_LAMBDA { return L::mul(L::set(cap), Math<L>::tanh(L::div(x, L::set(cap)))); });
}

template <class L>
void activate_row(Activation activation, const float* in, int64_t count, float* out) {
    with_activation(activation, [=]<Activation a>() GODWIT_INLINE_LAMBDA {
        map<L>(in, count, out, [](auto x) GODWIT_INLINE_LAMBDA { return Math<L>::template activate<a>(x); });
    });
}

template <class L>
void gate_row(Activation activation, const float* gate, const float* up, int64_t count, float* out) {
    with_activation(activation, [=]<Activation a>() GODWIT_INLINE_LAMBDA {
        map<L>(gate, up, count, out,
               [](auto x, auto y) GODWIT_INLINE_LAMBDA { return L::mul(Math<L>::template activate<a>(x), y); });
    });
}

/// y = x × factor (× weight) (+ rest), as every norm ends.
template <class L>
GODWIT_INLINE typename L::F weighted(typename L::F y, const float* weight, const float* rest, int64_t i, auto piece) {
    if (weight != nullptr) y = L::mul(y, piece.load(weight + i));
    if (rest != nullptr) y = L::add(y, piece.load(rest + i));
    return y;
}

template <class L>
GODWIT_INLINE float sum_of_squares(const float* in, int64_t count) {
    return Lanes16<L>::sum(count, [=](int64_t i, auto piece) GODWIT_INLINE_LAMBDA {
        const auto x = piece.load(in + i);
        return L::mul(x, x);
    });
}

template <class L>
void rms_norm_rows(const float* in, int64_t rows, int64_t columns, const float* weight, float epsilon,
                   const float* residual, float* out) {
    for (int64_t r = 0; r < rows; ++r, in += columns, out += columns) {
        const float mean = sum_of_squares<L>(in, columns) / static_cast<float>(columns);
        const auto factor = L::set(1.0f / __builtin_sqrtf(mean + epsilon));
        pieces<L>(columns, [&](int64_t i, auto piece) GODWIT_INLINE_LAMBDA {
            piece.store(out + i, weighted<L>(L::mul(piece.load(in + i), factor), weight, residual, i, piece));
        });
        if (residual != nullptr) residual += columns;
    }
}

template <class L>
void layer_norm_rows(const float* in, int64_t rows, int64_t columns, const float* weight, const float* bias,
                     float epsilon, float* out) {
    const float n = static_cast<float>(columns);
    for (int64_t r = 0; r < rows; ++r, in += columns, out += columns) {
        const float sum =
            Lanes16<L>::sum(columns, [=](int64_t i, auto piece) GODWIT_INLINE_LAMBDA { return piece.load(in + i); });
        const auto mean = L::set(sum / n);
        const float squares = Lanes16<L>::sum(columns, [=](int64_t i, auto piece) GODWIT_INLINE_LAMBDA {
            const auto x = L::sub(piece.load(in + i), mean);
            return piece.keep(L::mul(x, x), L::zero());
        });
        const auto factor = L::set(1.0f / __builtin_sqrtf(squares / n + epsilon));
        pieces<L>(columns, [&](int64_t i, auto piece) GODWIT_INLINE_LAMBDA {
            piece.store(out + i, weighted<L>(L::mul(L::sub(piece.load(in + i), mean), factor), weight, bias, i, piece));
        });
    }
}

template <class L>
void l2_norm_rows(const float* in, int64_t rows, int64_t columns, float epsilon, float* out) {
    for (int64_t r = 0; r < rows; ++r, in += columns, out += columns)
        scale_row<L>(in, 1.0f / __builtin_sqrtf(sum_of_squares<L>(in, columns) + epsilon), columns, out);
}

/// NaN counts for nothing; −inf of no elements.
template <class L>
float maximum_of_row(const float* in, int64_t count) {
    const auto lowest = L::set(-__builtin_inff());
    auto greatest = lowest;
    pieces<L>(count, [&](int64_t i, auto piece)
                         GODWIT_INLINE_LAMBDA { greatest = L::max(piece.keep(piece.load(in + i), lowest), greatest); });
    alignas(64) float lanes[L::kLanes];
    L::store(lanes, greatest);
    float maximum = lanes[0];
    for (float lane : lanes) maximum = lane > maximum ? lane : maximum;
    return maximum;
}

template <class L>
float exp_row(const float* in, float minus, int64_t count, float* out) {
    return Lanes16<L>::sum(count, [=](int64_t i, auto piece) GODWIT_INLINE_LAMBDA {
        const auto y = Math<L>::exp(L::sub(piece.load(in + i), L::set(minus)));
        piece.store(out + i, y);
        return piece.keep(y, L::zero());
    });
}

template <class L>
struct Rope {
    using F = typename L::F;

    /// (a, b) turned by the angle.
    GODWIT_INLINE void turn(F& a, F& b, F cos, F sin) {
        const F turned = L::fma(a, cos, Math<L>::negative(L::mul(b, sin)));
        b = L::fma(a, sin, L::mul(b, cos));
        a = turned;
    }

    /// Pairs (i, i + pairs). The table is taken apart once for all heads.
    static void halves(const float* in, int64_t heads, int64_t head_dim, const float* table, int64_t pairs,
                       float* out) {
        constexpr int64_t kChunk = 128;
        alignas(64) float cos[kChunk], sin[kChunk];
        for (int64_t begin = 0; begin < pairs; begin += kChunk) {
            const int64_t count = pairs - begin < kChunk ? pairs - begin : kChunk;
            for (int64_t i = 0; i < count; ++i) {
                cos[i] = table[2 * (begin + i)];
                sin[i] = table[2 * (begin + i) + 1];
            }
            for (int64_t h = 0; h < heads; ++h) {
                const float* x = in + h * head_dim + begin;
                float* y = out + h * head_dim + begin;
                pieces<L>(count, [&](int64_t i, auto piece) GODWIT_INLINE_LAMBDA {
                    F a = piece.load(x + i), b = piece.load(x + pairs + i);
                    turn(a, b, piece.load(cos + i), piece.load(sin + i));
                    piece.store(y + i, a);
                    piece.store(y + pairs + i, b);
                });
            }
        }
    }

    /// Pairs (2i, 2i + 1), as the table has them too.
    static void neighbours(const float* in, int64_t heads, int64_t head_dim, const float* table, int64_t pairs,
                           float* out) {
        for (int64_t h = 0; h < heads; ++h, in += head_dim, out += head_dim) {
            const auto step = [&](int64_t i, auto low, auto high) GODWIT_INLINE_LAMBDA {
                const F x0 = low.load(in + i), x1 = high.load(in + i + L::kLanes);
                const F t0 = low.load(table + i), t1 = high.load(table + i + L::kLanes);
                F a = L::even(x0, x1), b = L::odd(x0, x1);
                turn(a, b, L::even(t0, t1), L::odd(t0, t1));
                low.store(out + i, L::low(a, b));
                high.store(out + i + L::kLanes, L::high(a, b));
            };
            int64_t i = 0;
            for (; i + 2 * L::kLanes <= 2 * pairs; i += 2 * L::kLanes) step(i, Whole<L>{}, Whole<L>{});
            const int left = static_cast<int>(2 * pairs - i);
            if (left > L::kLanes) step(i, Whole<L>{}, Rest<L>{left - L::kLanes});
            else if (left > 0) step(i, Rest<L>{left}, Rest<L>{0});
        }
    }
};

template <class L>
void rope_row(const float* in, int64_t heads, int64_t head_dim, const float* table, int64_t pairs, RopePairing pairing,
              float* out) {
    if (pairing == RopePairing::Interleaved) Rope<L>::neighbours(in, heads, head_dim, table, pairs, out);
    else Rope<L>::halves(in, heads, head_dim, table, pairs, out);
    if (in == out) return;
    for (int64_t h = 0; h < heads; ++h)
        for (int64_t i = h * head_dim + 2 * pairs; i < (h + 1) * head_dim; ++i) out[i] = in[i];
}

template <class L>
void f16_row(const float* in, int64_t count, uint16_t* out) {
    int64_t i = 0;
    for (; i + L::kLanes <= count; i += L::kLanes) L::store_half(out + i, L::load(in + i));
    if (i == count) return;
    uint16_t rest[L::kLanes];
    L::store_half(rest, L::load_part(in + i, static_cast<int>(count - i)));
    for (int lane = 0; i < count; ++i, ++lane) out[i] = rest[lane];
}

template <class L>
constexpr RowKernels make_row_kernels() {
    return {.add = add_row<L>,
            .multiply = multiply_row<L>,
            .scale = scale_row<L>,
            .divide = divide_row<L>,
            .softcap = softcap_row<L>,
            .activate = activate_row<L>,
            .gate = gate_row<L>,
            .to_f16 = f16_row<L>,
            .rms_norm = rms_norm_rows<L>,
            .layer_norm = layer_norm_rows<L>,
            .l2_norm = l2_norm_rows<L>,
            .maximum = maximum_of_row<L>,
            .exp = exp_row<L>,
            .rope = rope_row<L>};
}

}  // namespace
}  // namespace godwit::cpu
