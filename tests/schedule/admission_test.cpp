// Who is let in, and who is refused at once.
#include "schedule/fixture.hpp"

namespace godwit::test {
namespace {

std::string refusal(Fixture& fixture, int64_t prompt, int64_t max_new, SequenceRequest request = {}) {
    Result<SequenceId> id = fixture.try_add(prompt, max_new, request);
    return id.ok() ? "" : id.error().message;
}

TEST(Admission, RefusesWhatCanNeverRun) {
    Fixture fixture({.context = 40, .step_rows = 8, .logit_rows_max = 4, .sequences_max = 2},
                    {{.blocks = 5}, {.blocks = 3, .window = 6}});
    EXPECT_EQ(refusal(fixture, 0, 1), "the prompt is empty (at least one token is needed)");
    EXPECT_EQ(refusal(fixture, 41, 0),
              "41 prompt tokens and 0 new ones exceed the context of 40 (ask for less, or configure a larger context)");
    EXPECT_EQ(refusal(fixture, 1, std::numeric_limits<int64_t>::max()),
              "1 prompt tokens and 9223372036854775807 new ones exceed the context of 40 (ask for less, or configure a "
              "larger context)");
    EXPECT_EQ(refusal(fixture, 11, 10),
              "11 prompt tokens and 10 new ones need 6 blocks of 4 tokens in cache group 0, which has 5 (ask for less, "
              "or give the cache "
              "more memory)");
    EXPECT_EQ(refusal(fixture, 10, 10), "");
    EXPECT_EQ(fixture.scheduler.waiting(), 1);
}

TEST(Admission, CountsWindowsRightly) {
    // 6 places in a row touch at most 3 blocks of 4.
    Fixture three({.context = 1000, .step_rows = 8, .logit_rows_max = 4, .sequences_max = 2},
                  {{.blocks = 3, .window = 6}});
    EXPECT_EQ(refusal(three, 900, 100), "");
    Fixture two({.context = 1000, .step_rows = 8, .logit_rows_max = 4, .sequences_max = 2},
                {{.blocks = 2, .window = 6}});
    EXPECT_EQ(refusal(two, 8, 0), "");
    EXPECT_EQ(refusal(two, 8, 1),
              "8 prompt tokens and 1 new ones need 3 blocks of 4 tokens in cache group 0, which has 2 (ask for less, "
              "or give the cache more "
              "memory)");
    // A span needs the window before its first row and all of its own rows at once: places 5 to 17.
    AtomicSpan span{10, 8};
    EXPECT_NE(refusal(three, 18, 0, {.atomic = std::span(&span, 1)}).find("need 4 blocks"), std::string::npos);
    span = {11, 5};  // places 6 to 15
    EXPECT_EQ(refusal(three, 18, 0, {.atomic = std::span(&span, 1)}), "");
}

TEST(Admission, PeakBlocksIsTheMostThatAnyStepHolds) {
    for (int64_t tokens = 1; tokens < 30; ++tokens)
        for (int64_t rows = 1; rows < 9; ++rows)
            for (int64_t block = 1; block < 6; ++block)
                for (int64_t window = 0; window < 9; ++window) {
                    int64_t most = 0;
                    for (int64_t first = 0; first < tokens; ++first)
                        for (int64_t end = first + 1; end <= std::min(tokens, first + rows); ++end) {
                            int64_t seen = window == 0 ? 0 : std::max<int64_t>(0, first - window + 1);
                            most = std::max(most, (end - 1) / block - seen / block + 1);
                        }
                    ASSERT_EQ(peak_blocks(tokens, rows, block, window), most)
                        << tokens << " " << rows << " " << block << " " << window;
                }
    EXPECT_EQ(peak_blocks(0, 8, 4, 6), 0);
}

TEST(Admission, RefusesSpansLongerThanAStep) {
    Fixture fixture({.context = 100, .step_rows = 8, .logit_rows_max = 4, .sequences_max = 2}, {{.blocks = 30}});
    AtomicSpan span{3, 9};
    EXPECT_EQ(refusal(fixture, 20, 0, {.atomic = std::span(&span, 1)}),
              "9 tokens from place 3 on must be computed in one step, which has 8 rows (configure longer steps)");
    span.count = 8;
    EXPECT_EQ(refusal(fixture, 20, 0, {.atomic = std::span(&span, 1)}), "");
    EXPECT_EQ(refusal(fixture, 20, 0, {.logits_from = 6, .atomic = std::span(&span, 1)}),
              "8 tokens from place 3 on must be computed in one step and 5 of them want logits; a step has 4 (ask for "
              "fewer)");
    EXPECT_EQ(refusal(fixture, 20, 0, {.logits_from = 7, .atomic = std::span(&span, 1)}), "");
}

TEST(Admission, NeedsBlocksForAllKnownTokens) {
    Fixture fixture({.context = 40, .step_rows = 4, .logit_rows_max = 4, .sequences_max = 4}, {{.blocks = 10}});
    fixture.add(20, 0);
    fixture.add(21, 0);
    fixture.add(1, 0);
    // 20 tokens need 5 blocks. The second sequence would need 6 of the 5 that are left; the third does not overtake it.
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(fixture.step(), fmt::format("0[{},{}){}", 4 * i, 4 * i + 4, i == 0 ? " admitted 0" : ""));
    EXPECT_EQ(fixture.step(), "0[16,20)+1");
    EXPECT_EQ(fixture.step(), "");
    fixture.scheduler.finish(0);
    EXPECT_EQ(fixture.step(), "1[0,4) admitted 1");
}

TEST(Admission, LeavesRunningPromptsTheirBlocks) {
    Fixture fixture({.context = 40, .step_rows = 12, .logit_rows_max = 4, .sequences_max = 4}, {{.blocks = 10}});
    std::vector<AtomicSpan> spans = {{8, 10}, {18, 10}};  // they cut the steps short, so that rows are left for others
    fixture.add(28, 0, {.atomic = spans});
    SequenceId second = fixture.add(16, 0);
    // The first takes 2 of the 10 blocks now and will need 7; the second needs 4.
    EXPECT_EQ(fixture.step(), "0[0,8) admitted 0");
    EXPECT_EQ(fixture.step(), "0[8,18)");
    fixture.scheduler.finish(second);
    fixture.add(12, 0);
    EXPECT_EQ(fixture.step(), "0[18,28)+1 2[0,2) admitted 2");
}

TEST(Admission, ReservesNothingForWhatAWindowHasReleased) {
    Fixture fixture({.context = 40, .step_rows = 4, .logit_rows_max = 4, .sequences_max = 4},
                    {{.blocks = 4, .window = 4}});
    fixture.add(16, 4);
    for (int i = 0; i < 4; ++i) fixture.step();
    fixture.add(12, 0);  // holds 3 blocks at most; 3 are free, and the first needs no more for what it knows
    EXPECT_EQ(fixture.step(), "1[0,4) admitted 1");
}

TEST(Admission, TakesHigherPriorityFirstThenEarlierArrival) {
    Fixture fixture({.context = 40, .step_rows = 3, .logit_rows_max = 3, .sequences_max = 3}, {{.blocks = 10}});
    fixture.add(1, 0);
    fixture.add(1, 0, {.priority = 7});
    fixture.add(1, 0, {.priority = -1});
    fixture.add(1, 0, {.priority = 7});
    EXPECT_EQ(fixture.step(), "1[0,1)+1 3[0,1)+1 0[0,1)+1 admitted 1,3,0");
    fixture.scheduler.finish(3);
    EXPECT_EQ(fixture.step(), "2[0,1)+1 admitted 2");
}

TEST(Admission, RunsAtMostSequencesMax) {
    Fixture fixture({.context = 40, .step_rows = 30, .logit_rows_max = 30, .sequences_max = 2}, {{.blocks = 10}});
    for (int i = 0; i < 3; ++i) fixture.add(2, 1);
    EXPECT_EQ(fixture.step(), "0[0,2)+1 1[0,2)+1 admitted 0,1");
    EXPECT_EQ(fixture.step(), "");
    EXPECT_EQ(fixture.scheduler.running(), 2);
    fixture.scheduler.finish(0);
    EXPECT_EQ(fixture.step(), "2[0,2)+1 admitted 2");
}

TEST(Admission, FailsTheFirstIfOthersHoldTheBlocks) {
    Fixture fixture({.context = 40, .step_rows = 8, .logit_rows_max = 4, .sequences_max = 2}, {{.blocks = 5}});
    std::vector<BlockId> pinned = {fixture.pools[0].take(), fixture.pools[0].take()};
    SequenceId id = fixture.add(14, 2), next = fixture.add(12, 0);
    EXPECT_EQ(fixture.planned(), "failed 0");
    EXPECT_FALSE(fixture.plan.idle());
    EXPECT_EQ(fixture.plan.failed->id, id);
    EXPECT_EQ(fixture.plan.failed->reason,
              "14 tokens need 4 more blocks of cache group 0; 3 of its 5 blocks are free, and no sequence can give "
              "back others");
    EXPECT_EQ(fixture.scheduler.waiting(), 2);  // so far it is a plan
    EXPECT_EQ(fixture.step(), "failed 0");
    EXPECT_EQ(fixture.scheduler.waiting(), 1);
    EXPECT_EQ(fixture.step(), fmt::format("{}[0,8) admitted {}", next, next));
}

TEST(Admission, FailsARunningSequenceThatCannotGoOn) {
    Fixture fixture({.context = 40, .step_rows = 8, .logit_rows_max = 4, .sequences_max = 2}, {{.blocks = 5}});
    fixture.add(4, 4);
    fixture.add(4, 4);
    EXPECT_EQ(fixture.step(), "0[0,4)+1 1[0,4)+1 admitted 0,1");
    for (int i = 0; i < 3; ++i) fixture.pools[0].take();
    EXPECT_EQ(fixture.step(), "");  // both await a token: this is no dead end
    EXPECT_TRUE(fixture.plan.idle());
    fixture.scheduler.append(1, 7);
    EXPECT_EQ(fixture.step(), "");  // the second cannot, the first may yet finish
    fixture.scheduler.append(0, 7);
    EXPECT_EQ(fixture.step(), "0[4,5)+1 preempted 1");
    fixture.scheduler.append(0, 7);
    EXPECT_EQ(fixture.step(), "0[5,6)+1");
    EXPECT_EQ(fixture.pools[0].free(), 0);
    fixture.scheduler.finish(0);
    EXPECT_EQ(fixture.step(), "1[0,5)+1 admitted 1");
    fixture.scheduler.append(1, 7);
    fixture.scheduler.append(1, 7);
    fixture.scheduler.append(1, 7);
    EXPECT_EQ(fixture.step(), "1[5,8)+1");
}

}  // namespace
}  // namespace godwit::test
