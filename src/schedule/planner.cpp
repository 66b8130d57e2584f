// One step's plan. The order of who gets rows and blocks:
//   1. an atomic span that did not fit beside the others in the step before;
//   2. running sequences that need one row (all that decode), by rank;
//   3. running sequences that need more, by rank;
//   4. waiting sequences by rank, each only if there are blocks for all its tokens. Nobody overtakes the first that
//      does not fit.
// Who finds no block takes those of the sequence that ranks lowest, if that one ranks below itself.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "schedule/scheduler.hpp"

namespace godwit {

class Scheduler::Planner {
public:
    Planner(const Scheduler& scheduler, StepPlan& plan)
        : scheduler_(scheduler),
          limits_(scheduler.limits_),
          groups_(scheduler.groups_),
          plan_(plan),
          scratch_(plan.scratch) {}

    void run();

private:
    enum class Pass : uint8_t { Turn, OneRow, Chunk };

    void reset();
    bool belongs(const Sequence& sequence, Pass pass) const;

    void schedule(size_t index, Pass pass);
    int64_t rows_by_limits(const Sequence& sequence, int64_t rows) const;
    int64_t rows_by_blocks(const Sequence& sequence, int64_t rows) const;
    static const AtomicSpan* last_span_before(const Sequence& sequence, int64_t end);
    static int64_t whole_spans(const Sequence& sequence, int64_t rows);
    static int64_t logit_rows(const Sequence& sequence, int64_t rows);
    bool copies_block(const Sequence& sequence, size_t g) const;
    void charge(size_t index, int64_t rows);
    void preempt_last();

    void admit_waiting();
    void count_unclaimed();
    int64_t blocks_to_catch_up(const Sequence& sequence, size_t g) const;

    void list_scheduled();
    void fail_if_stuck();

    /// Running sequences by rank, then the waiting ones that this plan admits.
    const Sequence& sequence(size_t index) const {
        size_t running = scheduler_.running_.size();
        return index < running ? *scheduler_.running_[index] : *scheduler_.waiting_[index - running];
    }
    int64_t& charged(size_t index, size_t g) { return scratch_.charged[index * groups_.size() + g]; }

    const Scheduler& scheduler_;
    const ScheduleLimits& limits_;
    const std::vector<ScheduleGroup>& groups_;
    StepPlan& plan_;
    StepPlan::Scratch& scratch_;
    size_t kept_ = 0;  // running sequences that are not preempted: those that rank lowest go first
};

void Scheduler::plan_step(StepPlan& plan) const {
    CHECK(!in_flight_);
    Planner(*this, plan).run();
}

void Scheduler::Planner::run() {
    reset();
    for (Pass pass : {Pass::Turn, Pass::OneRow, Pass::Chunk})
        for (size_t i = 0; i < kept_; ++i)
            if (belongs(sequence(i), pass)) schedule(i, pass);
    if (plan_.preempted.empty()) admit_waiting();
    list_scheduled();
    fail_if_stuck();
}

void Scheduler::Planner::reset() {
    size_t groups = groups_.size(), most = limits_.sequences_max;
    bool dirty = !plan_.preempted.empty();
    scratch_.dropped.resize(groups);
    scratch_.free.resize(groups);
    for (size_t g = 0; g < groups; ++g) {
        scratch_.free[g] = groups_[g].pool->free();
        auto blocks = static_cast<size_t>(groups_[g].pool->size());
        if (dirty || scratch_.dropped[g].size() != blocks) scratch_.dropped[g].assign(blocks, 0);
    }
    scratch_.rows.assign(most, 0);
    scratch_.charged.assign(most * groups, 0);
    plan_.sequences.clear();
    plan_.preempted.clear();
    plan_.admitted.clear();
    plan_.taken.clear();
    plan_.copies.clear();
    plan_.sequences.reserve(most);
    plan_.preempted.reserve(most);
    plan_.admitted.reserve(most);
    plan_.taken.reserve(groups * (most + limits_.step_rows));
    plan_.copies.reserve(groups * most);
    plan_.failed.reset();
    plan_.rows = plan_.logit_rows = 0;
    plan_.turn = kNoSequence;
    plan_.version = scheduler_.version_;
    kept_ = scheduler_.running_.size();
}

bool Scheduler::Planner::belongs(const Sequence& sequence, Pass pass) const {
    if (sequence.id == scheduler_.turn_) return pass == Pass::Turn;
    return sequence.wanted() > 0 && pass == (sequence.wanted() == 1 ? Pass::OneRow : Pass::Chunk);
}

// --- Rows of one sequence ------------------------------------------------------------------------------------------

void Scheduler::Planner::schedule(size_t index, Pass pass) {
    const Sequence& one = sequence(index);
    int64_t wanted = pass == Pass::Turn ? last_span_before(one, one.computed + 1)->count : one.wanted();
    for (;;) {
        int64_t rows = rows_by_limits(one, wanted);
        int64_t whole = whole_spans(one, rows);
        if (rows > 0 && whole == 0) {  // its turn comes, but never twice in a row: others wait as well
            if (scheduler_.turn_ == kNoSequence && plan_.turn == kNoSequence) plan_.turn = one.id;
            return;
        }
        int64_t fitting = whole_spans(one, rows_by_blocks(one, whole));
        if (fitting > 0) return charge(index, fitting);
        if (whole == 0 || index + 1 >= kept_) return;
        preempt_last();
    }
}

/// What the step's rows and logits leave of `rows`.
int64_t Scheduler::Planner::rows_by_limits(const Sequence& sequence, int64_t rows) const {
    int64_t logits_left = limits_.logit_rows_max - plan_.logit_rows;
    rows = std::min(rows, limits_.step_rows - plan_.rows);
    if (sequence.logits_from < sequence.known())
        rows = std::min(rows, std::max<int64_t>(0, sequence.logits_from - sequence.computed) + logits_left);
    if (rows == sequence.wanted() && logit_rows(sequence, rows) > logits_left) --rows;
    return rows;
}

/// What the free blocks leave of `rows`; less than 1: none.
int64_t Scheduler::Planner::rows_by_blocks(const Sequence& sequence, int64_t rows) const {
    for (size_t g = 0; g < groups_.size(); ++g) {
        int64_t free = scratch_.free[g] - copies_block(sequence, g);
        int64_t blocks = static_cast<int64_t>(sequence.groups[g].block_table.size()) + free;
        rows = std::min(rows, blocks * groups_[g].block_tokens - sequence.computed);
    }
    return rows;
}

/// The last span that starts before place `end`; null if none does.
const AtomicSpan* Scheduler::Planner::last_span_before(const Sequence& sequence, int64_t end) {
    auto starts_later = [](int64_t place, const AtomicSpan& span) { return place <= span.first; };
    auto next = std::upper_bound(sequence.atomic.begin(), sequence.atomic.end(), end, starts_later);
    return next == sequence.atomic.begin() ? nullptr : &*std::prev(next);
}

/// At most `rows`, and no span cut: a sequence never stands inside one.
int64_t Scheduler::Planner::whole_spans(const Sequence& sequence, int64_t rows) {
    int64_t end = sequence.computed + rows;
    const AtomicSpan* span = last_span_before(sequence, end);
    return span && span->first + span->count > end ? span->first - sequence.computed : rows;
}

/// How many of the next `rows` rows want logits: these are always the last ones.
int64_t Scheduler::Planner::logit_rows(const Sequence& sequence, int64_t rows) {
    if (rows == 0) return 0;
    int64_t end = sequence.computed + rows;
    if (end > sequence.logits_from) return end - std::max(sequence.computed, sequence.logits_from);
    return end == sequence.known() ? 1 : 0;
}

/// Whether its next row goes into a block that it shares.
bool Scheduler::Planner::copies_block(const Sequence& sequence, size_t g) const {
    if (sequence.computed % groups_[g].block_tokens == 0) return false;
    BlockId block = sequence.groups[g].block_table.back();
    return groups_[g].pool->references(block) - scratch_.dropped[g][block] > 1;
}

void Scheduler::Planner::charge(size_t index, int64_t rows) {
    const Sequence& one = sequence(index);
    scratch_.rows[index] = rows;
    plan_.rows += rows;
    plan_.logit_rows += logit_rows(one, rows);
    for (size_t g = 0; g < groups_.size(); ++g) {
        auto blocks = static_cast<int64_t>(one.groups[g].block_table.size());
        charged(index, g) = ceil_div(one.computed + rows, groups_[g].block_tokens) - blocks + copies_block(one, g);
        scratch_.free[g] -= charged(index, g);
    }
}

/// The running sequence that ranks lowest gives back its blocks, and what this plan had given it.
void Scheduler::Planner::preempt_last() {
    size_t index = --kept_;
    const Sequence& one = sequence(index);
    plan_.preempted.push_back(one.id);
    plan_.rows -= scratch_.rows[index];
    plan_.logit_rows -= logit_rows(one, scratch_.rows[index]);
    scratch_.rows[index] = 0;
    for (size_t g = 0; g < groups_.size(); ++g) {
        scratch_.free[g] += charged(index, g);
        for (BlockId block : one.groups[g].block_table)
            if (block != kNoBlock)
                scratch_.free[g] += groups_[g].pool->references(block) == ++scratch_.dropped[g][block];
    }
}

// --- Waiting sequences ---------------------------------------------------------------------------------------------

void Scheduler::Planner::admit_waiting() {
    const auto& waiting = scheduler_.waiting_;
    size_t running = scheduler_.running_.size(), slots = limits_.sequences_max - running;
    if (waiting.empty() || slots == 0) return;
    count_unclaimed();
    for (size_t i = 0; i < std::min(waiting.size(), slots); ++i) {
        if (plan_.rows == limits_.step_rows || plan_.logit_rows == limits_.logit_rows_max) return;
        for (size_t g = 0; g < groups_.size(); ++g)
            if (blocks_to_catch_up(*waiting[i], g) > scratch_.unclaimed[g]) return;
        for (size_t g = 0; g < groups_.size(); ++g) scratch_.unclaimed[g] -= blocks_to_catch_up(*waiting[i], g);
        plan_.admitted.push_back(waiting[i]->id);
        schedule(running + i, Pass::Chunk);
    }
}

/// The free blocks less those that running sequences still need for tokens they know: a prompt is not let in at the
/// cost of another.
void Scheduler::Planner::count_unclaimed() {
    scratch_.unclaimed = scratch_.free;
    for (size_t i = 0; i < scheduler_.running_.size(); ++i)
        for (size_t g = 0; g < groups_.size(); ++g)
            scratch_.unclaimed[g] -= std::max<int64_t>(0, blocks_to_catch_up(sequence(i), g) - charged(i, g));
}

/// Blocks beyond those it holds that a sequence needs until all its known tokens are computed.
int64_t Scheduler::Planner::blocks_to_catch_up(const Sequence& sequence, size_t g) const {
    auto [pool, block_tokens, window] = groups_[g];
    int64_t held_at_most =
        std::min<int64_t>(ceil_div(sequence.known(), block_tokens) - sequence.groups[g].released, pool->size());
    if (window > 0)
        held_at_most = std::min(held_at_most, peak_blocks(sequence.known(), limits_.step_rows, block_tokens, window));
    return std::max<int64_t>(0, held_at_most - sequence.groups[g].held());
}

// --- The outcome ---------------------------------------------------------------------------------------------------

void Scheduler::Planner::list_scheduled() {
    size_t running = scheduler_.running_.size();
    for (size_t i = 0; i < running + plan_.admitted.size(); ++i) {
        const Sequence& one = sequence(i);
        if (int64_t rows = scratch_.rows[i])
            plan_.sequences.push_back({one.id, one.computed, rows, logit_rows(one, rows)});
    }
}

/// With no row to compute nothing will ever change, unless a running sequence is about to get a token. So the first one
/// must go.
void Scheduler::Planner::fail_if_stuck() {
    if (!plan_.sequences.empty()) return;
    for (size_t i = 0; i < kept_; ++i)
        if (sequence(i).wanted() == 0) return;
    const auto& candidates = kept_ > 0 ? scheduler_.running_ : scheduler_.waiting_;
    if (candidates.empty()) return;
    const Sequence& first = *candidates[0];
    for (size_t g = 0; g < groups_.size(); ++g) {
        int64_t needed = std::max<int64_t>(blocks_to_catch_up(first, g), copies_block(first, g));
        if (needed <= scratch_.free[g]) continue;
        std::string reason = fmt::format(
            "{} tokens need {} more blocks of cache group {}; {} of its {} blocks are free, and no sequence can give "
            "back others",
            first.known(), needed, g, scratch_.free[g], groups_[g].pool->size());
        plan_.failed = FailedSequence{first.id, std::move(reason)};
        return;
    }
    CHECK(false);  // who has all its blocks can run
}

}  // namespace godwit
