// Which rows of which sequences the next step computes, and in which blocks of the cache they lie. Pure bookkeeping:
// counts and tables; no tensors, threads or clocks. One thread at a time.
//
// There is no prefill and no decode. A sequence has known tokens and computed ones, and every step hands out rows so
// that the second number catches up with the first. A prompt in chunks, a token of the answer, the way back after a
// preemption: all are this one rule.
//
//     scheduler.plan_step(plan);     // counts only; the plan may be thrown away
//     scheduler.commit(plan);        // the one point where blocks change hands
//     …zero plan.taken, do plan.copies, compute plan.sequences…
//     scheduler.advance(plan);       // the rows are in the cache
//     …for every sequence with logits: append(id, token), fork(id), finish(id)…
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ceil_div.hpp"
#include "base/result.hpp"
#include "cache/index/block_pool.hpp"
#include "cache/index/identity.hpp"
#include "schedule/step_plan.hpp"

namespace godwit {

/// sequences_max is at most step_rows and at most logit_rows_max: so no decode lacks its row, and none takes a prompt's
/// last.
struct ScheduleLimits {
    int64_t context = 0;         // known tokens of a sequence, answer included
    int64_t step_rows = 0;       // rows of a step
    int64_t logit_rows_max = 0;  // rows of a step whose logits are wanted
    int64_t sequences_max = 0;   // running at once
};

/// A group of the cache, as far as it concerns who gets which block.
struct ScheduleGroup {
    BlockPool* pool = nullptr;  // shared: others may hold blocks of it as well
    int64_t block_tokens = 0;
    int64_t window = 0;  // 0: every row sees all rows before it; W: only the last W, itself included
};

/// Rows that must be computed in one step: places [first, first + count).
struct AtomicSpan {
    int64_t first = 0, count = 0;
};

/// logits_from of a sequence that wants logits only where it has caught up with its known tokens.
inline constexpr int64_t kLastRowOnly = std::numeric_limits<int64_t>::max();

struct SequenceRequest {
    std::span<const int32_t> tokens;     // the prompt, at least one
    int64_t max_new_tokens = 0;          // that will be appended at most
    int32_t priority = 0;                // higher goes first; among equals the earlier add()
    int64_t logits_from = kLastRowOnly;  // logits of every row from this place on, each once; 0: of all rows
    std::span<const AtomicSpan> atomic;  // ascending, disjoint, inside the prompt
    std::span<const Identity> roots;     // one a group: full blocks are published under them; none: never
};

/// The first place that the row at `place` sees.
constexpr int64_t first_visible(int64_t place, int64_t window) {
    return window > 0 && place >= window ? place - window + 1 : 0;
}

/// The most blocks of a group that a sequence of `tokens` holds at once, if no step computes more than `step_rows` rows
/// of it.
int64_t peak_blocks(int64_t tokens, int64_t step_rows, int64_t block_tokens, int64_t window);

class Scheduler {
public:
    /// The pools must outlive it. Two groups may not share one.
    Scheduler(const ScheduleLimits& limits, std::vector<ScheduleGroup> groups);

    /// A new waiting sequence. Errors: it could never run (longer than the context, more blocks than a pool has, an
    /// atomic span longer than a step).
    Result<SequenceId> add(const SequenceRequest& request);
    /// One more known token, at most max_new_tokens in all.
    void append(SequenceId id, int32_t token);
    /// An independent sequence with the same tokens, rank and limits. It shares all blocks of the parent; where no
    /// running slot is free it waits instead and will compute its tokens itself.
    SequenceId fork(SequenceId parent);
    /// Ends a sequence, running or waiting, complete or cancelled. Its blocks are free at once.
    void finish(SequenceId id);

    /// Fills in `plan` (except taken and copies), whose vectors are reused. Changes nothing.
    void plan_step(StepPlan& plan) const;
    /// Carries the plan out: preempts, admits, removes the failed, takes blocks. It must be the plan of the state as it
    /// is: no other call since plan_step. If it has rows, advance() must be the next call.
    void commit(StepPlan& plan);
    /// The rows of the committed plan have been computed: publishes blocks that became full, releases those that no
    /// window reaches.
    void advance(const StepPlan& plan);

    /// All known tokens. Valid until the next change of the sequence.
    std::span<const int32_t> tokens(SequenceId id) const { return at(id).tokens; }
    /// How many of them are in the cache.
    int64_t computed(SequenceId id) const { return at(id).computed; }
    /// The sequence's blocks, first to last, for places up to computed() and, from commit() to advance(), the planned
    /// rows. kNoBlock: outside the window for good.
    std::span<const BlockId> block_table(SequenceId id, size_t group) const { return at(id).groups[group].block_table; }

    int64_t running() const { return static_cast<int64_t>(running_.size()); }
    int64_t waiting() const { return static_cast<int64_t>(waiting_.size()); }
    /// Since the start.
    int64_t preemptions() const { return preemptions_; }

private:
    struct SequenceGroup {
        std::vector<BlockId> block_table;  // for ceil(computed / block_tokens) blocks
        int64_t released = 0;              // leading entries of it that are kNoBlock
        int64_t published = 0;             // leading entries of it that have been published
        Identity root, last;               // last: identity of the last published one

        int64_t held() const { return static_cast<int64_t>(block_table.size()) - released; }
    };

    struct Sequence {
        SequenceId id = 0;
        int32_t priority = 0;
        int64_t arrival = 0;
        std::vector<int32_t> tokens;
        int64_t computed = 0;
        int64_t tokens_max = 0;
        int64_t logits_from = kLastRowOnly;
        bool running = false;
        bool has_roots = false;
        std::vector<AtomicSpan> atomic;
        std::vector<SequenceGroup> groups;

        int64_t known() const { return static_cast<int64_t>(tokens.size()); }
        int64_t wanted() const { return known() - computed; }
    };

    class Planner;

    static bool outranks(const Sequence& a, const Sequence& b);
    static void insert(std::vector<Sequence*>& list, Sequence& sequence);
    const Sequence& at(SequenceId id) const;
    Sequence& at(SequenceId id);

    Result<void> check(const SequenceRequest& request) const;
    Result<void> check_spans(const SequenceRequest& request) const;
    Sequence& store(Sequence&& sequence);
    void release_blocks(Sequence& sequence);
    void forget_computed(Sequence& sequence);

    void preempt(Sequence& sequence);
    void admit(Sequence& sequence);
    void take_blocks(const ScheduledRows& scheduled, StepPlan& plan);
    void publish_blocks(Sequence& sequence);
    void release_outside_window(Sequence& sequence);

    ScheduleLimits limits_;
    std::vector<ScheduleGroup> groups_;
    std::unordered_map<SequenceId, Sequence> sequences_;
    std::vector<Sequence*> running_, waiting_;  // best rank first
    SequenceId turn_ = kNoSequence;  // whose atomic span goes first in the next step: it did not fit beside the others
    SequenceId next_id_ = 0;
    int64_t version_ = 0;     // of the state; a plan knows the one that it was made for
    bool in_flight_ = false;  // between commit and advance
    int64_t preemptions_ = 0;
};

}  // namespace godwit
