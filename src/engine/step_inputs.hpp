// The integers of a step: gathered from the plan and the scheduler's tables on the host, uploaded as a Batch. Nothing
// is allocated after make().
#pragma once

#include <memory>
#include <vector>

#include "engine/memory_plan.hpp"
#include "model/forward.hpp"
#include "schedule/scheduler.hpp"

namespace godwit {

class StepInputs {
public:
    static Result<StepInputs> make(Device& device, const CacheSpec& cache, const MemoryPlan& memory,
                                   const StepLimits& limits);

    /// After Scheduler::commit. Valid until the next call.
    const Batch& pack(Device& device, const Scheduler& scheduler, const StepPlan& plan);

private:
    struct Host {  // one vector for each view of the batch
        std::vector<int32_t> tokens, positions, sequence, index, logit_rows;
        std::vector<std::vector<int32_t>> slot_mappings, block_tables;  // by cache group
    };

    void gather(const Scheduler& scheduler, const StepPlan& plan);
    void gather_group(const Scheduler& scheduler, const StepPlan& plan, size_t group, size_t width);
    View upload(Device& device, const std::vector<int32_t>& values, Shape shape, uint64_t& offset);

    Host host_;
    std::unique_ptr<Buffer> buffer_;
    Batch batch_;
};

}  // namespace godwit
