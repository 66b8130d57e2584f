// 64 sequences that decode: what the bookkeeping of a step costs, and that it allocates nothing.
#include <atomic>
#include <chrono>

#include "schedule/fixture.hpp"

extern std::atomic<int64_t> allocations;

namespace godwit::test {
namespace {

constexpr int64_t kSequences = 64, kSteps = 2000;

TEST(StepCost, NoAllocationAndFewMicroseconds) {
    // As for Gemma 3: a full group and a sliding one.
    Fixture fixture({.context = 4096, .step_rows = 512, .logit_rows_max = 64, .sequences_max = kSequences},
                    {{.blocks = 8192, .block_tokens = 32}, {.blocks = 4096, .block_tokens = 32, .window = 512}});
    std::vector<Identity> roots(2);
    for (int64_t i = 0; i < kSequences; ++i) fixture.add(100 + i, 3000, {.roots = roots});
    Scheduler& scheduler = fixture.scheduler;
    StepPlan& plan = fixture.plan;
    auto step = [&] {
        scheduler.plan_step(plan);
        scheduler.commit(plan);
        scheduler.advance(plan);
        for (const ScheduledRows& one : plan.sequences)
            if (one.logit_rows > 0) scheduler.append(one.id, 7);
    };
    for (int i = 0; i < 100; ++i) step();  // the prompts
    ASSERT_EQ(plan.rows, kSequences);

    int64_t before = allocations;
    auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < kSteps; ++i) step();
    std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(allocations, before);
    EXPECT_EQ(plan.rows, kSequences);
    std::printf("bookkeeping of a step at %d running sequences: %.1f µs\n", static_cast<int>(kSequences),
                took.count() / static_cast<double>(kSteps));
}

}  // namespace
}  // namespace godwit::test
