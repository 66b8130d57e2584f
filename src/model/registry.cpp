#include "model/registry.hpp"

#include "base/printable.hpp"

namespace godwit {

// arch/*.cpp
Result<ModelPlan> plan_llama(const ModelFile& file, const Hyperparameters& keys);
Result<ModelPlan> plan_qwen2(const ModelFile& file, const Hyperparameters& keys);
Result<ModelPlan> plan_qwen3(const ModelFile& file, const Hyperparameters& keys);
Result<ModelPlan> plan_gemma3(const ModelFile& file, const Hyperparameters& keys);

namespace {

constexpr Architecture kArchitectures[] = {
    {"llama", plan_llama},
    {"qwen2", plan_qwen2},
    {"qwen3", plan_qwen3},
    {"gemma3", plan_gemma3},
};

/// Layers that cache alike (window, heads, widths) share a cache group.
void group_cache(ModelPlan& plan) {
    plan.cache.groups.clear();
    for (size_t i = 0; i < plan.layers.size(); ++i) {
        AttentionPlan& a = plan.layers[i].attention;
        auto& groups = plan.cache.groups;
        size_t g = 0;
        while (g < groups.size() && !(groups[g].window == a.window && groups[g].kv_heads == a.kv_heads &&
                                      groups[g].key_dim == a.key_dim && groups[g].value_dim == a.value_dim))
            ++g;
        if (g == groups.size()) groups.push_back({a.window, {}, a.kv_heads, a.key_dim, a.value_dim});
        groups[g].layers.push_back(static_cast<int32_t>(i));
        a.cache_group = g;
    }
}

}  // namespace

std::span<const Architecture> architectures() { return kArchitectures; }

Result<ModelPlan> plan_model(const ModelFile& file) {
    std::string_view name = TRY(file.metadata().get_string("general.architecture"));
    std::string known;
    for (const Architecture& architecture : kArchitectures) {
        if (architecture.name == name) {
            ModelPlan plan = TRY(architecture.plan(file, Hyperparameters(file.metadata(), std::string(name))));
            plan.architecture = name;
            group_cache(plan);
            return plan;
        }
        known += fmt::format("{}{}", known.empty() ? "" : ", ", architecture.name);
    }
    return error("key general.architecture: unknown architecture '{}' (supported: {})", printable(name), known);
}

}  // namespace godwit
