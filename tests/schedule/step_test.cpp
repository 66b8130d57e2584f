// Who gets which rows of a step.
#include "schedule/fixture.hpp"

namespace godwit::test {
namespace {

TEST(Step, CutsPromptsIntoChunksAndWantsTheLastLogits) {
    Fixture fixture({.context = 40, .step_rows = 4, .logit_rows_max = 1, .sequences_max = 1}, {{.blocks = 10}});
    SequenceId id = fixture.add(10, 3);
    EXPECT_EQ(fixture.step(), "0[0,4) admitted 0");
    EXPECT_EQ(fixture.step(), "0[4,8)");
    EXPECT_EQ(fixture.step(), "0[8,10)+1");
    EXPECT_EQ(fixture.scheduler.computed(id), 10);
    EXPECT_EQ(fixture.step(), "");
    EXPECT_TRUE(fixture.plan.idle());
    fixture.scheduler.append(id, 55);
    EXPECT_EQ(fixture.step(), "0[10,11)+1");
    // Two at once: the way to catch up is the same.
    fixture.scheduler.append(id, 56);
    fixture.scheduler.append(id, 57);
    EXPECT_EQ(fixture.step(), "0[11,13)+1");
    EXPECT_EQ(fixture.scheduler.tokens(id)[9], 109);
    EXPECT_EQ(fixture.scheduler.tokens(id)[12], 57);
    EXPECT_DEATH(fixture.scheduler.append(id, 58), "tokens_max");
    fixture.scheduler.finish(id);
    EXPECT_EQ(fixture.pools[0].free(), 10);
    EXPECT_DEATH(fixture.scheduler.finish(id), "sequences_.end()");
}

TEST(Step, OneRowGoesBeforeLongChunksThenRank) {
    Fixture fixture({.context = 40, .step_rows = 6, .logit_rows_max = 6, .sequences_max = 5}, {{.blocks = 50}});
    SequenceId late_decode = fixture.add(2, 5);
    EXPECT_EQ(fixture.step(), "0[0,2)+1 admitted 0");
    fixture.add(20, 5, {.priority = 1});
    fixture.add(20, 5, {.priority = 2});
    fixture.scheduler.append(late_decode, 1);
    // The plan lists by rank, those just admitted at the end; the rows tell who was served first.
    EXPECT_EQ(fixture.step(), "0[2,3)+1 2[0,5) admitted 2");
    EXPECT_EQ(fixture.step(), "2[5,11)");
    fixture.scheduler.append(late_decode, 1);
    EXPECT_EQ(fixture.step(), "2[11,16) 0[3,4)+1");
    fixture.scheduler.append(late_decode, 1);
    EXPECT_EQ(fixture.step(), "2[16,20)+1 0[4,5)+1 1[0,1) admitted 1");
    fixture.scheduler.append(2, 1);
    fixture.scheduler.append(late_decode, 1);
    EXPECT_EQ(fixture.step(), "2[20,21)+1 1[1,5) 0[5,6)+1");
}

TEST(Step, WaitingGetsWhatRunningLeaves) {
    Fixture fixture({.context = 40, .step_rows = 8, .logit_rows_max = 8, .sequences_max = 5}, {{.blocks = 50}});
    fixture.add(10, 5);
    EXPECT_EQ(fixture.step(), "0[0,8) admitted 0");
    fixture.add(3, 0, {.priority = 9});  // running goes first, whatever the rank
    fixture.add(9, 0);
    EXPECT_EQ(fixture.step(), "0[8,10)+1 1[0,3)+1 2[0,3) admitted 1,2");
}

TEST(Step, APlanChangesNothingAndMayBeThrownAway) {
    Fixture fixture({.context = 40, .step_rows = 8, .logit_rows_max = 2, .sequences_max = 2}, {{.blocks = 4}});
    SequenceId first = fixture.add(7, 9), second = fixture.add(8, 8);
    EXPECT_EQ(fixture.step(), "0[0,7)+1 1[0,1) admitted 0,1");
    EXPECT_EQ(fixture.step(), "1[1,8)+1");
    fixture.scheduler.append(first, 1);
    fixture.scheduler.append(first, 1);
    auto tables = std::pair(fixture.table(first), fixture.table(second));
    StepPlan other;
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(fixture.planned(), "0[7,8)");
        fixture.scheduler.plan_step(other);
        EXPECT_EQ(describe(other), describe(fixture.plan));
    }
    EXPECT_EQ(std::pair(fixture.table(first), fixture.table(second)), tables);
    fixture.scheduler.append(second, 1);
    EXPECT_DEATH(fixture.scheduler.commit(other), "version");  // a plan for a state that is no more
    fixture.scheduler.plan_step(other);
    fixture.scheduler.commit(other);
    EXPECT_DEATH(fixture.scheduler.commit(other), "in_flight_");
    EXPECT_DEATH(fixture.scheduler.plan_step(other), "in_flight_");
    EXPECT_DEATH(fixture.scheduler.finish(first), "in_flight_");
    EXPECT_DEATH(fixture.scheduler.append(first, 1), "in_flight_");
    fixture.scheduler.advance(other);
    EXPECT_DEATH(fixture.scheduler.advance(other), "in_flight_");
}

TEST(Step, ListsTheBlocksItTakes) {
    Fixture fixture({.context = 40, .step_rows = 8, .logit_rows_max = 2, .sequences_max = 2},
                    {{.blocks = 10, .block_tokens = 4}, {.blocks = 20, .block_tokens = 3}});
    SequenceId id = fixture.add(15, 0);
    auto taken = [&] {
        std::vector<std::pair<int32_t, BlockId>> blocks;
        for (const TakenBlock& one : fixture.plan.taken) blocks.emplace_back(one.group, one.block);
        return blocks;
    };
    fixture.step();  // places 0 to 7
    auto four = fixture.table(id, 0), three = fixture.table(id, 1);
    ASSERT_EQ(four.size(), 2u);
    ASSERT_EQ(three.size(), 3u);
    EXPECT_EQ(taken(), (std::vector<std::pair<int32_t, BlockId>>{
                           {0, four[0]}, {0, four[1]}, {1, three[0]}, {1, three[1]}, {1, three[2]}}));
    fixture.step();  // places 8 to 14
    four = fixture.table(id, 0), three = fixture.table(id, 1);
    ASSERT_EQ(four.size(), 4u);
    ASSERT_EQ(three.size(), 5u);
    EXPECT_EQ(taken(),
              (std::vector<std::pair<int32_t, BlockId>>{{0, four[2]}, {0, four[3]}, {1, three[3]}, {1, three[4]}}));
    EXPECT_EQ(fixture.pools[0].free(), 6);
    EXPECT_EQ(fixture.pools[1].free(), 15);
}

TEST(Step, NeedsNoCache) {
    Fixture fixture({.context = 40, .step_rows = 8, .logit_rows_max = 2, .sequences_max = 2}, {});
    SequenceId id = fixture.add(10, 1);
    EXPECT_EQ(fixture.step(), "0[0,8) admitted 0");
    EXPECT_EQ(fixture.scheduler.fork(id), 1);
    EXPECT_EQ(fixture.step(), "0[8,10)+1 1[8,10)+1");
}

TEST(Step, CancelsAnyTime) {
    Fixture fixture({.context = 40, .step_rows = 8, .logit_rows_max = 2, .sequences_max = 2}, {{.blocks = 10}});
    fixture.add(16, 0);
    fixture.add(16, 0);
    fixture.add(16, 0);
    EXPECT_EQ(fixture.step(), "0[0,8) admitted 0");
    fixture.scheduler.finish(0);
    fixture.scheduler.finish(2);
    EXPECT_EQ(fixture.pools[0].free(), 10);
    EXPECT_EQ(fixture.scheduler.running() + fixture.scheduler.waiting(), 1);
    EXPECT_EQ(fixture.step(), "1[0,8) admitted 1");
}

TEST(LogitRows, OfAllRowsInPortionsEachOnce) {
    Fixture fixture({.context = 40, .step_rows = 8, .logit_rows_max = 3, .sequences_max = 2}, {{.blocks = 10}});
    fixture.add(7, 5, {.logits_from = 0});
    EXPECT_EQ(fixture.step(), "0[0,3)+3 admitted 0");
    fixture.add(5, 0);
    EXPECT_EQ(fixture.step(), "0[3,6)+3");
    EXPECT_EQ(fixture.step(), "0[6,7)+1 1[0,5)+1 admitted 1");
    fixture.scheduler.append(0, 1);
    EXPECT_EQ(fixture.step(), "0[7,8)+1");
}

TEST(LogitRows, FromAPlaceOn) {
    Fixture fixture({.context = 40, .step_rows = 8, .logit_rows_max = 3, .sequences_max = 2}, {{.blocks = 10}});
    fixture.add(20, 5, {.logits_from = 10});
    EXPECT_EQ(fixture.step(), "0[0,8) admitted 0");
    EXPECT_EQ(fixture.step(), "0[8,13)+3");
    EXPECT_EQ(fixture.step(), "0[13,16)+3");
}

TEST(LogitRows, NobodyIsGivenARowWhoseLogitsDoNotFit) {
    Fixture fixture({.context = 40, .step_rows = 16, .logit_rows_max = 2, .sequences_max = 2}, {{.blocks = 10}});
    fixture.add(2, 5, {.logits_from = 0});
    fixture.add(5, 5);
    EXPECT_EQ(fixture.step(), "0[0,2)+2 admitted 0");
    fixture.scheduler.append(0, 1);
    EXPECT_EQ(fixture.step(), "0[2,3)+1 1[0,5)+1 admitted 1");
    // A chunk whose last logits do not fit stops one short.
    Fixture short_one({.context = 40, .step_rows = 16, .logit_rows_max = 2, .sequences_max = 2}, {{.blocks = 10}});
    short_one.add(4, 5, {.priority = 1, .logits_from = 1});
    short_one.add(20, 5);
    EXPECT_EQ(short_one.step(), "0[0,3)+2 admitted 0");
    EXPECT_EQ(short_one.step(), "0[3,4)+1 1[0,15) admitted 1");
    short_one.scheduler.append(0, 1);
    short_one.scheduler.append(0, 1);
    short_one.scheduler.append(0, 1);
    EXPECT_EQ(short_one.step(), "0[4,6)+2 1[15,19)");
}

TEST(AtomicSpans, AreNeverCut) {
    Fixture fixture({.context = 60, .step_rows = 8, .logit_rows_max = 8, .sequences_max = 2}, {{.blocks = 20}});
    std::vector<AtomicSpan> spans = {{0, 3}, {6, 4}, {10, 8}, {20, 1}, {22, 6}};
    fixture.add(30, 0, {.atomic = spans});
    EXPECT_EQ(fixture.step(), "0[0,6) admitted 0");
    EXPECT_EQ(fixture.step(), "0[6,10)");
    EXPECT_EQ(fixture.step(), "0[10,18)");
    EXPECT_EQ(fixture.step(), "0[18,22)");
    EXPECT_EQ(fixture.step(), "0[22,30)+1");
}

TEST(AtomicSpans, GoFirstInTheNextStepIfTheyDidNotFitButNotTwiceInARow) {
    Fixture fixture({.context = 60, .step_rows = 4, .logit_rows_max = 4, .sequences_max = 3}, {{.blocks = 40}});
    auto append = [&](std::initializer_list<SequenceId> ids) {
        for (SequenceId id : ids) fixture.scheduler.append(id, 1);
    };
    fixture.add(1, 20);
    EXPECT_EQ(fixture.step(), "0[0,1)+1 admitted 0");
    std::vector<AtomicSpan> spans = {{0, 4}, {4, 3}, {7, 4}};
    fixture.add(12, 0, {.atomic = spans});
    append({0});
    EXPECT_EQ(fixture.step(), "0[1,2)+1 admitted 1");  // no room for 4 rows beside the decode
    append({0});
    EXPECT_EQ(fixture.step(), "1[0,4)");  // now it goes first
    EXPECT_EQ(fixture.step(), "0[2,3)+1 1[4,7)");
    append({0});
    EXPECT_EQ(fixture.step(), "0[3,4)+1");
    append({0});
    EXPECT_EQ(fixture.step(), "1[7,11)");
    EXPECT_EQ(fixture.step(), "0[4,5)+1 1[11,12)+1");
}

TEST(AtomicSpans, GoFirstWithNoMoreThanTheSpan) {
    Fixture fixture({.context = 60, .step_rows = 6, .logit_rows_max = 6, .sequences_max = 3}, {{.blocks = 40}});
    for (int i = 0; i < 2; ++i) fixture.add(1, 20);
    EXPECT_EQ(fixture.step(), "0[0,1)+1 1[0,1)+1 admitted 0,1");
    for (SequenceId id : {0, 1}) fixture.scheduler.append(id, 1);
    AtomicSpan span{0, 5};
    fixture.add(15, 0, {.atomic = std::span(&span, 1)});
    EXPECT_EQ(fixture.step(), "0[1,2)+1 1[1,2)+1 admitted 2");
    for (SequenceId id : {0, 1}) fixture.scheduler.append(id, 1);
    EXPECT_EQ(fixture.step(), "0[2,3)+1 2[0,5)");
}

/// A decode, and two sequences made of spans. Every caught-up sequence gets a token at once.
std::vector<std::string> decode_beside_spans(Fixture& fixture, std::span<const AtomicSpan> first, int64_t logits_from,
                                             std::span<const AtomicSpan> second) {
    fixture.add(1, 40);
    fixture.step();
    fixture.scheduler.append(0, 1);
    fixture.add(first.back().first + first.back().count, 0, {.logits_from = logits_from, .atomic = first});
    fixture.add(second.back().first + second.back().count, 0, {.atomic = second});
    std::vector<std::string> steps;
    for (int i = 0; i < 16; ++i) {
        steps.push_back(fixture.step());
        if (fixture.scheduler.computed(0) == static_cast<int64_t>(fixture.scheduler.tokens(0).size()))
            fixture.scheduler.append(0, 1);
    }
    return steps;
}

TEST(AtomicSpans, TakeTurnsWithDecodes) {
    Fixture fixture({.context = 60, .step_rows = 4, .logit_rows_max = 4, .sequences_max = 3}, {{.blocks = 40}});
    std::vector<AtomicSpan> spans = {{0, 4}, {4, 4}, {8, 4}, {12, 4}};
    std::vector<std::string> steps = decode_beside_spans(fixture, spans, kLastRowOnly, spans);
    std::vector<std::string> others;
    for (int i = 0; i < 16; ++i) {
        EXPECT_EQ(steps[i].starts_with("0["), i % 2 == 0) << i << ": " << steps[i];
        if (i % 2 == 1) others.push_back(steps[i]);
    }
    EXPECT_EQ(others, (std::vector<std::string>{"1[0,4)", "1[4,8)", "1[8,12)", "1[12,16)+1", "2[0,4)", "2[4,8)",
                                                "2[8,12)", "2[12,16)+1"}));
}

TEST(AtomicSpans, OfTwoSequencesDoNotTakeTurnsFromDecodes) {
    // The first wants all logits of a step, the second all rows: neither leaves anything to the decode.
    Fixture fixture({.context = 60, .step_rows = 8, .logit_rows_max = 3, .sequences_max = 3}, {{.blocks = 40}});
    std::vector<AtomicSpan> first, second;
    for (int64_t i = 0; i < 6; ++i) first.push_back({3 * i, 3}), second.push_back({8 * i, 8});
    std::vector<std::string> steps = decode_beside_spans(fixture, first, 0, second);
    for (int i = 0; i < 16; ++i) EXPECT_TRUE(steps[i].starts_with("0[") || i % 2 == 1) << i << ": " << steps[i];
}

TEST(Identities, GoToFullBlocksOfComputedTokens) {
    Fixture fixture({.context = 60, .step_rows = 6, .logit_rows_max = 4, .sequences_max = 3},
                    {{.blocks = 10}, {.blocks = 10, .window = 2}});
    std::vector<Identity> roots(2);
    roots[0].bytes[0] = 1, roots[1].bytes[0] = 2;
    SequenceId id = fixture.add(11, 2, {.roots = roots});
    std::vector<int32_t> tokens(12);
    std::iota(tokens.begin(), tokens.end(), 100);
    tokens[11] = 7;
    auto expect = [&](size_t group, std::vector<BlockId> table, int64_t full) {
        Identity last;
        for (int64_t i = 0; i < static_cast<int64_t>(table.size()); ++i) {
            last = block_identity(last, roots[group], std::span(tokens).subspan(4 * i, 4));
            if (table[i] == kNoBlock) continue;
            const Identity* found = fixture.pools[group].identity(table[i]);
            EXPECT_EQ(found != nullptr, i < full);
            if (found) {
                EXPECT_EQ(*found, last);
            }
        }
    };
    fixture.step();
    expect(0, fixture.table(id, 0), 1);
    fixture.step();
    expect(0, fixture.table(id, 0), 2);
    auto windowed = fixture.table(id, 1);
    EXPECT_EQ(windowed[1], kNoBlock);
    expect(1, windowed, 2);
    fixture.scheduler.append(id, 7);
    fixture.step();
    expect(0, fixture.table(id, 0), 3);
    // All three of the windowed group's blocks were published before two of them left.
    int published = 0;
    for (BlockId block = 0; block < 10; ++block) published += fixture.pools[1].identity(block) != nullptr;
    EXPECT_EQ(published, 3);
    auto table = fixture.table(id, 0);
    fixture.scheduler.finish(id);
    expect(0, table, 3);  // free blocks keep theirs
}

TEST(Identities, NoneWithoutRoots) {
    Fixture fixture({.context = 60, .step_rows = 6, .logit_rows_max = 4, .sequences_max = 3}, {{.blocks = 10}});
    SequenceId id = fixture.add(6, 2);
    fixture.step();
    EXPECT_EQ(fixture.pools[0].identity(fixture.table(id)[0]), nullptr);
}

}  // namespace
}  // namespace godwit::test
