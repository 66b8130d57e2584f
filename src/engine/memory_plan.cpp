#include "engine/memory_plan.hpp"

#include <algorithm>
#include <limits>

#include "schedule/scheduler.hpp"

namespace godwit {
namespace {

constexpr int64_t kSlotsMax = std::numeric_limits<int32_t>::max();  // of one group: a slot mapping is int32

uint64_t host_logit_bytes(const ModelPlan& plan, const StepLimits& limits) {
    return static_cast<uint64_t>(limits.logit_rows * plan.vocabulary) * sizeof(float);
}

/// Blocks of every group that `sequences` of a full context hold at most.
std::vector<int64_t> blocks_for(const CacheSpec& cache, int64_t context, int64_t sequences, int64_t step_rows) {
    std::vector<int64_t> blocks;
    for (const CacheGroup& group : cache.groups)
        blocks.push_back(sequences * peak_blocks(context, step_rows, kBlockTokens, group.window));
    return blocks;
}

uint64_t bytes_of(const CacheSpec& cache, const std::vector<int64_t>& blocks, KvFormat format) {
    uint64_t bytes = 0;
    for (size_t g = 0; g < blocks.size(); ++g) bytes += blocks[g] * cache.groups[g].block_bytes(format);
    return bytes;
}

uint64_t weight_bytes(const ModelFile& file, const ModelPlan& plan, const Device& device) {
    uint64_t bytes = 0;
    for (const TensorSlot& slot : plan.tensors)
        if (const TensorInfo* tensor = file.find(slot.name)) bytes += device.weight_bytes(tensor->dtype, slot.shape);
    return bytes;
}

}  // namespace

int64_t choose_context(const ModelPlan& plan, int64_t asked) {
    return std::min(plan.context, asked > 0 ? asked : kDefaultContext);
}

EngineSettings engine_settings(const EngineOptions& options) {
    return {.context = options.context,
            .sequences = options.sequences,
            .kv = options.kv,
            .kv_bytes = options.kv_bytes,
            .step = {.rows = std::max(options.step_rows, options.sequences + 1), .logit_rows = options.sequences}};
}

Result<MemoryPlan> plan_memory(const ModelFile& file, const ModelPlan& plan, const Device& device,
                               const EngineSettings& settings) {
    MemoryPlan memory;
    memory.context = choose_context(plan, settings.context);
    memory.sequences = settings.sequences;
    memory.weights = weight_bytes(file, plan, device);
    memory.activations = Activations::bytes(plan, settings.step) + host_logit_bytes(plan, settings.step) +
                         batch_input_bytes(plan.cache, memory.context, settings.sequences, settings.step);

    memory.tokenizer = static_cast<uint64_t>(plan.vocabulary) * kTokenizerBytes;
    memory.program = kProgramBytes;

    std::vector<int64_t> one = blocks_for(plan.cache, memory.context, 1, settings.step.rows);
    uint64_t one_bytes = bytes_of(plan.cache, one, settings.kv);
    memory.pool_blocks = blocks_for(plan.cache, memory.context, settings.sequences, settings.step.rows);
    uint64_t all_bytes = bytes_of(plan.cache, memory.pool_blocks, settings.kv);
    if (settings.kv_bytes > 0 && settings.kv_bytes < one_bytes)
        return error(
            "the cache of {} bytes does not hold one sequence of {} tokens, which takes {} (a smaller context?)",
            settings.kv_bytes, memory.context, one_bytes);
    if (settings.kv_bytes > 0 &&
        settings.kv_bytes < all_bytes)  // every group the same share, none less than one sequence
        for (size_t g = 0; g < one.size(); ++g) {
            auto share = static_cast<int64_t>(static_cast<double>(memory.pool_blocks[g]) *
                                              static_cast<double>(settings.kv_bytes) / static_cast<double>(all_bytes));
            memory.pool_blocks[g] = std::max(one[g], share);
        }
    for (int64_t blocks : memory.pool_blocks)
        if (blocks > kSlotsMax / kBlockTokens)
            return error(
                "{} sequences of {} tokens are more than a cache can address, {} tokens (fewer sequences, or a smaller "
                "context)",
                settings.sequences, memory.context, kSlotsMax);
    memory.kv = bytes_of(plan.cache, memory.pool_blocks, settings.kv);
    return memory;
}

uint64_t batch_input_bytes(const CacheSpec& cache, int64_t context, int64_t sequences, const StepLimits& limits) {
    int64_t block_table = sequences * count_blocks(context);
    int64_t integers =
        4 * limits.rows + limits.logit_rows + static_cast<int64_t>(cache.groups.size()) * (limits.rows + block_table);
    return static_cast<uint64_t>(integers) * sizeof(int32_t);
}

}  // namespace godwit
