// A plan's tensors, found in the file, checked, and laid out on the device. Complete or an error: invariant I4.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "backend/device.hpp"
#include "base/result.hpp"
#include "file/model_file.hpp"
#include "model/plan.hpp"

namespace godwit {

/// Every slot against the file: present if required, shape, type supported by the device; and no tensor that nobody
/// asked for (ignoring it would give wrong answers). Errors name the tensor.
Result<void> check_tensors(const ModelFile& file, const ModelPlan& plan, const Device& device);

/// Called with the bytes of weights that are in place, and of all.
using LoadProgress = std::function<void(uint64_t done, uint64_t total)>;

class Weights {
public:
    /// After check_tensors. The file must outlive the weights. Error: out of memory.
    static Result<Weights> load(const ModelFile& file, const ModelPlan& plan, Device& device,
                                const LoadProgress& progress);

    // A default (false) view or weight where the file has none. layer −1: of the model.
    const View& vector(int32_t layer, Role role) const { return views_[layer + 1][static_cast<size_t>(role)]; }
    Weight matrix(int32_t layer, Role role) const { return {vector(layer, role)}; }
    /// Frequencies of the plan's ropes, [dims / 2].
    const View& rope(size_t i) const { return ropes_[i]; }

private:
    std::vector<std::array<View, static_cast<size_t>(Role::Count)>> views_;  // [0]: the model's, [1 + i]: layer i's
    std::vector<View> ropes_;
    std::vector<std::unique_ptr<Buffer>> buffers_;
};

}  // namespace godwit
