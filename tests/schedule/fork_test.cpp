// Sequences that share blocks, and copies where one of them writes.
#include "schedule/fixture.hpp"

namespace godwit::test {
namespace {

TEST(Fork, SharesAllBlocksAndCopiesThePartialOneAtTheFirstWrite) {
    Fixture fixture({.context = 40, .step_rows = 8, .logit_rows_max = 8, .sequences_max = 3}, {{.blocks = 10}});
    SequenceId parent = fixture.add(6, 6);
    fixture.step();
    SequenceId child = fixture.scheduler.fork(parent), third = fixture.scheduler.fork(child);
    auto shared = fixture.table(parent);
    EXPECT_EQ(fixture.table(child), shared);
    EXPECT_EQ(fixture.pools[0].references(shared[1]), 3);
    EXPECT_EQ(fixture.pools[0].free(), 8);
    EXPECT_EQ(fixture.scheduler.computed(child), 6);
    EXPECT_EQ(fixture.step(), "");

    fixture.scheduler.append(parent, 7);
    fixture.scheduler.append(child, 8);
    EXPECT_EQ(fixture.step(), "0[6,7)+1 1[6,7)+1");
    ASSERT_EQ(fixture.plan.copies.size(), 2u);
    EXPECT_TRUE(fixture.plan.taken.empty());
    for (auto [index, id] : {std::pair(0, parent), std::pair(1, child)}) {
        EXPECT_EQ(fixture.plan.copies[index].group, 0);
        EXPECT_EQ(fixture.plan.copies[index].from, shared[1]);
        EXPECT_EQ(fixture.plan.copies[index].to, fixture.table(id)[1]);
        EXPECT_EQ(fixture.table(id)[0], shared[0]);
    }
    EXPECT_EQ(fixture.table(third), shared);

    // The last user writes in place.
    fixture.scheduler.append(third, 9);
    EXPECT_EQ(fixture.step(), "2[6,7)+1");
    EXPECT_TRUE(fixture.plan.copies.empty());
    EXPECT_EQ(fixture.table(third), shared);
    EXPECT_EQ(fixture.scheduler.tokens(child)[6], 8);
    EXPECT_EQ(fixture.scheduler.tokens(third)[6], 9);

    fixture.scheduler.finish(parent);
    EXPECT_EQ(fixture.pools[0].references(shared[0]), 2);
    fixture.scheduler.finish(third);
    fixture.scheduler.finish(child);
    EXPECT_EQ(fixture.pools[0].free(), 10);
}

TEST(Fork, OfAFullBlockCopiesNothing) {
    Fixture fixture({.context = 40, .step_rows = 8, .logit_rows_max = 8, .sequences_max = 3}, {{.blocks = 10}});
    SequenceId parent = fixture.add(8, 6);
    fixture.step();
    SequenceId child = fixture.scheduler.fork(parent);
    fixture.scheduler.append(parent, 7);
    fixture.scheduler.append(child, 7);
    EXPECT_EQ(fixture.step(), "0[8,9)+1 1[8,9)+1");
    EXPECT_TRUE(fixture.plan.copies.empty());
    EXPECT_EQ(fixture.plan.taken.size(), 2u);
}

TEST(Fork, WithoutARunningSlotWaitsAndComputesForItself) {
    Fixture fixture({.context = 40, .step_rows = 8, .logit_rows_max = 8, .sequences_max = 2}, {{.blocks = 10}});
    SequenceId parent = fixture.add(6, 6);
    fixture.step();
    SequenceId child = fixture.scheduler.fork(parent), waiting = fixture.scheduler.fork(parent);
    EXPECT_EQ(fixture.scheduler.running(), 2);
    EXPECT_EQ(fixture.scheduler.waiting(), 1);
    EXPECT_EQ(fixture.scheduler.computed(waiting), 0);
    EXPECT_TRUE(fixture.table(waiting).empty());
    for (SequenceId id : {parent, child, waiting}) fixture.scheduler.append(id, 5);
    EXPECT_EQ(fixture.step(), "0[6,7)+1 1[6,7)+1");
    fixture.scheduler.finish(parent);
    EXPECT_EQ(fixture.step(), "2[0,7)+1 admitted 2");
}

TEST(Fork, OfAWaitingSequenceWaits) {
    Fixture fixture({.context = 40, .step_rows = 8, .logit_rows_max = 8, .sequences_max = 2}, {{.blocks = 10}});
    SequenceId parent = fixture.add(6, 6);
    SequenceId child = fixture.scheduler.fork(parent);
    EXPECT_EQ(fixture.step(), "0[0,6)+1 1[0,2) admitted 0,1");
    EXPECT_NE(fixture.table(parent)[0], fixture.table(child)[0]);
}

TEST(Fork, InheritsRankAndLimits) {
    Fixture fixture({.context = 40, .step_rows = 8, .logit_rows_max = 8, .sequences_max = 1}, {{.blocks = 10}});
    SequenceId parent = fixture.add(6, 1);
    fixture.step();
    fixture.add(6, 1);
    SequenceId child = fixture.scheduler.fork(parent);
    fixture.scheduler.finish(parent);
    EXPECT_EQ(fixture.step(),
              fmt::format("{}[0,6)+1 admitted {}", child, child));  // before the one that came after the parent
    fixture.scheduler.append(child, 1);
    EXPECT_DEATH(fixture.scheduler.append(child, 1), "tokens_max");
}

TEST(Fork, InTheMiddleOfAPromptGoesOnFromThere) {
    Fixture fixture({.context = 40, .step_rows = 8, .logit_rows_max = 8, .sequences_max = 2}, {{.blocks = 10}});
    SequenceId parent = fixture.add(14, 6);
    fixture.step();
    fixture.scheduler.fork(parent);
    EXPECT_EQ(fixture.step(), "0[8,14)+1 1[8,10)");
}

TEST(Fork, CopiesABlockThatSomebodyElsePins) {
    Fixture fixture({.context = 40, .step_rows = 8, .logit_rows_max = 8, .sequences_max = 2}, {{.blocks = 10}});
    SequenceId id = fixture.add(6, 6);
    fixture.step();
    BlockId pinned = fixture.table(id)[1];
    fixture.pools[0].retain(pinned);
    fixture.scheduler.append(id, 1);
    fixture.step();
    ASSERT_EQ(fixture.plan.copies.size(), 1u);
    EXPECT_EQ(fixture.plan.copies[0].from, pinned);
    EXPECT_EQ(fixture.pools[0].references(pinned), 1);
}

TEST(Fork, NeedsABlockForTheCopy) {
    Fixture fixture({.context = 40, .step_rows = 8, .logit_rows_max = 8, .sequences_max = 2}, {{.blocks = 2}});
    SequenceId parent = fixture.add(6, 2);
    fixture.step();
    SequenceId child = fixture.scheduler.fork(parent);
    fixture.scheduler.append(child, 1);
    EXPECT_EQ(fixture.step(), "");  // no block for a copy, and the parent ranks higher
    fixture.scheduler.append(parent, 1);
    EXPECT_EQ(fixture.step(), "0[6,7)+1 preempted 1");
    EXPECT_TRUE(fixture.plan.copies.empty());  // nobody shares it any more
}

TEST(Fork, ContinuesTheChainOfIdentities) {
    Fixture fixture({.context = 40, .step_rows = 8, .logit_rows_max = 8, .sequences_max = 2}, {{.blocks = 10}});
    std::vector<Identity> roots(1);
    SequenceId parent = fixture.add(7, 6, {.roots = roots});
    fixture.step();
    SequenceId child = fixture.scheduler.fork(parent);
    fixture.scheduler.append(parent, 1);
    fixture.scheduler.append(child, 2);
    fixture.step();
    const BlockPool& pool = fixture.pools[0];
    Identity first = block_identity({}, {}, fixture.scheduler.tokens(child).first(4));
    EXPECT_EQ(*pool.identity(fixture.table(child)[0]), first);
    EXPECT_EQ(*pool.identity(fixture.table(child)[1]),
              block_identity(first, {}, fixture.scheduler.tokens(child).subspan(4, 4)));
    EXPECT_NE(*pool.identity(fixture.table(child)[1]), *pool.identity(fixture.table(parent)[1]));
}

}  // namespace
}  // namespace godwit::test
