// What happens to sequences and their blocks. What a step shall do is decided in planner.cpp.
#include "schedule/scheduler.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace godwit {
namespace {

/// Most blocks that `count` places in a row can touch, wherever they start.
int64_t blocks_touched(int64_t count, int64_t block_tokens) { return (count + block_tokens - 2) / block_tokens + 1; }

}  // namespace

int64_t peak_blocks(int64_t tokens, int64_t step_rows, int64_t block_tokens, int64_t window) {
    int64_t all = ceil_div(tokens, block_tokens);
    if (window == 0 || tokens == 0) return all;
    return std::min(all, blocks_touched(window - 1 + std::min(step_rows, tokens), block_tokens));
}

Scheduler::Scheduler(const ScheduleLimits& limits, std::vector<ScheduleGroup> groups)
    : limits_(limits), groups_(std::move(groups)) {
    CHECK(limits.context > 0 && limits.sequences_max > 0);
    CHECK(limits.sequences_max <= limits.step_rows && limits.sequences_max <= limits.logit_rows_max);
    for (const ScheduleGroup& group : groups_) CHECK(group.pool && group.block_tokens > 0 && group.window >= 0);
    running_.reserve(limits.sequences_max);
}

bool Scheduler::outranks(const Sequence& a, const Sequence& b) {
    if (a.priority != b.priority) return a.priority > b.priority;
    if (a.arrival != b.arrival) return a.arrival < b.arrival;
    return a.id < b.id;
}

void Scheduler::insert(std::vector<Sequence*>& list, Sequence& sequence) {
    auto better = [](const Sequence* a, const Sequence* b) { return outranks(*a, *b); };
    list.insert(std::upper_bound(list.begin(), list.end(), &sequence, better), &sequence);
}

const Scheduler::Sequence& Scheduler::at(SequenceId id) const {
    auto found = sequences_.find(id);
    CHECK(found != sequences_.end());
    return found->second;
}

Scheduler::Sequence& Scheduler::at(SequenceId id) { return const_cast<Sequence&>(std::as_const(*this).at(id)); }

// --- Sequences come and go -----------------------------------------------------------------------------------------

Result<void> Scheduler::check(const SequenceRequest& request) const {
    auto prompt = static_cast<int64_t>(request.tokens.size());
    CHECK(request.max_new_tokens >= 0 && request.logits_from >= 0);
    CHECK(request.roots.empty() || request.roots.size() == groups_.size());
    if (prompt == 0) return error("the prompt is empty (at least one token is needed)");
    if (prompt > limits_.context || request.max_new_tokens > limits_.context - prompt)
        return error(
            "{} prompt tokens and {} new ones exceed the context of {} (ask for less, or configure a larger context)",
            prompt, request.max_new_tokens, limits_.context);
    TRY(check_spans(request));
    for (size_t g = 0; g < groups_.size(); ++g) {
        const ScheduleGroup& group = groups_[g];
        int64_t needed = peak_blocks(prompt + request.max_new_tokens, 1, group.block_tokens, group.window);
        for (const AtomicSpan& span : request.atomic) {
            int64_t first = first_visible(span.first, group.window) / group.block_tokens;
            needed = std::max(needed, ceil_div(span.first + span.count, group.block_tokens) - first);
        }
        if (needed > group.pool->size())
            return error(
                "{} prompt tokens and {} new ones need {} blocks of {} tokens in cache group {}, which has {} (ask for "
                "less, or "
                "give the cache more memory)",
                prompt, request.max_new_tokens, needed, group.block_tokens, g, group.pool->size());
    }
    return done();
}

Result<void> Scheduler::check_spans(const SequenceRequest& request) const {
    int64_t end = 0;
    for (const AtomicSpan& span : request.atomic) {
        CHECK(span.first >= end && span.count > 0);
        end = span.first + span.count;
        if (span.count > limits_.step_rows)
            return error(
                "{} tokens from place {} on must be computed in one step, which has {} rows (configure longer steps)",
                span.count, span.first, limits_.step_rows);
        if (int64_t logits = end - std::max(span.first, request.logits_from); logits > limits_.logit_rows_max)
            return error(
                "{} tokens from place {} on must be computed in one step and {} of them want logits; a step has {} "
                "(ask for fewer)",
                span.count, span.first, logits, limits_.logit_rows_max);
    }
    CHECK(end <= static_cast<int64_t>(request.tokens.size()));
    return done();
}

Result<SequenceId> Scheduler::add(const SequenceRequest& request) {
    CHECK(!in_flight_);
    TRY(check(request));
    Sequence sequence;
    sequence.id = sequence.arrival = next_id_++;
    sequence.priority = request.priority;
    sequence.tokens_max = static_cast<int64_t>(request.tokens.size()) + request.max_new_tokens;
    sequence.tokens.assign(request.tokens.begin(), request.tokens.end());
    sequence.logits_from = request.logits_from;
    sequence.atomic.assign(request.atomic.begin(), request.atomic.end());
    sequence.groups.resize(groups_.size());
    sequence.has_roots = !request.roots.empty();
    for (size_t g = 0; g < request.roots.size(); ++g) sequence.groups[g].root = request.roots[g];
    insert(waiting_, store(std::move(sequence)));
    return next_id_ - 1;
}

/// Everything that grows while the sequence runs gets its room here.
Scheduler::Sequence& Scheduler::store(Sequence&& sequence) {
    sequence.tokens.reserve(sequence.tokens_max);
    for (size_t g = 0; g < groups_.size(); ++g)
        sequence.groups[g].block_table.reserve(ceil_div(sequence.tokens_max, groups_[g].block_tokens));
    if (waiting_.capacity() <= sequences_.size()) waiting_.reserve(2 * sequences_.size() + 1);
    ++version_;
    return sequences_.emplace(sequence.id, std::move(sequence)).first->second;
}

void Scheduler::append(SequenceId id, int32_t token) {
    CHECK(!in_flight_);
    Sequence& sequence = at(id);
    CHECK(sequence.known() < sequence.tokens_max);
    sequence.tokens.push_back(token);
    ++version_;
}

SequenceId Scheduler::fork(SequenceId parent) {
    CHECK(!in_flight_);
    Sequence copy = at(parent);
    copy.id = next_id_++;
    Sequence& child = store(std::move(copy));
    if (child.running && running() < limits_.sequences_max) {
        for (size_t g = 0; g < groups_.size(); ++g)
            for (BlockId block : child.groups[g].block_table)
                if (block != kNoBlock) groups_[g].pool->retain(block);
        insert(running_, child);
    } else {
        forget_computed(child);
        insert(waiting_, child);
    }
    return child.id;
}

void Scheduler::finish(SequenceId id) {
    CHECK(!in_flight_);
    Sequence& sequence = at(id);
    release_blocks(sequence);
    std::erase(sequence.running ? running_ : waiting_, &sequence);
    sequences_.erase(id);
    ++version_;
}

void Scheduler::release_blocks(Sequence& sequence) {
    for (size_t g = 0; g < groups_.size(); ++g) groups_[g].pool->release_table(sequence.groups[g].block_table);
}

/// The tokens stay known; none of them is in a block of the sequence (any more).
void Scheduler::forget_computed(Sequence& sequence) {
    sequence.running = false;
    sequence.computed = 0;
    for (SequenceGroup& group : sequence.groups) {
        group.block_table.clear();
        group.released = group.published = 0;
        group.last = {};
    }
}

// --- A step --------------------------------------------------------------------------------------------------------

void Scheduler::commit(StepPlan& plan) {
    CHECK(!in_flight_ && plan.version == version_);
    for (SequenceId id : plan.preempted) preempt(at(id));
    if (plan.failed) finish(plan.failed->id);
    for (SequenceId id : plan.admitted) admit(at(id));
    for (const ScheduledRows& scheduled : plan.sequences) take_blocks(scheduled, plan);
    turn_ = plan.turn;
    in_flight_ = !plan.sequences.empty();
    plan.version = ++version_;
}

void Scheduler::preempt(Sequence& sequence) {
    release_blocks(sequence);
    forget_computed(sequence);
    std::erase(running_, &sequence);
    insert(waiting_, sequence);
    ++preemptions_;
}

void Scheduler::admit(Sequence& sequence) {
    sequence.running = true;
    std::erase(waiting_, &sequence);
    insert(running_, sequence);
}

/// A block of its own for every place that the rows will write.
void Scheduler::take_blocks(const ScheduledRows& scheduled, StepPlan& plan) {
    Sequence& sequence = at(scheduled.id);
    for (size_t g = 0; g < groups_.size(); ++g) {
        auto [pool, block_tokens, window] = groups_[g];
        std::vector<BlockId>& block_table = sequence.groups[g].block_table;
        auto group = static_cast<int32_t>(g);
        if (sequence.computed % block_tokens != 0 && pool->references(block_table.back()) > 1) {
            BlockId copy = pool->take();
            plan.copies.push_back({group, block_table.back(), copy});
            pool->release(block_table.back());
            block_table.back() = copy;
        }
        int64_t blocks = ceil_div(sequence.computed + scheduled.rows, block_tokens);
        while (static_cast<int64_t>(block_table.size()) < blocks) {
            block_table.push_back(pool->take());
            plan.taken.push_back({group, block_table.back()});
        }
    }
}

void Scheduler::advance(const StepPlan& plan) {
    CHECK(in_flight_ && plan.version == version_);
    for (const ScheduledRows& scheduled : plan.sequences) {
        Sequence& sequence = at(scheduled.id);
        sequence.computed += scheduled.rows;
        sequence.logits_from = std::max(sequence.logits_from, sequence.computed);
        if (sequence.has_roots) publish_blocks(sequence);
        release_outside_window(sequence);
    }
    in_flight_ = false;
    ++version_;
}

void Scheduler::publish_blocks(Sequence& sequence) {
    for (size_t g = 0; g < groups_.size(); ++g) {
        SequenceGroup& group = sequence.groups[g];
        int64_t block_tokens = groups_[g].block_tokens;
        for (; group.published < sequence.computed / block_tokens; ++group.published) {
            auto tokens = std::span(sequence.tokens).subspan(group.published * block_tokens, block_tokens);
            group.last = block_identity(group.last, group.root, tokens);
            groups_[g].pool->publish(group.block_table[group.published], group.last);
        }
    }
}

void Scheduler::release_outside_window(Sequence& sequence) {
    for (size_t g = 0; g < groups_.size(); ++g) {
        SequenceGroup& group = sequence.groups[g];
        int64_t visible = first_visible(sequence.computed, groups_[g].window) / groups_[g].block_tokens;
        visible = std::min(visible, static_cast<int64_t>(group.block_table.size()));
        for (; group.released < visible; ++group.released) {
            groups_[g].pool->release(group.block_table[group.released]);
            group.block_table[group.released] = kNoBlock;
        }
    }
}

}  // namespace godwit
