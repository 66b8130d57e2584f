// Groups whose rows see only the last few places.
#include "schedule/fixture.hpp"

namespace godwit::test {
namespace {

TEST(Window, ReleasesWhatNoLaterRowSees) {
    Fixture fixture({.context = 60, .step_rows = 8, .logit_rows_max = 8, .sequences_max = 2},
                    {{.blocks = 20}, {.blocks = 5, .window = 6}});
    SequenceId id = fixture.add(20, 20);
    fixture.step();  // next row: 8, sees 3 to 8
    EXPECT_EQ(fixture.pools[1].free(), 3);
    fixture.step();  // next row: 16, sees 11 to 16
    auto table = fixture.table(id, 1);
    EXPECT_EQ(table[0], kNoBlock);
    EXPECT_EQ(table[1], kNoBlock);
    EXPECT_NE(table[2], kNoBlock);
    EXPECT_EQ(table.size(), 4u);
    EXPECT_EQ(fixture.pools[1].free(), 3);
    fixture.step();  // next row: 20, sees 15 to 20
    EXPECT_EQ(fixture.table(id, 1)[2], kNoBlock);
    EXPECT_EQ(fixture.pools[1].free(), 3);
    for (int i = 0; i < 20; ++i) {
        fixture.scheduler.append(id, 1);
        fixture.step();
        EXPECT_GE(fixture.pools[1].free(), 2);
    }
    EXPECT_EQ(fixture.pools[0].free(), 10);
    fixture.scheduler.finish(id);
    EXPECT_EQ(fixture.pools[1].free(), 5);
}

TEST(Window, OfOneTokenKeepsNothingBeforeTheNextRow) {
    Fixture fixture({.context = 60, .step_rows = 8, .logit_rows_max = 8, .sequences_max = 2},
                    {{.blocks = 2, .window = 1}});
    SequenceId id = fixture.add(8, 8);
    fixture.step();
    EXPECT_EQ(fixture.table(id), (std::vector<BlockId>{kNoBlock, kNoBlock}));
    EXPECT_EQ(fixture.pools[0].free(), 2);
    fixture.scheduler.append(id, 1);
    EXPECT_EQ(fixture.step(), "0[8,9)+1");
}

TEST(Window, ASmallPoolShortensChunksButLetsALongPromptThrough) {
    Fixture fixture({.context = 600, .step_rows = 16, .logit_rows_max = 8, .sequences_max = 2},
                    {{.blocks = 3, .window = 6}});
    SequenceId id = fixture.add(500, 5);
    int steps = 0;
    while (fixture.scheduler.computed(id) < 500 && steps < 1000) {
        fixture.step();
        ASSERT_FALSE(fixture.plan.sequences.empty());
        ++steps;
    }
    EXPECT_LE(steps, 125);
}

TEST(Window, ForksReleaseEachForItself) {
    Fixture fixture({.context = 60, .step_rows = 8, .logit_rows_max = 8, .sequences_max = 2},
                    {{.blocks = 8, .window = 4}});
    SequenceId parent = fixture.add(7, 8);
    fixture.step();
    SequenceId child = fixture.scheduler.fork(parent);
    BlockId second = fixture.table(parent)[1];
    for (int i = 0; i < 4; ++i) {
        fixture.scheduler.append(parent, 1);
        fixture.step();
    }
    EXPECT_EQ(fixture.table(parent)[1], kNoBlock);  // a copy, gone: the next row is 11 and sees 8 to 11
    EXPECT_EQ(fixture.table(child)[1], second);
    EXPECT_EQ(fixture.pools[0].references(second), 1);
}

TEST(Window, AdmissionCountsOnlyWhatIsHeldAtOnce) {
    Fixture fixture({.context = 600, .step_rows = 8, .logit_rows_max = 8, .sequences_max = 2},
                    {{.blocks = 8, .window = 6}});
    fixture.add(100, 0);
    fixture.add(100, 0, {.priority = -1});
    // Each holds at most 4 blocks: those of 5 + 8 places.
    EXPECT_EQ(fixture.step(), "0[0,8) admitted 0");
    EXPECT_EQ(fixture.step(), "0[8,16)");
    for (int i = 2; i < 12; ++i) fixture.step();
    EXPECT_EQ(fixture.step(), "0[96,100)+1 1[0,4) admitted 1");
}

}  // namespace
}  // namespace godwit::test
