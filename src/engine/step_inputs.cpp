#include "engine/step_inputs.hpp"

#include <algorithm>

namespace godwit {

Result<StepInputs> StepInputs::make(Device& device, const CacheSpec& cache, const MemoryPlan& memory,
                                    const StepLimits& limits) {
    StepInputs inputs;
    inputs.buffer_ = TRY(device.allocate(batch_input_bytes(cache, memory.context, memory.sequences, limits)));
    for (auto* rows : {&inputs.host_.tokens, &inputs.host_.positions, &inputs.host_.sequence, &inputs.host_.index})
        rows->reserve(limits.rows);
    inputs.host_.logit_rows.reserve(limits.logit_rows);
    inputs.host_.slot_mappings.resize(cache.groups.size());
    inputs.host_.block_tables.resize(cache.groups.size());
    for (auto& slot_mapping : inputs.host_.slot_mappings) slot_mapping.reserve(limits.rows);
    int64_t width = count_blocks(memory.context);
    for (auto& block_table : inputs.host_.block_tables) block_table.reserve(memory.sequences * width);
    inputs.batch_.groups.resize(cache.groups.size());
    return inputs;
}

const Batch& StepInputs::pack(Device& device, const Scheduler& scheduler, const StepPlan& plan) {
    gather(scheduler, plan);
    auto sequences = static_cast<int64_t>(plan.sequences.size());
    uint64_t offset = 0;
    batch_.tokens = upload(device, host_.tokens, {plan.rows}, offset);
    batch_.positions = upload(device, host_.positions, {1, plan.rows}, offset);
    batch_.sequence = upload(device, host_.sequence, {plan.rows}, offset);
    batch_.index = upload(device, host_.index, {plan.rows}, offset);
    batch_.logit_rows = upload(device, host_.logit_rows, {plan.logit_rows}, offset);
    for (size_t g = 0; g < batch_.groups.size(); ++g) {
        auto width = static_cast<int64_t>(host_.block_tables[g].size()) / sequences;
        batch_.groups[g] = {upload(device, host_.slot_mappings[g], {plan.rows}, offset),
                            upload(device, host_.block_tables[g], {sequences, width}, offset)};
    }
    return batch_;
}

void StepInputs::gather(const Scheduler& scheduler, const StepPlan& plan) {
    for (auto* rows : {&host_.tokens, &host_.positions, &host_.sequence, &host_.index, &host_.logit_rows})
        rows->clear();
    int32_t row = 0;
    for (size_t s = 0; s < plan.sequences.size(); ++s) {
        const ScheduledRows& part = plan.sequences[s];
        std::span<const int32_t> tokens = scheduler.tokens(part.id);
        for (int64_t place = part.first; place < part.first + part.rows; ++place, ++row) {
            host_.tokens.push_back(tokens[place]);
            host_.positions.push_back(static_cast<int32_t>(place));
            host_.sequence.push_back(static_cast<int32_t>(s));
            host_.index.push_back(static_cast<int32_t>(place));
            if (place >= part.first + part.rows - part.logit_rows) host_.logit_rows.push_back(row);
        }
    }
    for (size_t g = 0; g < batch_.groups.size(); ++g) {
        size_t width = 0;
        for (const ScheduledRows& part : plan.sequences)
            width = std::max(width, scheduler.block_table(part.id, g).size());
        gather_group(scheduler, plan, g, width);
    }
}

void StepInputs::gather_group(const Scheduler& scheduler, const StepPlan& plan, size_t group, size_t width) {
    std::vector<int32_t>&slot_mapping = host_.slot_mappings[group], &block_table = host_.block_tables[group];
    slot_mapping.clear();
    block_table.assign(plan.sequences.size() * width, kNoBlock);
    for (size_t s = 0; s < plan.sequences.size(); ++s) {
        const ScheduledRows& part = plan.sequences[s];
        std::span<const BlockId> blocks = scheduler.block_table(part.id, group);
        std::copy(blocks.begin(), blocks.end(), block_table.begin() + static_cast<ptrdiff_t>(s * width));
        for (int64_t place = part.first; place < part.first + part.rows; ++place)
            slot_mapping.push_back(
                static_cast<int32_t>(blocks[place / kBlockTokens] * kBlockTokens + place % kBlockTokens));
    }
}

View StepInputs::upload(Device& device, const std::vector<int32_t>& values, Shape shape, uint64_t& offset) {
    View view{buffer_.get(), offset, DType::I32, shape};
    CHECK(static_cast<int64_t>(values.size()) == shape.elements());
    device.upload(view, std::as_bytes(std::span(values)));
    offset += view.bytes();
    return view;
}

}  // namespace godwit
