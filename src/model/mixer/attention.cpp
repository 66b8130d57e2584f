// Softmax attention over the paged cache: norm, q k v, optional norms per head, rope, write k and v, attend, project,
// add.
#include "model/forward.hpp"

namespace godwit {
namespace {

/// A scratch view used for `columns` of its width: rows stay dense.
View part(const View& scratch, int64_t rows, int64_t columns) {
    View view = scratch;
    view.shape = Shape{rows, columns};
    return view;
}

}  // namespace

void run_attention(const Step& step, int32_t layer) {
    const AttentionPlan& plan = step.model.plan.layers[layer].attention;
    const Weights& weights = step.model.weights;
    const Activations& a = step.activations;
    float epsilon = step.model.plan.epsilon;
    int64_t rows = step.batch.rows();
    View hidden = a.hidden.first(rows);                           // [rows, embedding]
    View query = part(a.query, rows, plan.heads * plan.key_dim);  // [rows, heads · key_dim]
    View key = part(a.key, rows, plan.kv_heads * plan.key_dim);   // [rows, kv_heads · key_dim]
    View value = part(a.value, rows, plan.kv_heads * plan.value_dim);
    View attended = part(a.attended, rows, plan.heads * plan.value_dim);
    Shape query_heads{rows, plan.heads, plan.key_dim}, key_heads{rows, plan.kv_heads, plan.key_dim};
    Shape value_heads{rows, plan.kv_heads, plan.value_dim};

    LinearTarget qkv[] = {
        {weights.matrix(layer, Role::AttnQ), weights.vector(layer, Role::AttnQBias), query},
        {weights.matrix(layer, Role::AttnK), weights.vector(layer, Role::AttnKBias), key},
        {weights.matrix(layer, Role::AttnV), weights.vector(layer, Role::AttnVBias), value},
    };
    step.ops.linear(
        {.input = hidden, .norm = weights.vector(layer, Role::AttnNorm), .epsilon = epsilon, .targets = qkv});
    query = query.reshaped(query_heads), key = key.reshaped(key_heads);
    if (View norm = weights.vector(layer, Role::AttnQNorm)) step.ops.rms_norm(query, norm, epsilon, {}, query);
    if (View norm = weights.vector(layer, Role::AttnKNorm)) step.ops.rms_norm(key, norm, epsilon, {}, key);

    RopePairing pairing = step.model.plan.ropes[plan.rope].pairing;
    View angles = a.angles[plan.rope].first(rows);  // [rows, dims / 2, 2]
    step.ops.rope(query, angles, pairing, query);
    step.ops.rope(key, angles, pairing, key);

    // Written first and read back in the cache's format, so that a cached prefix has the bits of a fresh one.
    const Batch::Group& group = step.batch.groups[plan.cache_group];
    step.ops.cache_write({.key = key,
                          .value = value.reshaped(value_heads),
                          .slot_mapping = group.slot_mapping,
                          .keys = step.cache.keys(layer),
                          .values = step.cache.values(layer)});
    step.ops.attention({.query = query,
                        .keys = step.cache.keys(layer),
                        .values = step.cache.values(layer),
                        .block_table = group.block_table,
                        .sequence = step.batch.sequence,
                        .index = step.batch.index,
                        .window = plan.window,
                        .scale = plan.scale,
                        .softcap = 0,
                        .sinks = {},
                        .out = attended.reshaped({rows, plan.heads, plan.value_dim})});

    View post_norm = weights.vector(layer, Role::PostAttnNorm);
    View out = post_norm ? a.branch.first(rows) : hidden;
    LinearTarget project{weights.matrix(layer, Role::AttnOut), weights.vector(layer, Role::AttnOutBias), out};
    step.ops.linear({.input = attended, .targets = {&project, 1}, .residual = post_norm ? View{} : hidden});
    if (post_norm) step.ops.rms_norm(out, post_norm, epsilon, hidden, hidden);
}

}  // namespace godwit
