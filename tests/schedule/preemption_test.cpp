// What happens when blocks run out.
#include "schedule/fixture.hpp"

namespace godwit::test {
namespace {

/// Runs everything to its end: every caught-up sequence gets a token, or finishes with `max_new` of them. Returns the
/// steps taken.
int64_t run_to_end(Fixture& fixture, std::vector<SequenceId> ids, int64_t total) {
    int64_t steps = 0;
    while (!ids.empty()) {
        fixture.step();
        EXPECT_FALSE(fixture.plan.failed);
        EXPECT_FALSE(fixture.plan.sequences.empty());
        if (fixture.plan.sequences.empty()) return steps;
        ++steps;
        for (const ScheduledRows& one : fixture.plan.sequences) {
            if (one.logit_rows == 0) continue;
            auto known = static_cast<int64_t>(fixture.scheduler.tokens(one.id).size());
            if (known < total) fixture.scheduler.append(one.id, 1);
            else fixture.scheduler.finish(one.id), std::erase(ids, one.id);
        }
    }
    return steps;
}

TEST(Preemption, W1WhatFitsAloneSucceedsTogether) {
    Fixture fixture({.context = 768, .step_rows = 128, .logit_rows_max = 4, .sequences_max = 4},
                    {{.blocks = 24, .block_tokens = 32}});
    std::vector<SequenceId> ids;
    for (int i = 0; i < 4; ++i) ids.push_back(fixture.add(163, 300));
    int64_t steps = run_to_end(fixture, ids, 463);
    EXPECT_GT(fixture.scheduler.preemptions(), 0);
    EXPECT_LT(steps, 4 * 304);  // together they are no slower than one after the other
    EXPECT_EQ(fixture.pools[0].free(), 24);
}

TEST(Preemption, TakesTheLowestRankAndItComesBackWithAllItsTokens) {
    Fixture fixture({.context = 40, .step_rows = 8, .logit_rows_max = 8, .sequences_max = 3}, {{.blocks = 3}});
    fixture.add(4, 4);
    fixture.add(4, 4, {.priority = -1});
    fixture.add(4, 4);
    EXPECT_EQ(fixture.step(), "0[0,4)+1 2[0,4)+1 admitted 0,2");
    EXPECT_EQ(fixture.step(), "1[0,4)+1 admitted 1");
    for (SequenceId id : {0, 1, 2}) fixture.scheduler.append(id, 50);
    // The first needs a block: the third by rank gives its own. The second needs one as well, and nobody ranks below it
    // any more.
    EXPECT_EQ(fixture.step(), "0[4,5)+1 preempted 1");
    EXPECT_EQ(fixture.scheduler.computed(1), 0);
    EXPECT_TRUE(fixture.table(1).empty());
    EXPECT_EQ(fixture.scheduler.tokens(1).size(), 5u);
    fixture.scheduler.finish(0);
    EXPECT_EQ(fixture.step(), "2[4,5)+1");
    fixture.scheduler.finish(2);
    EXPECT_EQ(fixture.step(), "1[0,5)+1 admitted 1");
    EXPECT_EQ(fixture.scheduler.preemptions(), 1);
}

TEST(Preemption, NeverTakesFromWhoRanksHigher) {
    Fixture fixture({.context = 40, .step_rows = 8, .logit_rows_max = 8, .sequences_max = 2}, {{.blocks = 2}});
    fixture.add(4, 4);
    fixture.add(4, 4);
    EXPECT_EQ(fixture.step(), "0[0,4)+1 1[0,4)+1 admitted 0,1");
    fixture.scheduler.append(1, 1);
    EXPECT_EQ(fixture.step(), "");
    fixture.scheduler.append(0, 1);
    EXPECT_EQ(fixture.step(), "0[4,5)+1 preempted 1");
}

TEST(Preemption, RefundsRowsThatTheVictimHadInThisPlan) {
    // The victim decodes, so it was served before the long chunk that needs its block, and had the step's only other
    // logits.
    Fixture fixture({.context = 40, .step_rows = 5, .logit_rows_max = 2, .sequences_max = 2}, {{.blocks = 4}});
    fixture.add(8, 8);
    EXPECT_EQ(fixture.step(), "0[0,5) admitted 0");
    fixture.add(6, 6);
    EXPECT_EQ(fixture.step(), "0[5,8)+1 1[0,2) admitted 1");
    EXPECT_EQ(fixture.step(), "1[2,6)+1");
    for (int i = 0; i < 5; ++i) fixture.scheduler.append(0, 1);
    fixture.scheduler.append(1, 1);
    EXPECT_EQ(fixture.pools[0].free(), 0);
    EXPECT_EQ(fixture.step(), "0[8,13)+1 preempted 1");
    EXPECT_EQ(fixture.plan.rows, 5);
    EXPECT_EQ(fixture.plan.logit_rows, 1);
    EXPECT_EQ(fixture.pools[0].free(), 0);
}

TEST(Preemption, RefundsBlocksThatTheVictimHadInThisPlan) {
    Fixture fixture({.context = 40, .step_rows = 9, .logit_rows_max = 2, .sequences_max = 2}, {{.blocks = 4}});
    fixture.add(8, 8);
    fixture.add(4, 4);
    EXPECT_EQ(fixture.step(), "0[0,8)+1 1[0,1) admitted 0,1");
    EXPECT_EQ(fixture.step(), "1[1,4)+1");
    for (int i = 0; i < 8; ++i) fixture.scheduler.append(0, 1);
    fixture.scheduler.append(1, 1);
    // The decode gets the last free block first. The chunk has none for its first row then, and takes back both blocks
    // of the decode.
    EXPECT_EQ(fixture.step(), "0[8,16)+1 preempted 1");
    EXPECT_EQ(fixture.pools[0].free(), 0);
}

TEST(Preemption, AChunkIsContentWithWhatIsFree) {
    Fixture fixture({.context = 40, .step_rows = 9, .logit_rows_max = 2, .sequences_max = 2}, {{.blocks = 4}});
    fixture.add(5, 11);
    fixture.add(4, 4);
    EXPECT_EQ(fixture.step(), "0[0,5)+1 1[0,4)+1 admitted 0,1");
    for (int i = 0; i < 9; ++i) fixture.scheduler.append(0, 1);
    EXPECT_EQ(fixture.step(), "0[5,12)");
    EXPECT_EQ(fixture.step(), "0[12,14)+1 preempted 1");
}

TEST(Preemption, ASpanTakesBlocksUntilItFits) {
    Fixture fixture({.context = 40, .step_rows = 9, .logit_rows_max = 3, .sequences_max = 3}, {{.blocks = 5}});
    AtomicSpan span{4, 8};
    fixture.add(4, 8, {.priority = -1});
    fixture.add(4, 4, {.priority = -2});
    EXPECT_EQ(fixture.step(), "0[0,4)+1 1[0,4)+1 admitted 0,1");
    fixture.add(12, 0, {.atomic = std::span(&span, 1)});
    EXPECT_EQ(fixture.step(), "2[0,4) admitted 2");
    fixture.scheduler.append(0, 1);
    // The decode takes one of the two free blocks; with the other alone the span would be cut.
    EXPECT_EQ(fixture.step(), "2[4,12)+1 0[4,5)+1 preempted 1");
}

TEST(Preemption, NobodyIsAdmittedInTheSameStep) {
    Fixture fixture({.context = 40, .step_rows = 9, .logit_rows_max = 4, .sequences_max = 4}, {{.blocks = 3}});
    fixture.add(4, 4);
    fixture.add(8, 0);
    EXPECT_EQ(fixture.step(), "0[0,4)+1 1[0,5) admitted 0,1");
    fixture.add(1, 0);
    fixture.scheduler.append(0, 1);
    EXPECT_EQ(fixture.step(), "0[4,5)+1 preempted 1");
    fixture.scheduler.append(0, 1);
    EXPECT_EQ(fixture.step(), "0[5,6)+1");  // the preempted one needs two blocks, and is not overtaken
}

TEST(Preemption, LogitsAlreadyGivenAreNotGivenAgain) {
    Fixture fixture({.context = 40, .step_rows = 8, .logit_rows_max = 8, .sequences_max = 2}, {{.blocks = 4}});
    fixture.add(4, 8, {.priority = 1});
    fixture.add(9, 4, {.logits_from = 0});
    EXPECT_EQ(fixture.step(), "0[0,4)+1 1[0,4)+4 admitted 0,1");
    for (int i = 0; i < 4; ++i) fixture.scheduler.append(0, 1);
    EXPECT_EQ(fixture.step(), "0[4,8)+1 1[4,8)+4");
    fixture.scheduler.append(0, 1);
    EXPECT_EQ(fixture.step(), "0[8,9)+1 preempted 1");
    fixture.scheduler.finish(0);
    EXPECT_EQ(fixture.step(), "1[0,8) admitted 1");
    EXPECT_EQ(fixture.step(), "1[8,9)+1");
}

TEST(Preemption, PublishedBlocksStayInTheCacheUntilTaken) {
    Fixture fixture({.context = 40, .step_rows = 16, .logit_rows_max = 8, .sequences_max = 2}, {{.blocks = 5}});
    std::vector<Identity> roots(1);
    fixture.add(4, 8);
    fixture.add(12, 4, {.roots = roots});
    EXPECT_EQ(fixture.step(), "0[0,4)+1 1[0,12)+1 admitted 0,1");
    auto table = fixture.table(1);
    for (int i = 0; i < 4; ++i) fixture.scheduler.append(0, 1);
    EXPECT_EQ(fixture.step(), "0[4,8)+1");
    fixture.scheduler.append(0, 1);
    EXPECT_EQ(fixture.step(), "0[8,9)+1 preempted 1");
    EXPECT_EQ(fixture.table(0)[2], table[2]);  // the end of the text goes first
    EXPECT_NE(fixture.pools[0].identity(table[0]), nullptr);
    EXPECT_NE(fixture.pools[0].identity(table[1]), nullptr);
    EXPECT_EQ(fixture.pools[0].identity(table[2]), nullptr);
}

TEST(Preemption, CountsSharedBlocksOnlyWhenAllTheirUsersAreGone) {
    // Two forks share two blocks, one of them partial. The first by rank needs a third block: both forks must go for
    // the shared ones to become free, and that is seen within one plan.
    Fixture fixture({.context = 40, .step_rows = 16, .logit_rows_max = 8, .sequences_max = 3}, {{.blocks = 4}});
    fixture.add(8, 8, {.priority = 1});
    SequenceId parent = fixture.add(6, 6);
    EXPECT_EQ(fixture.step(), "0[0,8)+1 1[0,6)+1 admitted 0,1");
    fixture.scheduler.fork(parent);
    EXPECT_EQ(fixture.pools[0].free(), 0);
    fixture.scheduler.append(0, 1);
    EXPECT_EQ(fixture.step(), "0[8,9)+1 preempted 2,1");
    EXPECT_EQ(fixture.pools[0].free(), 1);
}

}  // namespace
}  // namespace godwit::test
