#include "model/activations.hpp"

#include <algorithm>

namespace godwit {
namespace {

constexpr uint64_t kAlignment = 64;

/// Lays the views out one after the other; returns the bytes in all. The one list of sizes, for planning and for
/// allocating.
uint64_t lay_out(Activations& a, Buffer* buffer, const ModelPlan& plan, const StepLimits& limits) {
    int64_t query = 0, key = 0, value = 0, attended = 0, width = 0;
    for (const LayerPlan& layer : plan.layers) {
        const AttentionPlan& mixer = layer.attention;
        query = std::max(query, mixer.heads * mixer.key_dim);
        key = std::max(key, mixer.kv_heads * mixer.key_dim);
        value = std::max(value, mixer.kv_heads * mixer.value_dim);
        attended = std::max(attended, mixer.heads * mixer.value_dim);
        width = std::max(width, layer.ffn.width);
    }
    uint64_t offset = 0;
    auto place = [&](Shape shape) {
        View view{buffer, offset, DType::F32, shape};
        offset += (view.bytes() + kAlignment - 1) / kAlignment * kAlignment;
        return view;
    };
    a.hidden = place({limits.rows, plan.embedding});
    a.branch = place({limits.rows, plan.embedding});
    a.query = place({limits.rows, query});
    a.key = place({limits.rows, key});
    a.value = place({limits.rows, value});
    a.attended = place({limits.rows, attended});
    a.gate = place({limits.rows, width});
    a.up = place({limits.rows, width});
    a.angles.clear();
    for (const RopePlan& rope : plan.ropes)
        a.angles.push_back(place({limits.rows, static_cast<int64_t>(rope.frequencies.size()), 2}));
    a.last = place({limits.logit_rows, plan.embedding});
    a.logits = place({limits.logit_rows, plan.vocabulary});
    return offset;
}

}  // namespace

uint64_t Activations::bytes(const ModelPlan& plan, const StepLimits& limits) {
    Activations a;
    return lay_out(a, nullptr, plan, limits);
}

Result<Activations> Activations::make(Device& device, const ModelPlan& plan, const StepLimits& limits) {
    Activations a;
    a.buffer = TRY(device.allocate(bytes(plan, limits)));
    lay_out(a, a.buffer.get(), plan, limits);
    return a;
}

}  // namespace godwit
