// Qwen2 and Qwen2.5 (Qwen team 2024): llama with biases on q, k, v and half-split rope.
#include "model/dense.hpp"
#include "model/rope_scaling.hpp"

namespace godwit {

Result<ModelPlan> plan_qwen2(const ModelFile& file, const Hyperparameters& keys) {
    DenseDims dims = TRY(read_dense(file, keys));
    ModelPlan plan = TRY(plan_dense(file, dims, {.qkv_bias = true}));
    plan.ropes = {TRY(read_rope(keys, dims.rope_dims, dims.rope_base, RopePairing::HalfSplit, {}))};
    return plan;
}

}  // namespace godwit
