// Which architectures there are, and how to plan one: name in general.architecture → function of arch/.
#pragma once

#include <span>
#include <string_view>

#include "base/result.hpp"
#include "file/model_file.hpp"
#include "model/hyperparameters.hpp"
#include "model/plan.hpp"

namespace godwit {

using PlanFunction = Result<ModelPlan> (*)(const ModelFile& file, const Hyperparameters& keys);

struct Architecture {
    std::string_view name;
    PlanFunction plan;
};

std::span<const Architecture> architectures();

/// Reads the file's metadata into a plan. Tensors are named but not yet looked at (weights.hpp does).
/// Errors: no or unknown architecture, a hyperparameter missing, of the wrong type or out of range.
Result<ModelPlan> plan_model(const ModelFile& file);

}  // namespace godwit
