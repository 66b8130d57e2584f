#include "model/weights.hpp"

#include <cstring>
#include <unordered_set>

#include "base/printable.hpp"

namespace godwit {
namespace {

/// Tables that old converters wrote and that follow from the metadata.
bool is_derived(std::string_view name) {
    return name.ends_with(".attn_rot_embd") || name.ends_with(".rotary_emb.inv_freq") ||
           name.ends_with(".attention.rotary_emb.inv_freq");
}

Result<void> check_slot(const TensorInfo& tensor, const TensorSlot& slot, const Device& device) {
    if (tensor.shape.trimmed() != slot.shape.trimmed())
        return error("tensor {}: shape {} does not fit the model, which needs {}", slot.name, tensor.shape.to_string(),
                     slot.shape.to_string());
    bool vector = slot.shape.rank() == 1;
    if (vector && tensor.dtype != DType::F32)
        return error("tensor {}: type {} where a vector must be F32", slot.name, dtype_name(tensor.dtype));
    if (!vector && !device.supports_weight(tensor.dtype))
        return error("tensor {}: type {} is not supported by the {} backend as a weight matrix", slot.name,
                     dtype_name(tensor.dtype), device.name());
    return done();
}

}  // namespace

Result<void> check_tensors(const ModelFile& file, const ModelPlan& plan, const Device& device) {
    std::unordered_set<std::string_view> wanted(plan.resolved.begin(), plan.resolved.end());
    for (const TensorSlot& slot : plan.tensors) {
        wanted.insert(slot.name);
        const TensorInfo* tensor = file.find(slot.name);
        if (tensor == nullptr && slot.required)
            return error("tensor {}: missing (the file is incomplete or not a {} model)", slot.name, plan.architecture);
        if (tensor != nullptr) TRY(check_slot(*tensor, slot, device));
    }
    for (const TensorInfo& tensor : file.tensors())
        if (!wanted.contains(tensor.name) && !is_derived(tensor.name))
            return error("tensor {}: unexpected in a {} model (ignoring it would give wrong answers)",
                         printable(tensor.name), plan.architecture);
    return done();
}

Result<Weights> Weights::load(const ModelFile& file, const ModelPlan& plan, Device& device,
                              const LoadProgress& progress) {
    Weights weights;
    uint64_t loaded = 0, total = 0;
    for (const TensorSlot& slot : plan.tensors)
        if (const TensorInfo* tensor = file.find(slot.name)) total += tensor->data.size();
    if (progress) progress(loaded, total);
    weights.views_.resize(plan.layers.size() + 1);
    for (const TensorSlot& slot : plan.tensors) {
        const TensorInfo* tensor = file.find(slot.name);
        if (tensor == nullptr) continue;
        auto done_with = [&file](std::span<const std::byte> part) { file.drop(part); };
        weights.buffers_.push_back(TRY(device.load_weight(tensor->dtype, slot.shape, tensor->data, done_with)));
        weights.views_[slot.layer + 1][static_cast<size_t>(slot.role)] = {weights.buffers_.back().get(), 0,
                                                                          tensor->dtype, slot.shape};
        loaded += tensor->data.size();
        if (progress) progress(loaded, total);
    }
    for (const RopePlan& rope : plan.ropes) {
        auto bytes = std::as_bytes(std::span(rope.frequencies));
        weights.buffers_.push_back(TRY(device.allocate(bytes.size())));
        View view{weights.buffers_.back().get(), 0, DType::F32, {static_cast<int64_t>(rope.frequencies.size())}};
        device.upload(view, bytes);
        weights.ropes_.push_back(view);
    }
    return weights;
}

}  // namespace godwit
