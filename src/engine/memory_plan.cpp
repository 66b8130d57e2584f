#include "engine/memory_plan.hpp"

#include <algorithm>

namespace godwit {

MemoryPlan plan_memory(const ModelFile& file, const ModelPlan& plan, const EngineSettings& settings) {
    MemoryPlan memory;
    int64_t wanted = settings.context > 0 ? settings.context : kDefaultContext;
    memory.context = std::min(plan.context, wanted);
    memory.sequences = settings.sequences;
    memory.weights = file.tensor_bytes();
    memory.kv = settings.sequences * plan.cache.bytes(memory.context, settings.kv);
    memory.activations = Activations::bytes(plan, settings.step);
    return memory;
}

}  // namespace godwit
