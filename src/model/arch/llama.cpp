// Llama 1–3, Mistral, SmolLM2 and the many files converted as "llama". Touvron et al. 2023; Llama 3.1 rope scaling
// comes as rope_freqs.weight.
#include "model/dense.hpp"
#include "model/rope_scaling.hpp"

namespace godwit {

Result<ModelPlan> plan_llama(const ModelFile& file, const Hyperparameters& keys) {
    DenseDims dims = TRY(read_dense(file, keys));
    ModelPlan plan = TRY(plan_dense(file, dims, {.optional_biases = true}));
    // Rows of q and k are stored so that pairs stand side by side.
    std::vector<float> divisors = TRY(read_divisors(file, "rope_freqs.weight", dims.rope_dims / 2));
    plan.resolved.push_back("rope_freqs.weight");
    plan.ropes = {TRY(read_rope(keys, dims.rope_dims, dims.rope_base, RopePairing::Interleaved, divisors))};
    return plan;
}

}  // namespace godwit
