// What one step will do: pure data, made by Scheduler::plan_step, completed by commit. Reuse one object for all steps:
// its vectors then never grow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cache/index/block_pool.hpp"

namespace godwit {

using SequenceId = int64_t;
inline constexpr SequenceId kNoSequence = -1;

/// Rows of one sequence: its tokens at places [first, first + rows). The logits of the last `logit_rows` of them are
/// wanted.
struct ScheduledRows {
    SequenceId id = kNoSequence;
    int64_t first = 0, rows = 0, logit_rows = 0;

    bool operator==(const ScheduledRows&) const = default;
};

/// A block whose bytes must be zeroed before the step.
struct TakenBlock {
    int32_t group = 0;
    BlockId block = kNoBlock;
};

/// A block whose bytes must be copied before the step: a sequence is about to write into a block that it shares.
struct BlockCopy {
    int32_t group = 0;
    BlockId from = kNoBlock, to = kNoBlock;
};

struct FailedSequence {
    SequenceId id = kNoSequence;
    std::string reason;
};

struct StepPlan {
    std::vector<ScheduledRows> sequences;
    int64_t rows = 0, logit_rows = 0;      // of all of them
    std::vector<SequenceId> preempted;     // lose their blocks and wait
    std::vector<SequenceId> admitted;      // start to run, perhaps without a row in this step
    std::optional<FailedSequence> failed;  // nothing can run, ever, unless this one goes; commit() removes it

    // Filled in by commit().
    std::vector<TakenBlock> taken;
    std::vector<BlockCopy> copies;  // their targets are not in `taken`

    /// Nothing to do until a sequence is added, appended to or finished.
    bool idle() const { return sequences.empty() && !failed; }

    // What plan_step counts with; of no use to others.
    struct Scratch {
        std::vector<int64_t> rows;       // [running + admitted, by rank]
        std::vector<int64_t> charged;    // [running + admitted, groups]: blocks for these rows
        std::vector<int64_t> free;       // [groups]: free blocks
        std::vector<int64_t> unclaimed;  // [groups]: those that no running sequence will need for what it knows already
        std::vector<std::vector<int32_t>> dropped;  // [groups][blocks]: users that are preempted
    };
    Scratch scratch;
    SequenceId turn = kNoSequence;  // see Scheduler
    int64_t version = -1;
};

}  // namespace godwit
