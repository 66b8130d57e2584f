#include "model/forward.hpp"

namespace godwit {
namespace {

/// hidden of the wanted rows → norm → vocabulary.
View compute_logits(const Step& step) {
    const ModelPlan& plan = step.model.plan;
    const Weights& weights = step.model.weights;
    int64_t wanted = step.batch.logit_rows.shape[0];
    View logits = step.activations.logits.first(wanted);  // [wanted, vocabulary]
    if (wanted == 0) return logits;
    View last = step.activations.last.first(wanted);  // [wanted, embedding]
    step.ops.gather_rows(step.activations.hidden.first(step.batch.rows()), step.batch.logit_rows, last);
    Weight output = weights.matrix(-1, Role::Output);
    if (!output) output = weights.matrix(-1, Role::TokenEmbedding);  // tied
    LinearTarget target{output, {}, logits};
    step.ops.linear({.input = last,
                     .norm = weights.vector(-1, Role::OutputNorm),
                     .epsilon = plan.epsilon,
                     .targets = {&target, 1}});
    if (plan.logit_softcap > 0) step.ops.softcap(logits, plan.logit_softcap, logits);
    return logits;
}

}  // namespace

View forward(const Step& step) {
    const ModelPlan& plan = step.model.plan;
    int64_t rows = step.batch.rows();
    View hidden = step.activations.hidden.first(rows);  // [rows, embedding]
    step.ops.embed(step.model.weights.matrix(-1, Role::TokenEmbedding), step.batch.tokens, plan.embedding_scale,
                   hidden);
    View positions = step.batch.positions.first(1).reshaped({rows});
    for (size_t i = 0; i < plan.ropes.size(); ++i)
        step.ops.rope_table(positions, step.model.weights.rope(i), plan.ropes[i].magnitude,
                            step.activations.angles[i].first(rows));
    for (int32_t layer = 0; layer < static_cast<int32_t>(plan.layers.size()); ++layer) {
        run_attention(step, layer);
        run_gated_ffn(step, layer);
    }
    return compute_logits(step);
}

}  // namespace godwit
