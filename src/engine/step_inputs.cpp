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
    inputs.host_.slots.resize(cache.groups.size());
    inputs.host_.tables.resize(cache.groups.size());
    for (auto& slots : inputs.host_.slots) slots.reserve(limits.rows);
    int64_t width = (memory.context + kBlockTokens - 1) / kBlockTokens;
    for (auto& table : inputs.host_.tables) table.reserve(memory.sequences * width);
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
        auto width = static_cast<int64_t>(host_.tables[g].size()) / sequences;
        batch_.groups[g] = {upload(device, host_.slots[g], {plan.rows}, offset),
                            upload(device, host_.tables[g], {sequences, width}, offset)};
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
        for (const ScheduledRows& part : plan.sequences) width = std::max(width, scheduler.table(part.id, g).size());
        gather_group(scheduler, plan, g, width);
    }
}

void StepInputs::gather_group(const Scheduler& scheduler, const StepPlan& plan, size_t group, size_t width) {
    std::vector<int32_t>&slots = host_.slots[group], &table = host_.tables[group];
    slots.clear();
    table.assign(plan.sequences.size() * width, kNoBlock);
    for (size_t s = 0; s < plan.sequences.size(); ++s) {
        const ScheduledRows& part = plan.sequences[s];
        std::span<const BlockId> blocks = scheduler.table(part.id, group);
        std::copy(blocks.begin(), blocks.end(), table.begin() + static_cast<ptrdiff_t>(s * width));
        for (int64_t place = part.first; place < part.first + part.rows; ++place)
            slots.push_back(static_cast<int32_t>(blocks[place / kBlockTokens] * kBlockTokens + place % kBlockTokens));
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
