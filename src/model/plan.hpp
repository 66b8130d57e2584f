// A model as data: what its layers are, which tensors they need, what they keep per token. Architectures (arch/) write
// plans, the forward loop reads them; nothing else knows a model by name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/ops.hpp"
#include "cache/spec.hpp"
#include "tensor/shape.hpp"

namespace godwit {

/// What a tensor is for. Names differ among containers; roles do not.
enum class Role : uint8_t {
    // Of the model
    TokenEmbedding,
    OutputNorm,
    Output,
    // Of a layer
    AttnNorm,
    AttnQ,
    AttnK,
    AttnV,
    AttnOut,
    AttnQBias,
    AttnKBias,
    AttnVBias,
    AttnOutBias,
    AttnQNorm,
    AttnKNorm,
    PostAttnNorm,
    FfnNorm,
    FfnGate,
    FfnUp,
    FfnDown,
    FfnGateBias,
    FfnUpBias,
    FfnDownBias,
    PostFfnNorm,
    Count,
};

/// One tensor that the model asks of its file.
struct TensorSlot {
    Role role{};
    int32_t layer = -1;  // −1: of the model
    std::string name;
    Shape shape;  // [columns]: a vector, F32; [rows, columns]: a matrix, any type the device multiplies
    bool required = true;
};

/// A rotary embedding, resolved at load: scaling is in the frequencies already.
struct RopePlan {
    RopePairing pairing{};
    std::vector<float> frequencies;  // [dims / 2], radians per position
    float magnitude = 1;             // cos and sin are multiplied by it (YaRN)
};

struct AttentionPlan {
    int64_t heads = 0, kv_heads = 0;
    int64_t key_dim = 0, value_dim = 0;  // per head
    float scale = 1;
    int32_t window = 0;  // 0: sees everything before it
    int32_t rope = 0;    // index into ModelPlan::ropes
    size_t cache_group = 0;
};

struct FfnPlan {
    int64_t width = 0;
    Activation activation = Activation::Silu;
};

struct LayerPlan {
    AttentionPlan attention;
    FfnPlan ffn;
};

struct ModelPlan {
    std::string architecture;
    int64_t vocabulary = 0;  // rows of the embedding = tokens of the tokenizer
    int64_t embedding = 0;   // width of the residual stream
    int64_t context = 0;     // tokens that the model was made for
    float epsilon = 0;       // of every RMS norm
    float embedding_scale = 1;
    float logit_softcap = 0;  // 0: none
    std::vector<RopePlan> ropes;
    std::vector<LayerPlan> layers;
    std::vector<TensorSlot> tensors;
    std::vector<std::string> resolved;  // tensors whose values are in the plan (rope_freqs.weight): none is laid out
    CacheSpec cache;
};

}  // namespace godwit
