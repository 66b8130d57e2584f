#include "model/dense.hpp"

#include <cmath>
#include <cstring>

#include "model/read_vocabulary.hpp"

namespace godwit {
namespace {

constexpr int64_t kLayersMax = 1024;
constexpr int64_t kWidthMax = int64_t{1} << 20;
constexpr int64_t kHeadsMax = 4096;
constexpr int64_t kContextMax = int64_t{1} << 30;

/// GGUF's names of one layer's tensors.
void add_layer_tensors(std::vector<TensorSlot>& slots, const DenseDims& dims, const DenseForm& form, int32_t layer) {
    int64_t d = dims.embedding, f = dims.ffn_width[layer];
    int64_t q = dims.heads[layer] * dims.key_dim, k = dims.kv_heads[layer] * dims.key_dim;
    int64_t v = dims.kv_heads[layer] * dims.value_dim, attended = dims.heads[layer] * dims.value_dim;
    auto add = [&](Role role, const char* name, Shape shape, bool required = true) {
        slots.push_back({role, layer, fmt::format("blk.{}.{}", layer, name), shape, required});
    };
    add(Role::AttnNorm, "attn_norm.weight", {d});
    add(Role::AttnQ, "attn_q.weight", {q, d});
    add(Role::AttnK, "attn_k.weight", {k, d});
    add(Role::AttnV, "attn_v.weight", {v, d});
    add(Role::AttnOut, "attn_output.weight", {d, attended});
    if (form.qkv_bias || form.optional_biases) {
        add(Role::AttnQBias, "attn_q.bias", {q}, form.qkv_bias);
        add(Role::AttnKBias, "attn_k.bias", {k}, form.qkv_bias);
        add(Role::AttnVBias, "attn_v.bias", {v}, form.qkv_bias);
    }
    if (form.qk_norm) {
        add(Role::AttnQNorm, "attn_q_norm.weight", {dims.key_dim});
        add(Role::AttnKNorm, "attn_k_norm.weight", {dims.key_dim});
    }
    add(Role::FfnNorm, "ffn_norm.weight", {d});
    add(Role::FfnGate, "ffn_gate.weight", {f, d});
    add(Role::FfnUp, "ffn_up.weight", {f, d});
    add(Role::FfnDown, "ffn_down.weight", {d, f});
    if (form.optional_biases) {
        add(Role::AttnOutBias, "attn_output.bias", {d}, false);
        add(Role::FfnGateBias, "ffn_gate.bias", {f}, false);
        add(Role::FfnUpBias, "ffn_up.bias", {f}, false);
        add(Role::FfnDownBias, "ffn_down.bias", {d}, false);
    }
    if (form.sandwich_norms) {
        add(Role::PostAttnNorm, "post_attention_norm.weight", {d});
        add(Role::PostFfnNorm, "post_ffw_norm.weight", {d});
    }
}

Result<void> read_heads(const Hyperparameters& keys, DenseDims& dims) {
    dims.heads = TRY(keys.per_layer("attention.head_count", dims.layers, 1, kHeadsMax));
    dims.kv_heads = keys.has("attention.head_count_kv")
                        ? TRY(keys.per_layer("attention.head_count_kv", dims.layers, 1, kHeadsMax))
                        : dims.heads;
    for (int64_t i = 0; i < dims.layers; ++i) {
        if (dims.heads[i] % dims.kv_heads[i] != 0)
            return error("key {}: {} heads cannot be divided among {} KV heads (layer {})",
                         keys.key("attention.head_count_kv"), dims.heads[i], dims.kv_heads[i], i);
    }
    if (!keys.has("attention.key_length") && dims.embedding % dims.heads[0] != 0)
        return error("key {}: the width {} cannot be divided among {} heads", keys.key("attention.head_count"),
                     dims.embedding, dims.heads[0]);
    int64_t head_dim = dims.embedding / dims.heads[0];
    dims.key_dim = TRY(keys.integer_or("attention.key_length", head_dim, 1, kWidthMax));
    dims.value_dim = TRY(keys.integer_or("attention.value_length", dims.key_dim, 1, kWidthMax));
    dims.rope_dims = TRY(keys.integer_or("rope.dimension_count", dims.key_dim, 2, kWidthMax));
    if (dims.rope_dims % 2 != 0 || dims.rope_dims > dims.key_dim)
        return error("key {}: {} must be even and at most the head's {} dimensions", keys.key("rope.dimension_count"),
                     dims.rope_dims, dims.key_dim);
    return done();
}

}  // namespace

Result<DenseDims> read_dense(const ModelFile& file, const Hyperparameters& keys, double default_rope_base) {
    DenseDims dims;
    dims.layers = TRY(keys.integer("block_count", 1, kLayersMax));
    dims.embedding = TRY(keys.integer("embedding_length", 1, kWidthMax));
    dims.context = TRY(keys.integer("context_length", 1, kContextMax));
    dims.ffn_width = TRY(keys.per_layer("feed_forward_length", dims.layers, 1, kWidthMax));
    dims.epsilon = TRY(keys.real("attention.layer_norm_rms_epsilon", 0, 1));
    dims.rope_base = TRY(keys.real_or("rope.freq_base", default_rope_base, 1, 1e12));
    TRY(read_heads(keys, dims));
    if (TRY(keys.integer_or("expert_count", 0, 0, int64_t{1} << 32)) > 0)
        return error("key {}: mixture-of-experts layers (expert tensors) are not supported yet",
                     keys.key("expert_count"));
    // A cheap bound before anything is built per layer: each layer has several tensors.
    if (dims.layers > static_cast<int64_t>(file.tensors().size()))
        return error("key {}: {} layers, but the file has only {} tensors (blk.* missing)", keys.key("block_count"),
                     dims.layers, file.tensors().size());
    return dims;
}

Result<ModelPlan> plan_dense(const ModelFile& file, const DenseDims& dims, const DenseForm& form) {
    ModelPlan plan;
    plan.embedding = dims.embedding;
    plan.context = dims.context;
    plan.epsilon = dims.epsilon;
    plan.vocabulary = std::ssize(TRY(read_tokens(file.metadata())));

    plan.tensors = {
        {Role::TokenEmbedding, -1, "token_embd.weight", {plan.vocabulary, dims.embedding}, true},
        {Role::OutputNorm, -1, "output_norm.weight", {dims.embedding}, true},
        {Role::Output, -1, "output.weight", {plan.vocabulary, dims.embedding}, false},  // absent: tied
    };
    for (int32_t i = 0; i < dims.layers; ++i) {
        add_layer_tensors(plan.tensors, dims, form, i);
        LayerPlan layer;
        layer.attention = {.heads = dims.heads[i],
                           .kv_heads = dims.kv_heads[i],
                           .key_dim = dims.key_dim,
                           .value_dim = dims.value_dim,
                           .scale = static_cast<float>(1 / std::sqrt(static_cast<double>(dims.key_dim)))};
        layer.ffn = {.width = dims.ffn_width[i], .activation = form.activation};
        plan.layers.push_back(layer);
    }
    return plan;
}

Result<std::vector<float>> read_divisors(const ModelFile& file, std::string_view name, int64_t length) {
    const TensorInfo* tensor = file.find(name);
    if (tensor == nullptr) return std::vector<float>{};
    if (tensor->dtype != DType::F32 || tensor->shape.trimmed() != Shape{length}.trimmed())
        return error("tensor {}: expected F32 {}, found {} {}", name, Shape{length}.to_string(),
                     dtype_name(tensor->dtype), tensor->shape.to_string());
    std::vector<float> values(length);
    std::memcpy(values.data(), tensor->data.data(), tensor->data.size());
    for (float value : values)
        if (value == 0 || !std::isfinite(value)) return error("tensor {}: {} cannot be a divisor", name, value);
    return values;
}

}  // namespace godwit
