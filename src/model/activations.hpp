// The memory of a step between ops: one buffer, views for the longest step that the engine will run. Sizes follow from
// the plan alone.
#pragma once

#include <memory>
#include <vector>

#include "backend/device.hpp"
#include "base/result.hpp"
#include "model/plan.hpp"

namespace godwit {

/// The longest step: rows through the layers, and rows whose logits are wanted.
struct StepLimits {
    int64_t rows = 0;
    int64_t logit_rows = 0;
};

struct Activations {
    View hidden;               // [rows, embedding]: the residual stream
    View branch;               // [rows, embedding]: what a mixer or FFN adds, where a norm stands between
    View query;                // [rows, heads · key_dim], widest layer
    View key;                  // [rows, kv_heads · key_dim]
    View value;                // [rows, kv_heads · value_dim]
    View attended;             // [rows, heads · value_dim]
    View gate, up;             // [rows, ffn width]
    std::vector<View> angles;  // by rope: [rows, dims / 2, 2]
    View last;                 // [logit_rows, embedding]
    View logits;               // [logit_rows, vocabulary]

    static uint64_t bytes(const ModelPlan& plan, const StepLimits& limits);
    static Result<Activations> make(Device& device, const ModelPlan& plan, const StepLimits& limits);

    std::unique_ptr<Buffer> buffer;
};

}  // namespace godwit
