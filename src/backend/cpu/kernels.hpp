// The kernel table: what one ISA's object file offers, as plain functions on plain memory. Chosen once
// (choose_kernels), so that no kernel asks what machine it runs on. Every table computes the same bits;
// docs/numerics.md says which.
#pragma once

#include <cstdint>

#include "backend/activation_blocks.hpp"
#include "backend/ops.hpp"

namespace godwit::cpu {

/// Multiplies some panels of 16 outputs (packed.hpp) with one tile of input rows, then adds the bias, applies the
/// activation or the gate, adds the residual and stores the result.
struct Matmul {
    const uint8_t* weights;   // the first panel
    int64_t panel_bytes;      // from one panel to the next
    int64_t blocks;           // of a row
    const void* activations;  // the tile, [blocks][rows] of the kind of block that the weights' type needs
    int32_t rows;             // in the tile: one of Kernels::tiles
    int64_t begin, end;       // outputs; begin is a multiple of 16; so is end, except at the last panel of a matrix
    const float* bias;        // [outputs] or null
    Activation activation;    // of the biased product
    const float* gate;        // null, or: activation of gate[r][output] instead, times the biased product; may be `out`
    const float* residual;    // null, or [rows][outputs], added last; may be `out`
    float* out;               // [rows][outputs]; like gate and residual it starts at the tile's first row
    int64_t stride;           // of gate, residual and out, in floats
};

/// Elementwise work and reductions (kernels/rows.hpp), with the meaning of the op of the same name (ops.hpp). `count`
/// elements, or rows one after the other; `out` may be an input. Weights, biases and residuals may be null.
struct RowKernels {
    void (*add)(const float* a, const float* b, int64_t count, float* out);
    void (*multiply)(const float* a, const float* b, int64_t count, float* out);
    void (*scale)(const float* in, float factor, int64_t count, float* out);
    void (*divide)(const float* in, float divisor, int64_t count, float* out);
    void (*softcap)(const float* in, float cap, int64_t count, float* out);
    void (*activate)(Activation activation, const float* in, int64_t count, float* out);
    void (*gate)(Activation activation, const float* gate, const float* up, int64_t count, float* out);
    void (*to_f16)(const float* in, int64_t count, uint16_t* out);
    void (*rms_norm)(const float* in, int64_t rows, int64_t columns, const float* weight, float epsilon,
                     const float* residual, float* out);
    void (*layer_norm)(const float* in, int64_t rows, int64_t columns, const float* weight, const float* bias,
                       float epsilon, float* out);
    void (*l2_norm)(const float* in, int64_t rows, int64_t columns, float epsilon, float* out);
    /// The greatest element but for NaN; −inf of none.
    float (*maximum)(const float* in, int64_t count);
    /// out = exp(in − minus); returns the sum.
    float (*exp)(const float* in, float minus, int64_t count, float* out);
    /// All heads of one row; table [pairs, 2].
    void (*rope)(const float* in, int64_t heads, int64_t head_dim, const float* table, int64_t pairs,
                 RopePairing pairing, float* out);
};

/// Attention of a tile: some rows of one sequence, for the query heads that share one KV head. A query is one head of
/// one row; row after row, heads ascending. Tables of queries have their number rounded up to kAttentionQueries.
struct AttentionTile {
    const float* query;    // of the first row [heads_per_kv, head_dim]
    int64_t query_stride;  // from row to row, in floats
    const int32_t* index;  // [rows]
    int64_t rows, heads_per_kv;
    int64_t head_dim, value_dim, block_tokens;
    bool half;  // planes of F16, not F32
    int32_t window;
    float scale, softcap;
    int64_t value_stride;  // of AttentionSums::values: value_dim rounded up to kAttentionColumns
    float* packed;         // scratch [queries, head_dim], made by pack
    float* scores;         // scratch [queries, kAttentionStride]
    float* columns;        // scratch [kAttentionSplit, kAttentionColumns], where value_dim has a rest
    int32_t *begin, *end;  // scratch [queries]: the places of a split that each sees
    int32_t* bounds;       // scratch [queries, 3]: both, sorted, for queries that are taken at once
};

inline constexpr int64_t kAttentionQueries = 12, kAttentionColumns = 32;  // multiples of every ISA's widths
inline constexpr int64_t kAttentionAhead = 2;                             // how many blocks ahead the kernel prefetches
/// Distance of one query's scores from the next's; a power of two would put them all into the same cache sets.
inline constexpr int64_t kAttentionStride = kAttentionSplit + 16;

/// Of every query: the greatest score, Σ p (0: it saw nothing) and Σ p · value.
struct AttentionSums {
    float* maximum;  // [queries]
    float* sum;      // [queries]
    float* values;   // [queries, value_stride]
};

struct AttentionKernels {
    /// Once for a tile, before split.
    void (*pack)(const AttentionTile& tile);
    /// Sums over one split, whose first place is `place`. keys and values: where each of its blocks has the KV head's,
    /// null if no row of the tile sees the block. kAttentionAhead more pointers follow: what to prefetch, or null.
    void (*split)(const AttentionTile& tile, int64_t place, const uint8_t* const* keys, const uint8_t* const* values,
                  const AttentionSums& sums);
    /// total = total ⊕ part, for the queries that saw something.
    void (*merge)(const AttentionTile& tile, const AttentionSums& part, const AttentionSums& total);
    /// Adds the sinks ([heads_per_kv] or null) and divides by the sums. out: [heads_per_kv, value_dim] of the first
    /// row; the next row's is `stride` floats further.
    void (*finish)(const AttentionTile& tile, const AttentionSums& total, const float* sinks, float* out,
                   int64_t stride);
};

struct Kernels {
    const char* name;  // of the ISA: "scalar", "avx2", "avx512"
    int32_t tiles[4];  // rows that a tile may have, greatest first, 1 last
    /// By DType; null where there is none.
    void (*matmul[40])(const Matmul&);
    /// One row of activations, quantised into every `stride`-th block from `out` on. `in` has blocks × 32 (256)
    /// elements.
    void (*quantise32)(const float* in, int64_t blocks, Block32* out, int64_t stride);
    void (*quantise256)(const float* in, int64_t blocks, Block256* out, int64_t stride);
    RowKernels rows;
    AttentionKernels attention;
};

extern const Kernels kScalarKernels;
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;

}  // namespace godwit::cpu
