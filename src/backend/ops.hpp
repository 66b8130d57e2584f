// Every piece of arithmetic that a model is made of. Backends implement these ops, models call nothing else.
//
// For every op, unless it says otherwise:
//
// - Views are dense and row-major. Activations are F32, ids and positions I32. Weights have any type the device
//   supports.
// - Shapes are CHECKed: a wrong one is a programmer's error (what comes from files was validated at load). With zero
//   rows nothing happens.
// - `out` may be the same view as an input of the same shape. Otherwise it overlaps no input.
// - Ops run in the order of the calls; they may be enqueued. Nothing is read back (Device::download waits).
// - Row invariance (I1): the result of a row depends on that row's inputs alone, never on the other rows of the call.
// - Products with quantised weights follow docs/numerics.md (plain loops: reference/quantised.cpp): activations are
//   rounded to 8 bits, sums inside a block are exact integers, f32 steps go over the blocks in ascending order. A type
//   that has no such form there is dequantised and follows the next rule.
// - The order of sums, class "base". A `dot` is one f32 chain acc = fma(a[k], b[k], acc), from acc = +0, k ascending
//   from 0. A `sum` has 16 lanes (element i in lane i mod 16), each ascending; then lanes are folded 8, 4, 2, 1. A
//   `mean` is sum / count. exp, log, tanh and erf are those of base/math.hpp, activations those of
//   reference/activation.hpp. Other formulas hold as written: left to right, each operation rounded to f32, fma only
//   where it says so.
//
// The specification, and what to read first: backend/reference/.
#pragma once

#include <cstdint>
#include <span>

#include "backend/device.hpp"
#include "tensor/buffer.hpp"

namespace godwit {

/// Of docs/numerics.md: raised with every change that moves a bit of any op. Part of the identity of cached blocks.
inline constexpr int64_t kNumericsVersion = 1;

/// Exact forms: reference/activation.hpp. Silu x·σ(x); GeluTanh the tanh approximation of GELU; GeluErf GELU itself.
enum class Activation : uint8_t { None, Silu, GeluTanh, GeluErf, Relu, ReluSquared, Sigmoid, Tanh, Softplus };

/// One matrix of a grouped product.
struct LinearTarget {
    Weight weight;  // [out, in]
    View bias;      // [out] or none
    View out;       // [rows, out]
};

/// out = act((rms_norm?(input) · weightᵀ) + bias) + residual, for several matrices that share their input.
struct Linear {
    View input;                             // [n, in]
    View norm;                              // [in] or none: RMS-norm weight applied to the input first
    float epsilon = 0;                      // of that norm
    View rows;                              // I32 [rows] or none: which rows of the input are taken (0 ≤ id < n)
    std::span<const LinearTarget> targets;  // all [out_i, in]
    Activation activation = Activation::None;
    bool gated =
        false;      // two targets of one shape: targets[0].out = act(target 0) × target 1; targets[1].out is scratch
    View residual;  // [rows, out] or none: added last; needs a single target
};

/// Which elements of a head rope turns together: (2i, 2i+1) or (i, i + dims/2).
enum class RopePairing : uint8_t { Interleaved, HalfSplit };

/// Causal softmax attention over paged keys and values. Every row and every head by itself; head h uses KV head
/// h / (heads / kv_heads).
///
/// The score of a place is dot(query, key) × scale, then the soft cap. Places are summed in splits, which begin at
/// multiples of kAttentionSplit. In each split, m is the maximum of the scores (NaN aside) and p = exp(score − m). The
/// p are summed in 16 lanes (lane = place mod 16), ascending, then folded 8, 4, 2, 1. Each element of the values is one
/// fma chain of p × value from +0, places ascending.
///
/// Splits of which the row sees something are merged in ascending order, from m = −inf, sum = 0, values = 0. The sink
/// comes last, as a split with m' = sink, sum' = 1, values' = 0. To merge, M = max(m, m'), keep = exp(m − M),
/// take = exp(m' − M); then sum = fma(sum, keep, sum' × take), the values alike, and m = M. In the end
/// out = values / sum.
///
/// Places that a row does not see (later ones, those before the window, those never written) have no effect, whatever
/// their bytes. A block that no row sees may have any number in the block table.
struct Attention {
    View query;        // [rows, heads, head_dim]
    View keys;         // F32 or F16 [blocks, kv_heads, head_dim, block_tokens]: tokens, a product's lanes, side by side
    View values;       // same type [blocks, kv_heads, block_tokens, value_dim]
    View block_table;  // I32 [sequences, blocks of a sequence]: block ids
    View sequence;     // I32 [rows]: row of the block table
    View index;        // I32 [rows]: the row's own place in its sequence; it sees places ≤ its own
    int32_t window = 0;  // > 0: sees only places > index − window
    float scale = 1;
    float softcap = 0;  // > 0: scores become cap·tanh(score / cap)
    View sinks;         // [heads] or none: exp(sink) joins the denominator
    View out;           // [rows, heads, value_dim]
};

/// Places of a split of attention. block_tokens is a multiple of 32 that divides it.
inline constexpr int64_t kAttentionSplit = 256;

/// A step's keys and values on their way into the planes that Attention reads.
struct CacheWrite {
    View key;           // [rows, kv_heads, head_dim]
    View value;         // [rows, kv_heads, value_dim]
    View slot_mapping;  // I32 [rows]: block × block_tokens + place, all different
    View keys;          // as in Attention
    View values;
};

/// Expert choice of a mixture-of-experts layer. Each logit gets a score; the experts with the greatest score + bias are
/// chosen, among those of the best groups; their scores are the weights.
struct Route {
    View logits;  // [rows, experts]
    View bias;    // [experts] or none: added for the selection only
    enum class Score : uint8_t {
        Softmax,  // over all experts
        Sigmoid,
        SoftmaxOfChosen,  // the logit itself; the weights are the softmax over the chosen logits
        SqrtSoftplus,
    } score = Score::Softmax;
    int32_t groups = 1,
            groups_used = 1;  // of equally many experts; a group's score is the sum of its two best (or only) ones
    bool normalise = false;   // weights of the chosen sum to 1 (divided by max(sum, 2^-14))
    float scale = 1;          // of the weights, last
    View experts;             // out: I32 [rows, used]; in argmax's order
    View weights;             // out: [rows, used]
};

/// Gated delta rule, token by token: S ← exp(g)·S; δ = β·(v − Sᵀk); S ← fma(k, δᵀ, S); out = Sᵀq. Products with Sᵀ are
/// dots over key_dim. (Yang et al., "Gated Delta Networks", 2024; Kimi Linear: a decay per key element, 2025.)
struct DeltaRule {
    View query, key;  // [rows, heads, key_dim], normalised and scaled by the caller
    View value;       // [rows, heads, value_dim]
    View decay;       // g: [rows, heads] or [rows, heads, key_dim]
    View beta;        // [rows, heads]
    View state;       // [sequences, heads, key_dim, value_dim], read and written
    View sequence;    // I32 [rows]; rows of a sequence stand in order
    View out;         // [rows, heads, value_dim]
};

/// Mamba-2 recurrence: S ← fma(dt·x, bᵀ, exp(dt·a)·S); out = fma(d, x, S·c), S·c a dot over state_dim. (Dao and Gu,
/// 2024.)
struct SelectiveScan {
    View input;     // x: [rows, heads, head_dim]
    View dt;        // [rows, heads], after softplus
    View a, d;      // [heads]; a is negative
    View b, c;      // [rows, groups, state_dim]; head h uses group h / (heads / groups)
    View state;     // [sequences, heads, head_dim, state_dim], read and written
    View sequence;  // I32 [rows]; rows of a sequence stand in order
    View out;       // [rows, heads, head_dim]
};

/// Depthwise causal convolution over time: out = act(dot over the taps, oldest input first, + bias).
struct CausalConv {
    View input;     // [rows, channels]
    View weight;    // [channels, taps]; the last tap meets the newest input
    View bias;      // [channels] or none
    View state;     // [sequences, taps − 1, channels]: the inputs before this step, oldest first; read and written
    View sequence;  // I32 [rows]; rows of a sequence stand in order
    Activation activation = Activation::None;
    View out;  // [rows, channels]
};

class Ops {
public:
    virtual ~Ops() = default;

    // Moving
    /// All bytes zero; any type.
    virtual void zero(const View& out) = 0;
    /// Elementwise conversion among F32, F16 and BF16 (round to nearest even), or a plain copy of equal types.
    virtual void copy(const View& in, const View& out) = 0;
    /// out[r] = dequantised table[ids[r]] × scale. ids I32 [rows], out [rows, in].
    virtual void embed(const Weight& table, const View& ids, float scale, const View& out) = 0;
    /// out[r] = in[index[r]]. in [n, columns], index I32 [rows], out [rows, columns], apart from in.
    virtual void gather_rows(const View& in, const View& index, const View& out) = 0;

    // Elementwise
    virtual void add(const View& a, const View& b, const View& out) = 0;
    virtual void multiply(const View& a, const View& b, const View& out) = 0;
    virtual void scale(const View& in, float factor, const View& out) = 0;
    virtual void activate(Activation activation, const View& in, const View& out) = 0;
    /// out = act(gate) × up.
    virtual void gate(Activation activation, const View& gate, const View& up, const View& out) = 0;
    /// out = cap · tanh(in / cap).
    virtual void softcap(const View& in, float cap, const View& out) = 0;

    // Rows (the innermost extent)
    /// out = in × (1 / sqrt(mean(in²) + epsilon)) × weight + residual?. weight [columns] or none.
    virtual void rms_norm(const View& in, const View& weight, float epsilon, const View& residual, const View& out) = 0;
    /// out = (in − mean) × (1 / sqrt(variance + epsilon)) × weight + bias. bias or none.
    virtual void layer_norm(const View& in, const View& weight, const View& bias, float epsilon, const View& out) = 0;
    /// out = in × (1 / sqrt(sum(in²) + epsilon)).
    virtual void l2_norm(const View& in, float epsilon, const View& out) = 0;
    /// out = exp(in − max) / sum(exp(in − max)). −inf gives 0; a row that is all −inf, or has +inf or NaN, gives NaN.
    virtual void softmax(const View& in, const View& out) = 0;
    /// out I32 [rows]: the greatest element's place, the lowest on ties; NaN counts as less than everything.
    virtual void argmax(const View& in, const View& out) = 0;
    /// The k greatest, in argmax's order, the lower place first on ties. values [rows, k], places I32 [rows, k].
    virtual void top_k(const View& in, const View& values, const View& places) = 0;
    /// out[s] = mean of the rows with sequence[r] = s, added r ascending; 0 where there are none.
    /// sequence I32 [rows], out [sequences, columns].
    virtual void mean_rows(const View& in, const View& sequence, const View& out) = 0;

    // Matrices
    virtual void linear(const Linear& args) = 0;
    /// out[r] = dot(weight[experts[r]], input[r]). weight [experts, out, in], experts I32 [rows], input [rows, in].
    virtual void linear_experts(const View& input, const Weight& weight, const View& experts, const View& out) = 0;
    virtual void route(const Route& args) = 0;

    // Attention
    /// out[r][i] = magnitude · (cos, sin)(positions[r] × frequencies[i]), computed in f64. positions I32 [rows], out
    /// [rows, dims/2, 2].
    virtual void rope_table(const View& positions, const View& frequencies, float magnitude, const View& out) = 0;
    /// Turns the first dims of every head; the rest is copied. in, out [rows, heads, head_dim], table as above.
    virtual void rope(const View& in, const View& table, RopePairing pairing, const View& out) = 0;
    /// Each row's key and value into its slot, rounded to the planes' type.
    virtual void cache_write(const CacheWrite& args) = 0;
    virtual void attention(const Attention& args) = 0;

    // Recurrence
    virtual void delta_rule(const DeltaRule& args) = 0;
    virtual void selective_scan(const SelectiveScan& args) = 0;
    virtual void causal_conv(const CausalConv& args) = 0;
};

}  // namespace godwit
