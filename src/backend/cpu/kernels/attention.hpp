// Attention of one tile and one split (ops.hpp: Attention) over lanes. Both inner products are one loop: some queries
// times two vectors of a row at a time; lanes are tokens for scores, value elements for values.
#pragma once

#include "backend/cpu/kernels.hpp"
#include "backend/cpu/kernels/math.hpp"
#include "backend/cpu/kernels/unroll.hpp"

namespace godwit::cpu {
namespace {

template <class L>
struct TileAttention {
    using F = typename L::F;
    using Tile = AttentionTile;
    using Sums = AttentionSums;

    static constexpr int kSplit = static_cast<int>(kAttentionSplit);
    static constexpr int kColumns = 2 * L::kLanes;
    /// Queries at a time: of 32 registers 24 hold sums, of 16 12.
    static constexpr int kWidest = L::kTile == 8 ? 12 : L::kTile;
    /// Where a query that sees nothing of a split begins and ends to see: after all places, at a first lane.
    static constexpr int kNever = kSplit + 16;
    static_assert(kAttentionQueries % kWidest == 0 && kAttentionColumns % kColumns == 0);

    /// body<Q>() with the least width that `queries` fit in, or the greatest.
    template <int Q = kWidest, class Body>
    GODWIT_INLINE void with_width(int64_t queries, const Body& body) {
        constexpr int kLess = Q > 8 ? 8 : Q > 4 ? 4 : Q / 2;
        if constexpr (kLess > 0)
            if (queries <= kLess) return with_width<kLess>(queries, body);
        body.template operator()<Q>();
    }

    template <bool half>
    GODWIT_INLINE F load(const uint8_t* p) {
        if constexpr (half) return L::load_half(p);
        else return L::load(reinterpret_cast<const float*>(p));
    }

    /// acc[q] = fma(x[row][q], rows[row], acc[q]) for `count` rows, ascending. `ahead`: what will be read soon, row by
    /// row.
    template <int Q, bool half, int kQueryStep, int kRowStep>
    GODWIT_INLINE void multiply(F (&acc)[Q][2], const float* x, const uint8_t* rows, int64_t row_bytes, int64_t count,
                                const uint8_t* ahead) {
        for (int64_t i = 0; i < count; ++i, x += kRowStep, rows += row_bytes, ahead += row_bytes) {
            const F first = load<half>(rows), second = load<half>(rows + L::kLanes * (half ? 2 : 4));
            __builtin_prefetch(ahead);
            if constexpr (!half && L::kLanes == 16) __builtin_prefetch(ahead + 64);
            GODWIT_UNROLL
            for (int q = 0; q < Q; ++q) {
                const F factor = L::set(x[q * kQueryStep]);
                acc[q][0] = L::fma(factor, first, acc[q][0]);
                acc[q][1] = L::fma(factor, second, acc[q][1]);
            }
        }
    }

    template <int Q>
    GODWIT_INLINE void clear(F (&acc)[Q][2]) {
        GODWIT_UNROLL
        for (int q = 0; q < Q; ++q) acc[q][0] = acc[q][1] = L::zero();
    }

    /// scores[q] = query · key, for kColumns tokens.
    template <int Q, bool half>
    [[gnu::noinline]] static void multiply_keys(const float* packed, const uint8_t* keys, int64_t row_bytes,
                                                int64_t dims, const uint8_t* ahead, float* scores) {
        F acc[Q][2];
        clear(acc);
        multiply<Q, half, 1, Q>(acc, packed, keys, row_bytes, dims, ahead);
        GODWIT_UNROLL
        for (int q = 0; q < Q; ++q) {
            L::store(scores + q * kAttentionStride, acc[q][0]);
            L::store(scores + q * kAttentionStride + L::kLanes, acc[q][1]);
        }
    }

    /// kColumns elements of the values of a split's places.
    struct Columns {
        const uint8_t* const* blocks;
        int64_t offset, row_bytes;  // of the columns in a block, and from place to place
        int32_t block_tokens;
    };

    /// acc[q] += Σ p · value over the places [begin, end).
    template <int Q, bool half>
    GODWIT_INLINE void multiply_places(F (&acc)[Q][2], const float* p, const Columns& columns, int32_t begin,
                                       int32_t end) {
        while (begin < end) {
            const int32_t block = begin / columns.block_tokens, skip = begin % columns.block_tokens;
            const int32_t left = columns.block_tokens - skip, count = end - begin < left ? end - begin : left;
            const int64_t at = columns.offset + skip * columns.row_bytes;
            if (columns.blocks[block] != nullptr)
                multiply<Q, half, kAttentionStride, 1>(acc, p + begin, columns.blocks[block] + at, columns.row_bytes,
                                                       count, block_ahead(columns.blocks, block) + at);
            begin += count;
        }
    }

    /// Σ p · value over the places that each query sees, for kColumns columns. All queries from `first` on walk over
    /// the places that any of them sees: a sum starts anew at its first place and is stored after its last; what is
    /// added before and after is lost.
    template <int Q, bool half>
    [[gnu::noinline]] static void multiply_values(const Tile& t, int64_t first, const Columns& columns, float* values) {
        const float* p = t.scores + first * kAttentionStride;
        const int32_t *begin = t.begin + first, *end = t.end + first, *bounds = t.bounds + 3 * first;
        float* out = values + first * t.value_stride;
        const int64_t stride = t.value_stride;
        F acc[Q][2];
        clear(acc);
        for (; bounds[1] != kNever; ++bounds) {
            GODWIT_UNROLL
            for (int q = 0; q < Q; ++q)
                if (begin[q] == bounds[0]) acc[q][0] = acc[q][1] = L::zero();
            multiply_places<Q, half>(acc, p, columns, bounds[0], bounds[1]);
            GODWIT_UNROLL
            for (int q = 0; q < Q; ++q)
                if (end[q] == bounds[1]) {
                    L::store(out + q * stride, acc[q][0]);
                    L::store(out + q * stride + L::kLanes, acc[q][1]);
                }
        }
    }

    /// What is read soon after this block, to fetch it ahead, or nothing new.
    GODWIT_INLINE const uint8_t* block_ahead(const uint8_t* const* blocks, int64_t block) {
        const uint8_t* ahead = blocks[block + kAttentionAhead];
        return ahead != nullptr ? ahead : blocks[block];
    }

    /// body<Q>(q) for the queries of a tile, Q at a time.
    template <class Body>
    GODWIT_INLINE void for_queries(const Tile& t, const Body& body) {
        for (int64_t q = 0; q < t.rows * t.heads_per_kv; q += kWidest)
            with_width(t.rows * t.heads_per_kv - q,
                       [&]<int Q>() GODWIT_INLINE_LAMBDA { body.template operator()<Q>(q); });
    }

    /// Queries next to each other dimension by dimension, as multiply takes them.
    static void pack(const Tile& t) {
        for_queries(t, [&]<int Q>(int64_t first) GODWIT_INLINE_LAMBDA {
            float* out = t.packed + first * t.head_dim;
            for (int64_t q = first; q < first + Q; ++q, ++out) {
                const int64_t row = q / t.heads_per_kv;
                const float* in = t.query + row * t.query_stride + q % t.heads_per_kv * t.head_dim;
                for (int64_t d = 0; d < t.head_dim; ++d) out[d * Q] = row < t.rows ? in[d] : 0.0f;
            }
        });
    }

    /// Which places of the split each query sees: [begin, end), counted from the split's first.
    static void find_bounds(const Tile& t, int64_t first_place) {
        int64_t q = 0;
        for (int64_t row = 0; row < t.rows; ++row) {
            const int64_t after = t.index[row] + 1 - first_place;
            const int64_t before = t.window > 0 ? after - t.window : -first_place;
            const bool any = before < kSplit && after > 0;
            const auto begin = static_cast<int32_t>(!any ? kNever : before < 0 ? 0 : before);
            const auto end = static_cast<int32_t>(!any ? kNever : after < kSplit ? after : kSplit);
            for (int64_t head = 0; head < t.heads_per_kv; ++head, ++q) t.begin[q] = begin, t.end[q] = end;
        }
        for (; q % kAttentionQueries != 0; ++q) t.begin[q] = t.end[q] = kNever;
    }

    /// Where any of the queries that are taken at once begins or ends to see, ascending, then kNever; twice if none
    /// sees.
    static void sort_bounds(const Tile& t) {
        for_queries(t, [&]<int Q>(int64_t first) GODWIT_INLINE_LAMBDA {
            int32_t* bounds = t.bounds + 3 * first;
            int count = 0;
            bounds[1] = kNever;
            for (int64_t q = first; q < first + Q; ++q) {
                const bool again = q > first && t.begin[q] == t.begin[q - 1] && t.end[q] == t.end[q - 1];
                if (again || t.begin[q] == kNever) continue;
                count = insert(bounds, count, t.begin[q]);
                count = insert(bounds, count, t.end[q]);
            }
            bounds[count] = kNever;
        });
    }

    /// A place into an ascending list, once; how many there are now.
    static int insert(int32_t* list, int count, int32_t place) {
        int at = count;
        while (at > 0 && list[at - 1] > place) --at;
        if (at > 0 && list[at - 1] == place) return count;
        for (int i = count; i > at; --i) list[i] = list[i - 1];
        list[at] = place;
        return count + 1;
    }

    template <bool half>
    static void find_scores(const Tile& t, const uint8_t* const* keys) {
        constexpr int64_t kBytes = half ? 2 : 4;
        for (int64_t place = 0; place < kSplit; place += kColumns) {
            const int64_t block = place / t.block_tokens, offset = place % t.block_tokens * kBytes;
            for_queries(t, [&]<int Q>(int64_t first) GODWIT_INLINE_LAMBDA {
                bool seen = false;
                for (int64_t q = first; q < first + Q; ++q) seen |= t.begin[q] < place + kColumns && t.end[q] > place;
                if (seen)
                    multiply_keys<Q, half>(t.packed + first * t.head_dim, keys[block] + offset, t.block_tokens * kBytes,
                                           t.head_dim, block_ahead(keys, block) + offset,
                                           t.scores + first * kAttentionStride + place);
            });
        }
    }

    /// x in lanes that stand for places [begin, end), `other` elsewhere; the first lane is place i.
    GODWIT_INLINE F seen(F x, int32_t i, int32_t begin, int32_t end, F other) {
        if (i < begin) x = L::select(L::first(begin - i < L::kLanes ? begin - i : L::kLanes), other, x);
        if (i + L::kLanes > end) x = L::select(L::first(end - i > 0 ? end - i : 0), x, other);
        return x;
    }

    /// Products to scores, in place; their maximum.
    GODWIT_INLINE float scale_scores(const Tile& t, int64_t q) {
        const int32_t begin = t.begin[q], end = t.end[q];
        float* scores = t.scores + q * kAttentionStride;
        const F scale = L::set(t.scale), cap = L::set(t.softcap), lowest = L::set(-__builtin_inff());
        F greatest = lowest;
        for (int32_t i = begin / 16 * 16; i < end; i += L::kLanes) {
            F score = L::mul(L::load(scores + i), scale);
            if (t.softcap > 0) score = L::mul(cap, Math<L>::tanh(L::div(score, cap)));
            score = seen(score, i, begin, end, lowest);
            greatest = L::max(score, greatest);
            L::store(scores + i, score);
        }
        return L::greatest(greatest);
    }

    /// Scores to p, in place; their sum.
    GODWIT_INLINE float exp_scores(const Tile& t, int64_t q, float maximum) {
        const int32_t begin = t.begin[q], end = t.end[q];
        float* scores = t.scores + q * kAttentionStride;
        constexpr int kParts = 16 / L::kLanes;
        F sums[kParts];
        for (F& sum : sums) sum = L::zero();
        for (int32_t i = begin / 16 * 16; i < end; i += 16)
            for (int j = 0; j < kParts; ++j) {
                const int32_t at = i + j * L::kLanes;
                const F p = Math<L>::exp(L::sub(L::load(scores + at), L::set(maximum)));
                sums[j] = L::add(sums[j], seen(p, at, begin, end, L::zero()));
                L::store(scores + at, p);
            }
        return L::fold(sums);
    }

    template <bool half>
    static void weigh_values(const Tile& t, const uint8_t* const* values, const Sums& part) {
        constexpr int64_t kBytes = half ? 2 : 4;
        const Columns whole = {values, 0, t.value_dim * kBytes, static_cast<int32_t>(t.block_tokens)};
        int64_t column = 0;
        for (; column + kColumns <= t.value_dim; column += kColumns) {
            Columns columns = whole;
            columns.offset = column * kBytes;
            weigh_columns<half>(t, columns, part.values + column);
        }
        if (column == t.value_dim) return;
        const uint8_t* rest[kSplit / 32 + kAttentionAhead] = {};
        copy_columns<half>(t, values, column, rest);
        weigh_columns<false>(t, {rest, 0, kColumns * 4, whole.block_tokens}, part.values + column);
    }

    template <bool half>
    GODWIT_INLINE void weigh_columns(const Tile& t, const Columns& columns, float* out) {
        for_queries(t, [&]<int Q>(int64_t q) GODWIT_INLINE_LAMBDA { multiply_values<Q, half>(t, q, columns, out); });
    }

    /// The last columns, fewer than kColumns, as whole rows of floats in scratch.
    template <bool half>
    static void copy_columns(const Tile& t, const uint8_t* const* values, int64_t column, const uint8_t** copies) {
        constexpr int64_t kBytes = half ? 2 : 4;
        const int64_t blocks = kSplit / t.block_tokens;
        for (int64_t block = 0; block < blocks; ++block) {
            float* out = t.columns + block * t.block_tokens * kColumns;
            copies[block] = values[block] == nullptr ? nullptr : reinterpret_cast<const uint8_t*>(out);
            if (values[block] == nullptr) continue;
            for (int64_t place = 0; place < t.block_tokens; ++place, out += kColumns) {
                uint8_t row[kColumns * kBytes] = {};
                const uint8_t* in = values[block] + (place * t.value_dim + column) * kBytes;
                __builtin_memcpy(row, in, static_cast<size_t>((t.value_dim - column) * kBytes));
                L::store(out, load<half>(row));
                L::store(out + L::kLanes, load<half>(row + L::kLanes * kBytes));
            }
        }
    }

    static void split(const Tile& t, int64_t first_place, const uint8_t* const* keys, const uint8_t* const* values,
                      const Sums& part) {
        find_bounds(t, first_place);
        sort_bounds(t);
        if (t.half) find_scores<true>(t, keys);
        else find_scores<false>(t, keys);
        for (int64_t q = 0; q < t.rows * t.heads_per_kv; ++q) part.maximum[q] = scale_scores(t, q);
        for (int64_t q = 0; q < t.rows * t.heads_per_kv; ++q) part.sum[q] = exp_scores(t, q, part.maximum[q]);
        if (t.half) weigh_values<true>(t, values, part);
        else weigh_values<false>(t, values, part);
    }

    static float exp(float x) {
        alignas(64) float lanes[L::kLanes];
        L::store(lanes, Math<L>::exp(L::set(x)));
        return lanes[0];
    }

    /// total = total ⊕ (maximum, sum, values); null values are 0.
    static void merge_query(const Tile& t, const Sums& total, int64_t q, float maximum, float sum,
                            const float* values) {
        const float greatest = total.maximum[q] < maximum ? maximum : total.maximum[q];
        const float keep = exp(total.maximum[q] - greatest), take = exp(maximum - greatest);
        total.maximum[q] = greatest;
        total.sum[q] = __builtin_fmaf(total.sum[q], keep, sum * take);
        float* kept = total.values + q * t.value_stride;
        for (int64_t i = 0; i < t.value_dim; i += L::kLanes) {
            const F taken = L::mul(values == nullptr ? L::zero() : L::load(values + i), L::set(take));
            L::store(kept + i, L::fma(L::load(kept + i), L::set(keep), taken));
        }
    }

    static void merge(const Tile& t, const Sums& part, const Sums& total) {
        for (int64_t q = 0; q < t.rows * t.heads_per_kv; ++q)
            if (part.sum[q] != 0.0f)
                merge_query(t, total, q, part.maximum[q], part.sum[q], part.values + q * t.value_stride);
    }

    static void finish(const Tile& t, const Sums& total, const float* sinks, float* out, int64_t stride) {
        for (int64_t q = 0; q < t.rows * t.heads_per_kv; ++q) {
            const int64_t head = q % t.heads_per_kv;
            if (sinks != nullptr) merge_query(t, total, q, sinks[head], 1.0f, nullptr);
            const float* values = total.values + q * t.value_stride;
            float* to = out + q / t.heads_per_kv * stride + head * t.value_dim;
            const F sum = L::set(total.sum[q]);
            int64_t i = 0;
            for (; i + L::kLanes <= t.value_dim; i += L::kLanes) L::store(to + i, L::div(L::load(values + i), sum));
            if (i < t.value_dim)
                L::store_part(to + i, L::div(L::load(values + i), sum), static_cast<int>(t.value_dim - i));
        }
    }
};

template <class L>
constexpr AttentionKernels make_attention_kernels() {
    using A = TileAttention<L>;
    return {.pack = A::pack, .split = A::split, .merge = A::merge, .finish = A::finish};
}

}  // namespace
}  // namespace godwit::cpu
