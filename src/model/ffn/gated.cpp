// Gated feed-forward (Shazeer 2020, "GLU variants"): hidden + down(act(gate(x)) × up(x)), x = norm(hidden).
#include "model/forward.hpp"

namespace godwit {

void run_gated_ffn(const Step& step, int32_t layer) {
    const FfnPlan& plan = step.model.plan.layers[layer].ffn;
    const Weights& weights = step.model.weights;
    float epsilon = step.model.plan.epsilon;
    int64_t rows = step.batch.rows();
    View hidden = step.activations.hidden.first(rows);  // [rows, embedding]
    View gate = step.activations.gate, up = step.activations.up;
    gate.shape = up.shape = Shape{rows, plan.width};

    LinearTarget gate_up[] = {
        {weights.matrix(layer, Role::FfnGate), weights.vector(layer, Role::FfnGateBias), gate},
        {weights.matrix(layer, Role::FfnUp), weights.vector(layer, Role::FfnUpBias), up},
    };
    step.ops.linear({.input = hidden,
                     .norm = weights.vector(layer, Role::FfnNorm),
                     .epsilon = epsilon,
                     .targets = gate_up,
                     .activation = plan.activation,
                     .gated = true});

    View post_norm = weights.vector(layer, Role::PostFfnNorm);
    View out = post_norm ? step.activations.branch.first(rows) : hidden;
    LinearTarget down{weights.matrix(layer, Role::FfnDown), weights.vector(layer, Role::FfnDownBias), out};
    step.ops.linear({.input = gate, .targets = {&down, 1}, .residual = post_norm ? View{} : hidden});
    if (post_norm) step.ops.rms_norm(out, post_norm, epsilon, hidden, hidden);
}

}  // namespace godwit
