#include "model/registry.hpp"

#include "base/printable.hpp"
#include "model/dense.hpp"

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

}  // namespace

std::span<const Architecture> architectures() { return kArchitectures; }

Result<ModelPlan> plan_model(const ModelFile& file) {
    std::string_view name = TRY(file.metadata().get_string("general.architecture"));
    std::string known;
    for (const Architecture& architecture : kArchitectures) {
        if (architecture.name == name) {
            ModelPlan plan = TRY(architecture.plan(file, Hyperparameters(file.metadata(), std::string(name))));
            plan.architecture = name;
            finish_cache(plan);
            return plan;
        }
        known += fmt::format("{}{}", known.empty() ? "" : ", ", architecture.name);
    }
    return error("key general.architecture: unknown architecture '{}' (supported: {})", printable(name), known);
}

}  // namespace godwit
