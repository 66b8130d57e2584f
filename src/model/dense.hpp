// Building blocks of plans: what dense transformers have in common, so that an architecture file says only what is its
// own.
#pragma once

#include <string>

#include "base/result.hpp"
#include "file/model_file.hpp"
#include "model/hyperparameters.hpp"
#include "model/plan.hpp"

namespace godwit {

/// The numbers that every dense transformer has.
struct DenseDims {
    int64_t layers = 0, embedding = 0, context = 0;
    int64_t key_dim = 0, value_dim = 0, rope_dims = 0;
    float epsilon = 0, rope_base = 0;
    std::vector<int64_t> heads, kv_heads, ffn_width;  // by layer
};

/// Reads and checks them; `default_rope_base` where the file has none.
Result<DenseDims> read_dense(const ModelFile& file, const Hyperparameters& keys, double default_rope_base = 10000);

/// What distinguishes one dense architecture from another.
struct DenseForm {
    bool qkv_bias = false;         // required biases on q, k, v
    bool optional_biases = false;  // biases on any matrix where the file has them
    bool qk_norm = false;          // RMS norm per head on q and k before rope
    bool sandwich_norms = false;   // norms after attention and after the FFN, before the residual
    Activation activation = Activation::Silu;
};

/// A plan with all layers alike: full attention, rope 0, scale 1/√key_dim. The architecture then adds its ropes and
/// changes what differs (windows too: the registry groups the cache afterwards).
Result<ModelPlan> plan_dense(const ModelFile& file, const DenseDims& dims, const DenseForm& form);

/// F32 values of a vector tensor, for architectures that resolve it at load (rope_freqs.weight); empty if the file has
/// none. Errors: wrong length or type, a value that is zero or not finite.
Result<std::vector<float>> read_divisors(const ModelFile& file, std::string_view name, int64_t length);

}  // namespace godwit
