// The scheduler under random load, against a model of it that is too simple to be wrong: for every sequence its tokens,
// and for every place of every block what was written there. Each check takes plain data, so that tests can damage it
// first and see the check fire.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "schedule/scheduler.hpp"

namespace godwit::test {

/// What a seed decides before the first step.
struct Setup {
    ScheduleLimits limits;
    struct Group {
        int32_t blocks;
        int64_t block_tokens, window;
    };
    std::vector<Group> groups;
    bool identities = false;
    int32_t priorities = 1;  // 0 to priorities − 1
    // Chances, of 1000: of an arrival in a step; of a cancel in a step; of a caught-up sequence to be forked, to end
    // early, to pause.
    uint32_t arrive = 0, cancel = 0, fork = 0, end = 0, pause = 0;
    uint32_t atomic = 0;    // of a prompt to have atomic spans
    int64_t alive_max = 0;  // sequences that run or wait
};

/// One sequence as the model knows it.
struct Modelled {
    SequenceId id = kNoSequence;
    int32_t priority = 0;
    int64_t arrival = 0;
    std::vector<int32_t> tokens;
    std::vector<uint64_t> history;             // by place: stands for this and all tokens before
    std::vector<std::vector<Identity>> chain;  // [groups]: identities of full blocks, as far as needed
    int64_t computed = 0, tokens_max = 0;
    int64_t logits_from = kLastRowOnly, logits_given = 0;
    std::vector<AtomicSpan> atomic;
    bool running = false;
    // For the bound on its steps.
    int64_t age = 0, load = 0, displacements = 0;
    bool displaces = false;

    int64_t known() const { return static_cast<int64_t>(tokens.size()); }
};

/// What can be seen of the scheduler and its pools.
struct Observed {
    struct Sequence {
        SequenceId id;
        int64_t known, computed;
        std::vector<std::vector<BlockId>> tables;  // [groups]

        bool operator==(const Sequence&) const = default;
    };
    struct Pool {
        int32_t free;
        std::vector<int32_t> references;
        std::vector<std::optional<Identity>> identities;
        std::string fault;  // BlockPool::check()

        bool operator==(const Pool&) const = default;
    };
    std::vector<Sequence> sequences;
    std::vector<Pool> pools;
    int64_t running, waiting;

    bool operator==(const Observed&) const = default;
};

class Simulation {
public:
    explicit Simulation(uint64_t seed);

    /// One step with all its checks; before it arrivals and cancels, after it tokens, forks and ends. Empty, or what is
    /// wrong.
    std::string step();

    // Its parts, in order. Those that return text check something: empty, or what is wrong.
    std::string plan_step();  // up to the checks of the plan
    std::string run_step();   // the rest
    std::string arrive_and_cancel();
    std::string check_pure(const Observed& before) const;
    std::string check_plan() const;
    std::string check_preempted_and_admitted() const;
    std::string commit();
    /// `before`: observed before the commit.
    std::string check_taken(const Observed& before, const Observed& after) const;
    /// Zeroes, copies, and computes the rows: each place gets what the model says, if all it depends on is in the
    /// blocks that its table names.
    std::string compute(const Observed& observed);
    void advance();
    std::string check_blocks(const Observed& observed) const;
    std::string check_contents(const Observed& observed) const;
    std::string check_ages() const;
    void go_on();

    Observed observe() const;
    Modelled& modelled(SequenceId id);
    const Modelled& modelled(SequenceId id) const;

    Setup setup;
    std::deque<BlockPool> pools;
    std::unique_ptr<Scheduler> scheduler;
    StepPlan plan;
    std::vector<Modelled> sequences;                                     // alive, by rank
    std::vector<std::vector<uint64_t>> contents;                         // [groups][blocks · block_tokens]; 0: zeroed
    std::map<std::array<uint8_t, 32>, std::vector<uint64_t>> published;  // what a block with this identity holds
    // How much has happened, to see that the load is no idle one.
    int64_t steps = 0, rows = 0, preempted = 0, forked = 0, copied = 0, finished = 0, refused = 0, turns = 0;

private:
    uint64_t below(uint64_t bound) { return random_() % bound; }
    bool chance(uint32_t of_1000) { return below(1000) < of_1000; }
    std::string arrive();
    void insert(Modelled sequence);
    int64_t alive() const { return static_cast<int64_t>(sequences.size()); }
    void append(Modelled& sequence);
    void fork(SequenceId parent);
    void remove(SequenceId id);
    bool can_ever_run(const Modelled& sequence) const;
    std::string check_rows(const ScheduledRows& scheduled) const;
    int64_t blocks_until_known(const Modelled& sequence, size_t group) const;
    std::string compute_rows(const ScheduledRows& scheduled, const Observed::Sequence& observed);
    const Identity& identity(const Modelled& sequence, size_t group, int64_t block) const;

    std::mt19937_64 random_;
};

/// The first row that the row at `place` sees.
int64_t first_seen(int64_t place, int64_t window);

/// Runs one seed after the other until `steps` steps are done, or only GODWIT_SEED if that is set. Returns what went
/// wrong and how to see it again; empty: nothing.
std::string simulate(int64_t steps, std::string& summary);

}  // namespace godwit::test
