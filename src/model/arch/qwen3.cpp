// Qwen3 dense (Qwen team 2025): q and k are normalised per head before rope, no biases, head_dim independent of the
// width.
#include "model/dense.hpp"
#include "model/rope_scaling.hpp"

namespace godwit {

Result<ModelPlan> plan_qwen3(const ModelFile& file, const Hyperparameters& keys) {
    DenseDims dims = TRY(read_dense(file, keys));
    ModelPlan plan = TRY(plan_dense(file, dims, {.qk_norm = true}));
    plan.ropes = {TRY(read_rope(keys, dims.rope_dims, dims.rope_base, RopePairing::HalfSplit, {}))};
    return plan;
}

}  // namespace godwit
