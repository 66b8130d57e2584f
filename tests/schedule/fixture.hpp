// A scheduler with its pools, and steps in one call. Plans are compared as text:
//     "0[0,8) 1[4,5)+1 admitted 1 preempted 2"    sequence 0: places 0 to 7; sequence 1: place 4, whose logits are
//     wanted
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>

#include "schedule/scheduler.hpp"

namespace godwit::test {

struct Group {
    int32_t blocks = 0;
    int64_t block_tokens = 4;
    int64_t window = 0;
};

inline std::string describe(const StepPlan& plan) {
    std::vector<std::string> parts;
    for (const ScheduledRows& one : plan.sequences) {
        std::string logits = one.logit_rows > 0 ? fmt::format("+{}", one.logit_rows) : "";
        parts.push_back(fmt::format("{}[{},{}){}", one.id, one.first, one.first + one.rows, logits));
    }
    if (!plan.admitted.empty()) parts.push_back(fmt::format("admitted {}", fmt::join(plan.admitted, ",")));
    if (!plan.preempted.empty()) parts.push_back(fmt::format("preempted {}", fmt::join(plan.preempted, ",")));
    if (plan.failed) parts.push_back(fmt::format("failed {}", plan.failed->id));
    return fmt::format("{}", fmt::join(parts, " "));
}

class Fixture {
public:
    Fixture(const ScheduleLimits& limits, const std::vector<Group>& groups) : scheduler(limits, make_groups(groups)) {}

    SequenceId add(int64_t prompt, int64_t max_new, SequenceRequest request = {}) {
        Result<SequenceId> id = try_add(prompt, max_new, request);
        EXPECT_TRUE(id.ok()) << id.error().message;
        return id.value();
    }

    Result<SequenceId> try_add(int64_t prompt, int64_t max_new, SequenceRequest request = {}) {
        std::vector<int32_t> tokens(prompt);
        std::iota(tokens.begin(), tokens.end(), 100);
        request.tokens = tokens;
        request.max_new_tokens = max_new;
        return scheduler.add(request);
    }

    std::string planned() {
        scheduler.plan_step(plan);
        return describe(plan);
    }

    std::string step() {
        std::string text = planned();
        scheduler.commit(plan);
        if (!plan.sequences.empty()) scheduler.advance(plan);
        for (const BlockPool& pool : pools) EXPECT_TRUE(pool.check().ok()) << pool.check().error().message;
        return text;
    }

    std::vector<BlockId> table(SequenceId id, size_t group = 0) {
        auto table = scheduler.block_table(id, group);
        return {table.begin(), table.end()};
    }

    std::deque<BlockPool> pools;
    Scheduler scheduler;
    StepPlan plan;

private:
    std::vector<ScheduleGroup> make_groups(const std::vector<Group>& groups) {
        std::vector<ScheduleGroup> made;
        for (const Group& group : groups)
            made.push_back({&pools.emplace_back(group.blocks), group.block_tokens, group.window});
        return made;
    }
};

}  // namespace godwit::test
