// What an engine will take, computed before anything is loaded and exact to the byte (invariant I5).
#pragma once

#include <cstdint>

#include "cache/spec.hpp"
#include "file/model_file.hpp"
#include "model/activations.hpp"
#include "model/plan.hpp"

namespace godwit {

/// How an engine is to be set up.
struct EngineSettings {
    int64_t context = 0;    // tokens of a sequence; 0: what the model was made for, at most kDefaultContext
    int64_t sequences = 1;  // that must fit at once, each with a full context
    KvFormat kv = KvFormat::F16;
    StepLimits step{.rows = 128, .logit_rows = 1};
};

/// The context where nobody asks for one: long ones cost memory from the first token on.
inline constexpr int64_t kDefaultContext = 8192;

struct MemoryPlan {
    int64_t context = 0, sequences = 0;
    uint64_t weights = 0;      // in the file's mapping
    uint64_t kv = 0;
    uint64_t activations = 0;  // of the longest step

    uint64_t total() const { return weights + kv + activations; }
};

/// settings.context beyond the model's own: the model's.
MemoryPlan plan_memory(const ModelFile& file, const ModelPlan& plan, const EngineSettings& settings);

}  // namespace godwit
