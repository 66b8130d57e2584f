#include "schedule/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/check.hpp"

#define RETURN_FAULT(...) \
    if (std::string fault_ = (__VA_ARGS__); !fault_.empty()) return fault_

namespace godwit::test {
namespace {

constexpr int64_t kStepsPerSeed = 500;

uint64_t mix(uint64_t previous, int32_t token) {  // never 0: that is what zeroed places hold
    uint64_t x = (previous ^ static_cast<uint64_t>(token + 1)) * 0x9E3779B97F4A7C15u;
    return (x ^ (x >> 29)) | 1;
}

bool outranks(const Modelled& a, const Modelled& b) {
    return std::tuple(-a.priority, a.arrival, a.id) < std::tuple(-b.priority, b.arrival, b.id);
}

}  // namespace

int64_t first_seen(int64_t place, int64_t window) {
    return window == 0 ? 0 : std::max<int64_t>(0, place - (window - 1));
}

Simulation::Simulation(uint64_t seed) : random_(seed) {
    auto between = [&](int64_t low, int64_t high) { return low + static_cast<int64_t>(below(high - low + 1)); };
    auto chances = [&](int64_t low, int64_t high) { return static_cast<uint32_t>(between(low, high)); };
    bool full = below(4) == 0;  // as many sequences as can run, all of the time: who can be starved is
    setup.limits.context = between(4, below(2) == 0 ? 10 : 40);
    setup.limits.step_rows = full ? between(2, 5) : between(1, 12);
    setup.limits.sequences_max =
        full ? setup.limits.step_rows : between(1, std::min<int64_t>(6, setup.limits.step_rows));
    setup.limits.logit_rows_max = between(setup.limits.sequences_max, setup.limits.sequences_max + 6);
    setup.alive_max = full ? setup.limits.sequences_max + 1 : between(2, 12);
    setup.identities = below(4) == 0;
    setup.priorities = below(2) == 0 ? 1 : 3;
    setup.arrive = full ? 1000 : chances(20, 900);
    setup.cancel = full || below(2) == 0 ? 0 : chances(1, 50);
    setup.fork = below(2) == 0 ? 0 : chances(1, 150);
    setup.end = full ? 0 : chances(0, 40);
    setup.pause = full || below(4) > 0 ? 0 : chances(1, 300);
    setup.atomic = below(2) == 0 ? 0 : chances(100, 900);
    std::vector<ScheduleGroup> groups;
    for (int64_t g = between(1, 3); g > 0; --g) {
        int64_t block_tokens = between(1, 5), window = below(2) == 0 ? 0 : between(1, 12);
        int64_t context_blocks = (setup.limits.context + block_tokens - 1) / block_tokens;
        int64_t least = std::max<int64_t>(1, 2 * context_blocks / 3),
                most = (full ? setup.limits.sequences_max : 2) * context_blocks;
        auto blocks = static_cast<int32_t>(between(full && below(2) == 0 ? most : least, most));
        setup.groups.push_back({blocks, block_tokens, window});
        groups.push_back({&pools.emplace_back(blocks), block_tokens, window});
        contents.emplace_back(blocks * block_tokens);
    }
    scheduler = std::make_unique<Scheduler>(setup.limits, groups);
}

// --- The load ------------------------------------------------------------------------------------------------------

std::string Simulation::arrive_and_cancel() {
    if (alive() < setup.alive_max && chance(setup.arrive)) RETURN_FAULT(arrive());
    if (!sequences.empty() && chance(setup.cancel)) {
        SequenceId id = sequences[below(sequences.size())].id;
        scheduler->finish(id);
        remove(id);
    }
    if (!sequences.empty() && chance(setup.fork / 8)) fork(sequences[below(sequences.size())].id);
    return "";
}

std::string Simulation::arrive() {
    Modelled one;
    int64_t prompt =
        1 + static_cast<int64_t>(below(below(2) == 0 ? 4 : setup.limits.context));  // many short ones: they decode
    for (int64_t i = 0; i < prompt; ++i) append(one);
    auto max_new =
        std::max<int64_t>(0, setup.limits.context - prompt + 1 - static_cast<int64_t>(below(setup.limits.context)));
    one.tokens_max = prompt + max_new;
    one.priority = static_cast<int32_t>(below(setup.priorities));
    if (below(4) == 0) one.logits_from = static_cast<int64_t>(below(prompt + 2));
    if (chance(setup.atomic))
        for (int64_t place = 0; place < prompt;) {
            int64_t first = place + static_cast<int64_t>(below(below(2) == 0 ? 1 : 4));
            int64_t count =
                chance(20) ? setup.limits.step_rows + 1 : 1 + static_cast<int64_t>(below(setup.limits.step_rows));
            if (first + count > prompt) break;
            one.atomic.push_back({first, count});
            place = first + count;
        }
    std::vector<Identity> roots(setup.identities ? setup.groups.size() : 0);
    for (size_t g = 0; g < roots.size(); ++g) roots[g].bytes[0] = static_cast<uint8_t>(g + 1);
    Result<SequenceId> id = scheduler->add({.tokens = one.tokens,
                                            .max_new_tokens = max_new,
                                            .priority = one.priority,
                                            .logits_from = one.logits_from,
                                            .atomic = one.atomic,
                                            .roots = roots});
    if (id.ok() != can_ever_run(one))
        return fmt::format("add: {} tokens of at most {}: {}", prompt, one.tokens_max,
                           id.ok() ? "accepted" : id.error().message);
    refused += !id.ok();
    if (!id.ok()) return "";
    one.id = one.arrival = id.value();
    insert(std::move(one));
    return "";
}

/// By trying every place: with everything else gone and steps as short as they may be.
bool Simulation::can_ever_run(const Modelled& one) const {
    if (one.tokens_max > setup.limits.context) return false;
    std::vector<AtomicSpan> chunks = one.atomic;
    for (int64_t place = 0; place < one.tokens_max; ++place) chunks.push_back({place, 1});
    for (const AtomicSpan& chunk : chunks) {
        int64_t logits = 0;
        for (int64_t place = chunk.first; place < chunk.first + chunk.count; ++place)
            logits += place >= one.logits_from;
        if (chunk.count > setup.limits.step_rows || logits > setup.limits.logit_rows_max) return false;
        for (const Setup::Group& group : setup.groups) {
            std::set<int64_t> blocks;
            for (int64_t place = first_seen(chunk.first, group.window); place < chunk.first + chunk.count; ++place)
                blocks.insert(place / group.block_tokens);
            if (static_cast<int64_t>(blocks.size()) > group.blocks) return false;
        }
    }
    return true;
}

/// A sequence waits for those that rank higher, and for those that run already. Each of them has the best rank of all
/// that run for at most its own rows, and whoever has that gets a row at least every other step; only a newcomer of
/// higher rank can make it begin again.
void Simulation::insert(Modelled sequence) {
    sequence.displaces = std::any_of(sequences.begin(), sequences.end(),
                                     [&](const Modelled& other) { return outranks(sequence, other); });
    sequence.load = sequence.tokens_max;
    sequence.age = sequence.displacements = 0;
    for (Modelled& other : sequences) {
        sequence.load += other.tokens_max;
        sequence.displacements += other.displaces;
        if (outranks(sequence, other) || sequence.running) other.load += sequence.tokens_max;
        other.displacements += sequence.displaces;
    }
    sequences.insert(std::upper_bound(sequences.begin(), sequences.end(), sequence, outranks), std::move(sequence));
}

void Simulation::append(Modelled& one) {
    one.tokens.push_back(static_cast<int32_t>(below(2)));
    one.history.push_back(mix(one.history.empty() ? 0 : one.history.back(), one.tokens.back()));
}

void Simulation::remove(SequenceId id) {
    std::erase_if(sequences, [&](const Modelled& one) { return one.id == id; });
}

Modelled& Simulation::modelled(SequenceId id) {
    auto found = std::find_if(sequences.begin(), sequences.end(), [&](const Modelled& one) { return one.id == id; });
    CHECK(found != sequences.end());
    return *found;
}

const Modelled& Simulation::modelled(SequenceId id) const { return const_cast<Simulation*>(this)->modelled(id); }

void Simulation::fork(SequenceId parent) {
    if (alive() >= setup.alive_max) return;
    Modelled child = modelled(parent);
    bool slot = scheduler->running() < setup.limits.sequences_max;
    child.id = scheduler->fork(parent);
    child.running = child.running && slot;
    if (!child.running) child.computed = 0;
    insert(std::move(child));
    ++forked;
}

/// After a step: every sequence that has caught up gets a token, forks, ends or pauses.
void Simulation::go_on() {
    std::vector<SequenceId> caught_up;
    for (const Modelled& one : sequences)
        if (one.running && one.computed == one.known()) caught_up.push_back(one.id);
    for (SequenceId id : caught_up) {
        if (chance(setup.pause)) continue;
        if (chance(setup.fork)) fork(id);
        Modelled& one = modelled(id);
        if (one.known() == one.tokens_max || chance(setup.end)) {
            scheduler->finish(id);
            remove(id);
            ++finished;
            continue;
        }
        append(one);
        scheduler->append(id, one.tokens.back());
    }
}

// --- A step --------------------------------------------------------------------------------------------------------

std::string Simulation::step() {
    RETURN_FAULT(plan_step());
    return run_step();
}

std::string Simulation::plan_step() {
    RETURN_FAULT(arrive_and_cancel());
    scheduler->plan_step(plan);
    if (below(16) == 0) RETURN_FAULT(check_pure(observe()));
    RETURN_FAULT(check_plan());
    return check_preempted_and_admitted();
}

std::string Simulation::run_step() {
    Observed before = observe();
    RETURN_FAULT(commit());
    Observed after = observe();
    RETURN_FAULT(check_taken(before, after));
    RETURN_FAULT(compute(after));
    advance();
    go_on();
    Observed end = observe();
    RETURN_FAULT(check_blocks(end));
    RETURN_FAULT(check_contents(end));
    return check_ages();
}

/// Planning once more changes nothing and says the same.
std::string Simulation::check_pure(const Observed& before) const {
    StepPlan other;
    scheduler->plan_step(other);
    if (observe() != before) return "planning has changed something";
    if (other.sequences != plan.sequences || other.preempted != plan.preempted || other.admitted != plan.admitted ||
        other.turn != plan.turn)
        return "two plans of one state differ";
    return "";
}

std::string Simulation::check_plan() const {
    if (plan.failed) return fmt::format("sequence {} fails: {}", plan.failed->id, plan.failed->reason);
    int64_t rows_sum = 0, logit_sum = 0;
    std::set<SequenceId> seen;
    for (const ScheduledRows& one : plan.sequences) {
        if (!seen.insert(one.id).second) return fmt::format("sequence {} is scheduled twice", one.id);
        RETURN_FAULT(check_rows(one));
        rows_sum += one.rows;
        logit_sum += one.logit_rows;
    }
    if (rows_sum != plan.rows || rows_sum > setup.limits.step_rows)
        return fmt::format("{} rows of {}, the plan says {}", rows_sum, setup.limits.step_rows, plan.rows);
    if (logit_sum != plan.logit_rows || logit_sum > setup.limits.logit_rows_max)
        return fmt::format("{} logit rows of {}, the plan says {}", logit_sum, setup.limits.logit_rows_max,
                           plan.logit_rows);
    bool paused = std::any_of(sequences.begin(), sequences.end(),
                              [](const Modelled& one) { return one.running && one.computed == one.known(); });
    if (rows_sum == 0 && !paused && !sequences.empty()) return "nothing is scheduled";
    return "";
}

std::string Simulation::check_rows(const ScheduledRows& scheduled) const {
    const Modelled& one = modelled(scheduled.id);
    int64_t end = scheduled.first + scheduled.rows;
    if (scheduled.first != one.computed)
        return fmt::format("sequence {}: row {} after {} rows", one.id, scheduled.first, one.computed);
    if (scheduled.rows < 1 || end > one.known())
        return fmt::format("sequence {}: up to {} of {} known", one.id, end, one.known());
    for (const AtomicSpan& span : one.atomic)
        if (span.first < end && end < span.first + span.count)
            return fmt::format("sequence {}: cut at {}, in the span at {}", one.id, end, span.first);
    int64_t logits = 0;
    for (int64_t place = scheduled.first; place < end; ++place)
        logits += place == one.known() - 1 || (place >= one.logits_from && place >= one.logits_given);
    if (logits != scheduled.logit_rows)
        return fmt::format("sequence {}: {} logit rows, not {}", one.id, scheduled.logit_rows, logits);
    return "";
}

std::string Simulation::check_preempted_and_admitted() const {
    std::set<SequenceId> gone(plan.preempted.begin(), plan.preempted.end());
    auto is_admitted = [&](SequenceId id) {
        return std::find(plan.admitted.begin(), plan.admitted.end(), id) != plan.admitted.end();
    };
    const Modelled* lowest_kept = nullptr;
    int64_t running = 0;
    for (const Modelled& one : sequences) {
        if (!one.running || gone.contains(one.id)) continue;
        lowest_kept = &one;
        ++running;
    }
    for (SequenceId id : plan.preempted) {
        const Modelled& one = modelled(id);
        if (!one.running) return fmt::format("sequence {} is preempted, but does not run", id);
        if (!lowest_kept || outranks(one, *lowest_kept))
            return fmt::format("sequence {} is preempted, but not the lowest", id);
    }
    if (!plan.preempted.empty() && !plan.admitted.empty()) return "preempted and admitted in one step";
    if (running + static_cast<int64_t>(plan.admitted.size()) > setup.limits.sequences_max) return "too many run";
    // Those that wait are admitted by rank, nobody overtakes.
    size_t next = 0;
    for (const Modelled& one : sequences) {
        if (one.running) continue;
        if (next < plan.admitted.size() && plan.admitted[next] != one.id)
            return fmt::format("sequence {} is admitted before {}", plan.admitted[next], one.id);
        ++next;
    }
    if (plan.admitted.size() > next) return "somebody is admitted who does not wait";
    for (const ScheduledRows& one : plan.sequences)
        if (gone.contains(one.id) || (!modelled(one.id).running && !is_admitted(one.id)))
            return fmt::format("sequence {} is scheduled, but does not run", one.id);
    for (size_t g = 0; g < setup.groups.size() && !plan.admitted.empty(); ++g) {
        int64_t needed = 0;
        for (SequenceId id : plan.admitted) needed += blocks_until_known(modelled(id), g);
        if (needed > pools[g].free())
            return fmt::format("{} blocks for the admitted, {} are free", needed, pools[g].free());
    }
    return "";
}

/// The most that a sequence which has nothing holds at once on its way to its known tokens.
int64_t Simulation::blocks_until_known(const Modelled& one, size_t g) const {
    const Setup::Group& group = setup.groups[g];
    int64_t most = 0, chunk = setup.limits.step_rows;
    for (int64_t first = 0; first < one.known(); ++first) {
        int64_t last = std::min(first + chunk, one.known()) - 1;
        most = std::max(most, last / group.block_tokens - first_seen(first, group.window) / group.block_tokens + 1);
    }
    return std::min<int64_t>(most, group.blocks);
}

std::string Simulation::commit() {
    scheduler->commit(plan);
    for (SequenceId id : plan.preempted) modelled(id).running = false, modelled(id).computed = 0;
    for (SequenceId id : plan.admitted) modelled(id).running = true;
    int64_t running =
        std::count_if(sequences.begin(), sequences.end(), [](const Modelled& one) { return one.running; });
    if (running != scheduler->running() || static_cast<int64_t>(sequences.size()) - running != scheduler->waiting())
        return fmt::format("{} run and {} wait, not {} of {}", scheduler->running(), scheduler->waiting(), running,
                           sequences.size());
    preempted += static_cast<int64_t>(plan.preempted.size());
    copied += static_cast<int64_t>(plan.copies.size());
    turns += plan.turn != kNoSequence;
    return "";
}

/// What the plan says about blocks is what happened to the tables.
std::string Simulation::check_taken(const Observed& before, const Observed& after) const {
    std::set<std::pair<int32_t, BlockId>> listed, found;
    for (const TakenBlock& one : plan.taken) listed.emplace(one.group, one.block);
    for (const BlockCopy& one : plan.copies) listed.emplace(one.group, one.to);
    if (listed.size() != plan.taken.size() + plan.copies.size()) return "a block is taken twice";
    for (const Observed::Sequence& one : after.sequences) {
        auto old = std::find_if(before.sequences.begin(), before.sequences.end(),
                                [&](const auto& other) { return other.id == one.id; });
        bool gone = std::find(plan.preempted.begin(), plan.preempted.end(), one.id) != plan.preempted.end();
        for (size_t g = 0; g < setup.groups.size(); ++g) {
            std::multiset<BlockId> had;
            if (old != before.sequences.end() && !gone) had.insert(old->tables[g].begin(), old->tables[g].end());
            for (BlockId block : one.tables[g])
                if (auto same = had.find(block); same != had.end()) had.erase(same);
                else found.emplace(static_cast<int32_t>(g), block);
        }
    }
    if (listed != found)
        return fmt::format("{} blocks are listed as taken or copied, {} are new in the tables", listed.size(),
                           found.size());
    for (auto [g, block] : listed) {
        if (after.pools[g].references[block] != 1)
            return fmt::format("block {} of group {} was taken, but is shared", block, g);
        if (after.pools[g].identities[block])
            return fmt::format("block {} of group {} was taken with an identity", block, g);
    }
    return "";
}

std::string Simulation::compute(const Observed& observed) {
    for (const TakenBlock& one : plan.taken) {
        int64_t tokens = setup.groups[one.group].block_tokens;
        std::fill_n(contents[one.group].begin() + one.block * tokens, tokens, 0);
    }
    for (const BlockCopy& one : plan.copies) {
        int64_t tokens = setup.groups[one.group].block_tokens;
        std::copy_n(contents[one.group].begin() + one.from * tokens, tokens,
                    contents[one.group].begin() + one.to * tokens);
    }
    // All rows of a step are written before any is read.
    std::string fault;
    for (const ScheduledRows& scheduled : plan.sequences) {
        auto found = std::find_if(observed.sequences.begin(), observed.sequences.end(),
                                  [&](const auto& one) { return one.id == scheduled.id; });
        RETURN_FAULT(compute_rows(scheduled, *found));
    }
    for (const ScheduledRows& scheduled : plan.sequences) {
        auto found = std::find_if(observed.sequences.begin(), observed.sequences.end(),
                                  [&](const auto& one) { return one.id == scheduled.id; });
        const Modelled& one = modelled(scheduled.id);
        for (size_t g = 0; g < setup.groups.size(); ++g) {
            int64_t tokens = setup.groups[g].block_tokens;
            for (int64_t place = first_seen(scheduled.first, setup.groups[g].window);
                 place < scheduled.first + scheduled.rows; ++place) {
                BlockId block = found->tables[g][place / tokens];
                if (block == kNoBlock)
                    return fmt::format("sequence {}: place {} is needed, but was released", one.id, place);
                if (contents[g][block * tokens + place % tokens] != one.history[place])
                    return fmt::format("sequence {}: place {} in block {} of group {} holds something else", one.id,
                                       place, block, g);
            }
        }
    }
    return "";
}

std::string Simulation::compute_rows(const ScheduledRows& scheduled, const Observed::Sequence& observed) {
    const Modelled& one = modelled(scheduled.id);
    for (size_t g = 0; g < setup.groups.size(); ++g) {
        int64_t tokens = setup.groups[g].block_tokens, end = scheduled.first + scheduled.rows;
        if (static_cast<int64_t>(observed.tables[g].size()) * tokens < end)
            return fmt::format("sequence {}: no block for place {}", one.id, end - 1);
        for (int64_t place = scheduled.first; place < end; ++place) {
            BlockId block = observed.tables[g][place / tokens];
            if (pools[g].references(block) != 1)
                return fmt::format("sequence {}: writes into block {} of group {}, which is shared", one.id, block, g);
            uint64_t& content = contents[g][block * tokens + place % tokens];
            if (content != 0)
                return fmt::format("sequence {}: place {} in block {} of group {} is not empty", one.id, place, block,
                                   g);
            content = one.history[place];
        }
    }
    rows += scheduled.rows;
    return "";
}

void Simulation::advance() {
    if (plan.sequences.empty()) return;
    for (const ScheduledRows& scheduled : plan.sequences) {
        Modelled& one = modelled(scheduled.id);
        one.computed += scheduled.rows;
        one.logits_given = std::max(one.logits_given, one.computed);
    }
    scheduler->advance(plan);
}

// --- After it ------------------------------------------------------------------------------------------------------

Observed Simulation::observe() const {
    Observed observed{.running = scheduler->running(), .waiting = scheduler->waiting()};
    for (const Modelled& one : sequences) {
        Observed::Sequence& added = observed.sequences.emplace_back();
        added.id = one.id;
        added.known = static_cast<int64_t>(scheduler->tokens(one.id).size());
        added.computed = scheduler->computed(one.id);
        for (size_t g = 0; g < setup.groups.size(); ++g) {
            auto table = scheduler->block_table(one.id, g);
            added.tables.emplace_back(table.begin(), table.end());
        }
    }
    for (const BlockPool& pool : pools) {
        Observed::Pool& added = observed.pools.emplace_back();
        added.free = pool.free();
        for (BlockId block = 0; block < pool.size(); ++block) {
            added.references.push_back(pool.references(block));
            const Identity* identity = pool.identity(block);
            added.identities.push_back(identity ? std::optional(*identity) : std::nullopt);
        }
        if (auto checked = pool.check(); !checked.ok()) added.fault = checked.error().message;
    }
    return observed;
}

/// Every block is used as often as the tables name it, or free; the tables reach exactly as far as computed() and the
/// windows say.
std::string Simulation::check_blocks(const Observed& observed) const {
    std::vector<std::vector<int32_t>> uses;
    for (const Setup::Group& group : setup.groups) uses.emplace_back(group.blocks);
    for (const Observed::Sequence& one : observed.sequences) {
        const Modelled& model = modelled(one.id);
        if (one.known != model.known() || one.computed != model.computed)
            return fmt::format("sequence {}: {} of {} computed, not {} of {}", one.id, one.computed, one.known,
                               model.computed, model.known());
        for (size_t g = 0; g < setup.groups.size(); ++g) {
            int64_t tokens = setup.groups[g].block_tokens, needed = (one.computed + tokens - 1) / tokens;
            int64_t first = std::min(first_seen(one.computed, setup.groups[g].window) / tokens, needed);
            if (static_cast<int64_t>(one.tables[g].size()) != needed)
                return fmt::format("sequence {}: {} blocks in group {} for {} tokens", one.id, one.tables[g].size(), g,
                                   one.computed);
            for (int64_t i = 0; i < needed; ++i) {
                BlockId block = one.tables[g][i];
                if ((block == kNoBlock) != (i < first))
                    return fmt::format("sequence {}: block {} of group {} is {}", one.id, i, g, block);
                if (block != kNoBlock) ++uses[g].at(block);
            }
        }
    }
    for (size_t g = 0; g < setup.groups.size(); ++g) {
        const Observed::Pool& pool = observed.pools[g];
        if (!pool.fault.empty()) return fmt::format("group {}: {}", g, pool.fault);
        for (BlockId block = 0; block < setup.groups[g].blocks; ++block)
            if (uses[g][block] != pool.references[block])
                return fmt::format("block {} of group {}: {} users, the pool says {}", block, g, uses[g][block],
                                   pool.references[block]);
        if (std::count(uses[g].begin(), uses[g].end(), 0) != pool.free)
            return fmt::format("group {}: {} blocks are said to be free", g, pool.free);
    }
    if (observed.running > setup.limits.sequences_max) return fmt::format("{} run", observed.running);
    return "";
}

/// Full blocks have the identity of their tokens, others none; what is beyond the tokens is zero; and wherever a block
/// has an identity, in use or free, it holds what any other block of that identity holds.
std::string Simulation::check_contents(const Observed& observed) const {
    for (const Observed::Sequence& one : observed.sequences) {
        const Modelled& model = modelled(one.id);
        for (size_t g = 0; g < setup.groups.size(); ++g) {
            int64_t tokens = setup.groups[g].block_tokens;
            for (int64_t i = 0; i < static_cast<int64_t>(one.tables[g].size()); ++i) {
                BlockId block = one.tables[g][i];
                if (block == kNoBlock) continue;
                bool full = (i + 1) * tokens <= one.computed;
                const std::optional<Identity>& found = observed.pools[g].identities[block];
                if (found.has_value() != (full && setup.identities) || (found && *found != identity(model, g, i)))
                    return fmt::format("sequence {}: block {} of group {} has not its identity", one.id, i, g);
                for (int64_t place = one.computed; place < (i + 1) * tokens; ++place)
                    if (contents[g][block * tokens + place % tokens] != 0)
                        return fmt::format("sequence {}: place {} is not empty", one.id, place);
            }
        }
    }
    if (!setup.identities) return "";
    for (size_t g = 0; g < setup.groups.size(); ++g)
        for (BlockId block = 0; block < setup.groups[g].blocks; ++block) {
            if (!observed.pools[g].identities[block]) continue;
            auto first = contents[g].begin() + block * setup.groups[g].block_tokens;
            std::vector<uint64_t> holds(first, first + setup.groups[g].block_tokens);
            auto [known, added] =
                const_cast<Simulation*>(this)->published.emplace(observed.pools[g].identities[block]->bytes, holds);
            if (!added && known->second != holds)
                return fmt::format("block {} of group {} does not hold what its identity says", block, g);
        }
    return "";
}

const Identity& Simulation::identity(const Modelled& one, size_t g, int64_t block) const {
    auto& chain = const_cast<Modelled&>(one).chain;  // remembered, never different
    chain.resize(setup.groups.size());
    Identity root;
    root.bytes[0] = static_cast<uint8_t>(g + 1);
    int64_t tokens = setup.groups[g].block_tokens;
    while (static_cast<int64_t>(chain[g].size()) <= block)
        chain[g].push_back(
            block_identity(chain[g].empty() ? Identity{} : chain[g].back(), root,
                           std::span(one.tokens).subspan(static_cast<int64_t>(chain[g].size()) * tokens, tokens)));
    return chain[g][block];
}

std::string Simulation::check_ages() const {
    bool paused = std::any_of(sequences.begin(), sequences.end(),
                              [](const Modelled& one) { return one.running && one.computed == one.known(); });
    for (const Modelled& one : sequences) {
        const_cast<Modelled&>(one).age += !paused;
        int64_t bound = 2 * (one.load + one.displacements * setup.limits.context) + 4;
        if (one.age > bound)
            return fmt::format("sequence {} has not finished after {} steps; {} are enough", one.id, one.age, bound);
    }
    return "";
}

// --- Many seeds ----------------------------------------------------------------------------------------------------

std::string simulate(int64_t steps, std::string& summary) {
    const char* only = std::getenv("GODWIT_SEED");
    uint64_t seed = only ? std::strtoull(only, nullptr, 10) : 1;
    Setup unused;
    int64_t done = 0, rows = 0, preempted = 0, forked = 0, copied = 0, finished = 0, refused = 0, turns = 0;
    for (; done < steps; ++seed) {
        Simulation simulation(seed);
        for (int64_t i = 0; i < kStepsPerSeed; ++i, ++done)
            if (std::string fault = simulation.step(); !fault.empty())
                return fmt::format("seed {}, step {}: {}\nreplay with GODWIT_SEED={}", seed, i, fault, seed);
        rows += simulation.rows, preempted += simulation.preempted, forked += simulation.forked,
            copied += simulation.copied;
        finished += simulation.finished, refused += simulation.refused, turns += simulation.turns;
        if (only) break;
    }
    summary = fmt::format("{} steps, {} rows, {} preemptions, {} forks, {} copies, {} finished, {} refused, {} turns",
                          done, rows, preempted, forked, copied, finished, refused, turns);
    return "";
}

}  // namespace godwit::test
