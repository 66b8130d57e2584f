#include "schedule/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace godwit::test {
namespace {

TEST(Simulation, TwoHundredThousandSteps) {
    std::string summary;
    EXPECT_EQ(simulate(200'000, summary), "");
    std::printf("%s\n", summary.c_str());
}

// --- Every check fires: each of the following plants what a broken scheduler would do ------------------------------

using Wanted = std::function<bool(const Simulation&)>;

/// A simulation that has just planned a step as wanted.
std::unique_ptr<Simulation> planned(const Wanted& wanted) {
    for (uint64_t seed = 1; seed < 2000; ++seed) {
        auto simulation = std::make_unique<Simulation>(seed);
        for (int i = 0; i < 100; ++i) {
            EXPECT_EQ(simulation->plan_step(), "");
            if (wanted(*simulation)) return simulation;
            EXPECT_EQ(simulation->run_step(), "");
        }
    }
    ADD_FAILURE() << "no seed plans such a step";
    return std::make_unique<Simulation>(1);
}

/// The same, one commit later.
std::unique_ptr<Simulation> committed(const Wanted& wanted, Observed* before = nullptr) {
    auto simulation = planned(wanted);
    if (before) *before = simulation->observe();
    EXPECT_EQ(simulation->commit(), "");
    return simulation;
}

/// A simulation that is between two steps, in such a state.
std::unique_ptr<Simulation> between_steps(const Wanted& wanted) {
    for (uint64_t seed = 1; seed < 2000; ++seed) {
        auto simulation = std::make_unique<Simulation>(seed);
        for (int i = 0; i < 100; ++i) {
            EXPECT_EQ(simulation->step(), "");
            if (wanted(*simulation)) return simulation;
        }
    }
    ADD_FAILURE() << "no seed comes into such a state";
    return std::make_unique<Simulation>(1);
}

bool schedules(const Simulation& one) { return !one.plan.sequences.empty(); }
bool preempts(const Simulation& one) { return !one.plan.preempted.empty() && schedules(one); }
bool anything(const Simulation&) { return true; }

#define EXPECT_FAULT(text, fault)                                                             \
    do {                                                                                      \
        std::string fault_ = (fault);                                                         \
        EXPECT_NE(fault_.find(text), std::string::npos) << "the fault: \"" << fault_ << "\""; \
    } while (false)

using Check = std::string (Simulation::*)() const;

void expect_fault(Check check, const char* text, const Wanted& wanted, const std::function<void(Simulation&)>& damage) {
    auto simulation = planned(wanted);
    damage(*simulation);
    EXPECT_FAULT(text, (simulation.get()->*check)());
}

void expect_plan_fault(const char* text, const Wanted& wanted, const std::function<void(Simulation&)>& damage) {
    expect_fault(&Simulation::check_plan, text, wanted, damage);
}

TEST(PlantedBug, InTheRowsOfAPlan) {
    expect_plan_fault("fails: no reason", anything,
                      [](Simulation& one) { one.plan.failed = FailedSequence{0, "no reason"}; });
    expect_plan_fault("is scheduled twice", schedules,
                      [](Simulation& one) { one.plan.sequences.push_back(one.plan.sequences[0]); });
    expect_plan_fault(": row ", schedules, [](Simulation& one) { ++one.plan.sequences[0].first; });
    expect_plan_fault(
        ": row ", [](const Simulation& one) { return schedules(one) && one.plan.sequences[0].first > 0; },
        [](Simulation& one) { --one.plan.sequences[0].first; });
    expect_plan_fault(" known", schedules, [](Simulation& one) { one.plan.sequences[0].rows += 100; });
    expect_plan_fault(" known", schedules, [](Simulation& one) { one.plan.sequences[0].rows = 0; });
    expect_plan_fault("logit rows, not", schedules, [](Simulation& one) { ++one.plan.sequences[0].logit_rows; });
    expect_plan_fault("the plan says", schedules, [](Simulation& one) { ++one.plan.rows; });
    expect_plan_fault("the plan says", schedules, [](Simulation& one) { ++one.plan.logit_rows; });
    expect_plan_fault(" rows of ", schedules, [](Simulation& one) { one.setup.limits.step_rows = one.plan.rows - 1; });
    expect_plan_fault(
        " logit rows of ", [](const Simulation& one) { return one.plan.logit_rows > 0; },
        [](Simulation& one) { one.setup.limits.logit_rows_max = one.plan.logit_rows - 1; });
    auto nobody_pauses = [](const Simulation& one) { return schedules(one) && one.setup.pause == 0; };
    expect_plan_fault("nothing is scheduled", nobody_pauses, [](Simulation& one) {
        one.plan.sequences.clear();
        one.plan.rows = one.plan.logit_rows = 0;
    });
}

TEST(PlantedBug, InASpan) {
    auto begins_with_span = [](const Simulation& one) {
        if (!schedules(one)) return false;
        const Modelled& first = one.modelled(one.plan.sequences[0].id);
        return std::any_of(first.atomic.begin(), first.atomic.end(),
                           [&](const AtomicSpan& span) { return span.first == first.computed && span.count > 1; });
    };
    expect_plan_fault(": cut at ", begins_with_span, [](Simulation& one) { one.plan.sequences[0].rows = 1; });
}

TEST(PlantedBug, InWhoRuns) {
    auto expect = [](const char* text, const Wanted& wanted, const std::function<void(Simulation&)>& damage) {
        expect_fault(&Simulation::check_preempted_and_admitted, text, wanted, damage);
    };
    auto first = [](Simulation& one, bool running) {
        return std::find_if(one.sequences.begin(), one.sequences.end(),
                            [&](const Modelled& other) { return other.running == running; });
    };
    auto nobody_comes_or_goes = [](const Simulation& one, int64_t run, int64_t wait) {
        return one.plan.preempted.empty() && one.plan.admitted.empty() && one.scheduler->running() >= run &&
               one.scheduler->waiting() >= wait && one.scheduler->running() < one.setup.limits.sequences_max;
    };
    auto one_waits = [&](const Simulation& one) { return nobody_comes_or_goes(one, 0, 1); };
    auto two_wait = [&](const Simulation& one) { return nobody_comes_or_goes(one, 0, 2); };
    auto two_run = [&](const Simulation& one) { return nobody_comes_or_goes(one, 2, 0); };
    auto admits = [](const Simulation& one) { return !one.plan.admitted.empty(); };
    expect("is preempted, but does not run", one_waits,
           [&](Simulation& one) { one.plan.preempted.push_back(first(one, false)->id); });
    expect("is preempted, but not the lowest", two_run,
           [&](Simulation& one) { one.plan.preempted.push_back(first(one, true)->id); });
    expect("preempted and admitted in one step", preempts,
           [](Simulation& one) { one.plan.admitted = one.plan.preempted; });
    expect("too many run", schedules, [](Simulation& one) { one.setup.limits.sequences_max = 0; });
    expect("is admitted before", two_wait, [&](Simulation& one) {
        auto last = std::find_if(one.sequences.rbegin(), one.sequences.rend(),
                                 [](const Modelled& other) { return !other.running; });
        one.plan.admitted.push_back(last->id);
    });
    expect("who does not wait", two_run, [&](Simulation& one) {
        one.plan.admitted.push_back(first(one, true)->id);
        std::erase_if(one.sequences, [](const Modelled& other) { return !other.running; });
        one.plan.sequences.clear();
    });
    expect("is scheduled, but does not run", preempts,
           [](Simulation& one) { one.plan.sequences[0].id = one.plan.preempted[0]; });
    expect("is scheduled, but does not run", admits, [](Simulation& one) {
        one.plan.sequences = {{.id = one.plan.admitted[0]}};
        one.plan.admitted.clear();
    });
    expect(" blocks for the admitted, ", admits, [](Simulation& one) {
        for (BlockPool& pool : one.pools)
            while (pool.free() > 0) pool.take();
    });
    auto simulation = planned(two_run);
    first(*simulation, true)->running = false;
    EXPECT_FAULT(" wait, not ", simulation->commit());
}

TEST(PlantedBug, InTheBlocksThatAreTaken) {
    auto expect = [](const char* text, const std::function<void(Simulation&, Observed&)>& damage) {
        auto takes = [](const Simulation& one) {
            return std::any_of(one.plan.sequences.begin(), one.plan.sequences.end(),
                               [](const ScheduledRows& rows) { return rows.first == 0; });
        };
        Observed before;
        auto simulation = committed(takes, &before);
        Observed after = simulation->observe();
        EXPECT_EQ(simulation->check_taken(before, after), "");
        damage(*simulation, after);
        EXPECT_FAULT(text, simulation->check_taken(before, after));
    };
    expect("taken twice", [](Simulation& one, Observed&) { one.plan.taken.push_back(one.plan.taken[0]); });
    expect("are new in the tables", [](Simulation& one, Observed&) { one.plan.taken.pop_back(); });
    expect("was taken, but is shared", [](Simulation& one, Observed& after) {
        ++after.pools[one.plan.taken[0].group].references[one.plan.taken[0].block];
    });
    expect("was taken with an identity", [](Simulation& one, Observed& after) {
        after.pools[one.plan.taken[0].group].identities[one.plan.taken[0].block] = Identity{};
    });
    auto simulation = planned(schedules);
    Observed now = simulation->observe();
    EXPECT_EQ(simulation->check_pure(now), "");
    ++now.pools[0].free;
    EXPECT_FAULT("planning has changed something", simulation->check_pure(now));
    ++simulation->plan.sequences[0].rows;
    EXPECT_FAULT("two plans of one state differ", simulation->check_pure(simulation->observe()));
}

TEST(PlantedBug, InWhatTheTablesNameWhenRowsAreComputed) {
    auto expect = [](const char* text,
                     const std::function<void(Simulation&, Observed::Sequence&, int64_t place)>& damage) {
        auto goes_on = [](const Simulation& one) {
            return one.setup.groups[0].window == 0 && one.plan.sequences.size() == 1 &&
                   one.plan.sequences[0].first % one.setup.groups[0].block_tokens > 0;
        };
        auto simulation = committed(goes_on);
        Observed after = simulation->observe();
        ScheduledRows rows = simulation->plan.sequences[0];
        auto found = std::find_if(after.sequences.begin(), after.sequences.end(),
                                  [&](const auto& one) { return one.id == rows.id; });
        damage(*simulation, *found, rows.first);
        EXPECT_FAULT(text, simulation->compute(after));
    };
    auto slot = [](Simulation& one, Observed::Sequence& sequence, int64_t place) -> uint64_t& {
        int64_t tokens = one.setup.groups[0].block_tokens;
        return one.contents[0][sequence.tables[0][place / tokens] * tokens + place % tokens];
    };
    expect("holds something else",
           [&](Simulation& one, Observed::Sequence& sequence, int64_t) { slot(one, sequence, 0) = 12345; });
    expect("is not empty",
           [&](Simulation& one, Observed::Sequence& sequence, int64_t place) { slot(one, sequence, place) = 12345; });
    expect("which is shared", [&](Simulation& one, Observed::Sequence& sequence, int64_t place) {
        one.pools[0].retain(sequence.tables[0][place / one.setup.groups[0].block_tokens]);
    });
    expect("no block for place",
           [](Simulation&, Observed::Sequence& sequence, int64_t) { sequence.tables[0].clear(); });
    auto reads_back = [](const Simulation& one) {
        return one.setup.groups[0].window == 0 && one.plan.sequences.size() == 1 &&
               one.plan.sequences[0].first >= one.setup.groups[0].block_tokens;
    };
    auto simulation = committed(reads_back);
    Observed after = simulation->observe();
    for (Observed::Sequence& one : after.sequences)
        if (one.id == simulation->plan.sequences[0].id) one.tables[0][0] = kNoBlock;
    EXPECT_FAULT("is needed, but was released", simulation->compute(after));
}

bool holds_blocks(const Simulation& one) {
    return std::any_of(one.sequences.begin(), one.sequences.end(),
                       [](const Modelled& other) { return other.computed > 0; });
}

TEST(PlantedBug, InCountsAndTables) {
    auto simulation = between_steps(holds_blocks);
    Observed good = simulation->observe();
    EXPECT_EQ(simulation->check_blocks(good), "");
    size_t holder = 0;
    while (good.sequences[holder].computed == 0) ++holder;
    auto expect = [&](const char* text, const std::function<void(Observed&)>& damage) {
        Observed bad = good;
        damage(bad);
        EXPECT_FAULT(text, simulation->check_blocks(bad));
    };
    expect(" computed, not ", [&](Observed& bad) { ++bad.sequences[holder].computed; });
    expect(" computed, not ", [&](Observed& bad) { ++bad.sequences[holder].known; });
    expect(" blocks in group 0 for ", [&](Observed& bad) { bad.sequences[holder].tables[0].push_back(0); });
    expect(" of group 0 is -1", [&](Observed& bad) { bad.sequences[holder].tables[0].back() = kNoBlock; });
    expect(" users, the pool says ", [&](Observed& bad) { ++bad.pools[0].references[0]; });
    expect(" users, the pool says ", [&](Observed& bad) {
        BlockId& block = bad.sequences[holder].tables[0].back();
        block = (block + 1) % simulation->setup.groups[0].blocks;
    });
    expect(" blocks are said to be free", [&](Observed& bad) { ++bad.pools[0].free; });
    expect("group 0: broken", [&](Observed& bad) { bad.pools[0].fault = "broken"; });
    expect(" run", [&](Observed& bad) { bad.running = 100; });
}

TEST(PlantedBug, InWhatBlocksHold) {
    auto full_block = [](const Simulation& one) {
        return one.setup.identities && one.setup.groups[0].window == 0 &&
               std::any_of(one.sequences.begin(), one.sequences.end(), [&](const Modelled& other) {
                   return other.computed > one.setup.groups[0].block_tokens &&
                          other.computed % one.setup.groups[0].block_tokens > 0;
               });
    };
    auto expect = [&](const char* text,
                      const std::function<void(Simulation&, Observed&, size_t, int64_t tokens)>& damage) {
        auto simulation = between_steps(full_block);
        Observed observed = simulation->observe();
        EXPECT_EQ(simulation->check_contents(observed), "");
        int64_t tokens = simulation->setup.groups[0].block_tokens;
        size_t holder = 0;
        while (observed.sequences[holder].computed <= tokens || observed.sequences[holder].computed % tokens == 0)
            ++holder;
        damage(*simulation, observed, holder, tokens);
        EXPECT_FAULT(text, simulation->check_contents(observed));
    };
    expect("has not its identity", [](Simulation&, Observed& bad, size_t holder, int64_t) {
        bad.pools[0].identities[bad.sequences[holder].tables[0].front()].reset();
    });
    expect("has not its identity", [](Simulation&, Observed& bad, size_t holder, int64_t) {
        bad.pools[0].identities[bad.sequences[holder].tables[0].back()] = Identity{};
    });
    expect("has not its identity", [](Simulation&, Observed& bad, size_t holder, int64_t) {
        bad.pools[0].identities[bad.sequences[holder].tables[0].front()]->bytes[5] ^= 1;
    });
    expect(" is not empty", [](Simulation& one, Observed& bad, size_t holder, int64_t tokens) {
        one.contents[0][(bad.sequences[holder].tables[0].back() + 1) * tokens - 1] = 5;
    });
    expect("does not hold what its identity says", [](Simulation& one, Observed& bad, size_t holder, int64_t tokens) {
        one.contents[0][bad.sequences[holder].tables[0].front() * tokens] ^= 2;
    });
}

TEST(PlantedBug, InWhoIsServed) {
    auto simulation = between_steps(holds_blocks);
    EXPECT_EQ(simulation->check_ages(), "");
    simulation->setup.pause = 0;
    for (Modelled& one : simulation->sequences) one.age = 100'000, one.computed = 0;
    EXPECT_FAULT(" steps; ", simulation->check_ages());
}

TEST(PlantedBug, InWhatIsRefused) {
    Simulation simulation(1);
    simulation.setup.limits.context = 3;
    simulation.setup.arrive = 1000;
    simulation.setup.alive_max = 1000;
    std::string fault;
    for (int i = 0; i < 1000 && fault.empty(); ++i) fault = simulation.arrive_and_cancel();
    EXPECT_FAULT("add: ", fault);
}

}  // namespace
}  // namespace godwit::test
