// Gemma 3 text models (Gemma team 2025): sandwich norms (the file has 1 + w folded in), embedding × √d, norms on q and
// k, GeGLU, and five layers with a sliding window for each one that sees everything; the two kinds have ropes of their
// own.
#include <cmath>

#include "model/dense.hpp"
#include "model/rope_scaling.hpp"

namespace godwit {
namespace {

constexpr int64_t kPattern = 6;  // every sixth layer is full where the file does not say

/// Which layers slide: a period (layer i is full iff (i + 1) % period == 0) or one bool a layer.
Result<std::vector<bool>> read_sliding(const ModelFile& file, const Hyperparameters& keys, int64_t layers) {
    std::string key = keys.key("attention.sliding_window_pattern");
    const Value* value = file.metadata().find(key);
    if (value != nullptr && value->type == ValueType::Array) {
        std::vector<bool> sliding = *TRY(file.metadata().find_bools(key));
        if (sliding.size() != static_cast<size_t>(layers))
            return error("key {}: {} values for {} layers", key, sliding.size(), layers);
        return sliding;
    }
    int64_t period = TRY(keys.integer_or("attention.sliding_window_pattern", kPattern, 1, layers + kPattern));
    std::vector<bool> sliding(layers);
    for (int64_t i = 0; i < layers; ++i) sliding[i] = (i + 1) % period != 0;
    return sliding;
}

/// query_pre_attn_scalar^−½. Files carry it at best as attention.scale; else it is the head's width, save for the 27B
/// (62 layers): d / heads.
Result<float> read_scale(const Hyperparameters& keys, const DenseDims& dims) {
    double scalar = static_cast<double>(dims.layers == 62 ? dims.embedding / dims.heads[0] : dims.key_dim);
    return keys.real_or("attention.scale", 1 / std::sqrt(scalar), 0, 1e3);
}

}  // namespace

Result<ModelPlan> plan_gemma3(const ModelFile& file, const Hyperparameters& keys) {
    DenseDims dims = TRY(read_dense(file, keys, 1000000));
    DenseForm form{.qk_norm = true, .sandwich_norms = true, .activation = Activation::GeluTanh};
    ModelPlan plan = TRY(plan_dense(file, dims, form));
    plan.embedding_scale = static_cast<float>(std::sqrt(static_cast<double>(dims.embedding)));
    plan.logit_softcap = TRY(keys.real_or("final_logit_softcapping", 0, 0, 1e6));

    RopePlan local{.pairing = RopePairing::HalfSplit, .frequencies = {}, .magnitude = 1};
    double local_base = TRY(keys.real_or("rope.freq_base_swa", 10000, 1, 1e12));
    for (double frequency : rope_frequencies(dims.rope_dims, local_base))
        local.frequencies.push_back(static_cast<float>(frequency));
    plan.ropes = {TRY(read_rope(keys, dims.rope_dims, dims.rope_base, RopePairing::HalfSplit, {})), local};

    auto window = static_cast<int32_t>(TRY(keys.integer("attention.sliding_window", 1, int64_t{1} << 30)));
    std::vector<bool> sliding = TRY(read_sliding(file, keys, dims.layers));
    float scale = TRY(read_scale(keys, dims));
    for (int64_t i = 0; i < dims.layers; ++i) {
        AttentionPlan& attention = plan.layers[i].attention;
        attention.scale = scale;
        attention.window = sliding[i] ? window : 0;
        attention.rope = sliding[i] ? 1 : 0;
    }
    return plan;
}

}  // namespace godwit
