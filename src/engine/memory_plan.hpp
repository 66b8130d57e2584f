// What an engine will take, computed before anything is loaded and exact to the byte (invariant I5).
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "cache/spec.hpp"
#include "file/model_file.hpp"
#include "godwit/engine.hpp"
#include "model/activations.hpp"
#include "model/plan.hpp"

namespace godwit {

/// How an engine is to be set up.
struct EngineSettings {
    int64_t context = 0;    // tokens of a sequence; 0: what the model was made for, at most kDefaultContext
    int64_t sequences = 1;  // that run at once
    KvFormat kv = KvFormat::F16;
    uint64_t kv_bytes = 0;  // of the cache; 0: a full context for every sequence
    StepLimits step{.rows = 128, .logit_rows = 1};
};

/// The context where nobody asks for one: long ones cost memory from the first token on.
inline constexpr int64_t kDefaultContext = 8192;

/// The settings that an engine's options mean. Limits are raised so that no running sequence ever lacks a row.
EngineSettings engine_settings(const EngineOptions& options);

/// Of a tokenizer, per token of its vocabulary: real ones take 36 to 68.
inline constexpr uint64_t kTokenizerBytes = 64;

/// Of the process itself: the executable, its libraries, stacks, scratch of ops and of loading; 11 to 13 MB on real
/// models.
inline constexpr uint64_t kProgramBytes = 12 << 20;

/// The tokens of one sequence where `asked` are wanted (0: nothing is said): never more than the model was made for.
int64_t choose_context(const ModelPlan& plan, int64_t asked);

/// Errors: `kv_bytes` do not hold one sequence of the context; more tokens than a cache can address.
Result<MemoryPlan> plan_memory(const ModelFile& file, const ModelPlan& plan, const Device& device,
                               const EngineSettings& settings);

/// Integers of a step: token, position, sequence and index of every row, slot mapping and block table of every cache
/// group, logit rows.
uint64_t batch_input_bytes(const CacheSpec& cache, int64_t context, int64_t sequences, const StepLimits& limits);

}  // namespace godwit
