// How attention is divided among threads: into tiles of rows and KV heads, long ones cut at the splits of ops.hpp. The
// division does not change a result.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/cpu/kernels.hpp"
#include "base/thread_pool.hpp"

namespace godwit::cpu {

/// Runs Ops::attention. Keeps its scratch: once the greatest step was seen, none allocates. One call at a time.
class AttentionRunner {
public:
    AttentionRunner(const AttentionKernels& kernels, ThreadPool& pool) : kernels_(kernels), pool_(pool) {}

    void run(const Attention& args);

private:
    /// Some rows of one sequence and a KV head, whose keys and values are read once for all of them.
    struct Item {
        int64_t row, rows, kv_head;
        int64_t begin, end;      // the splits that any of its rows sees
        int64_t unit_splits;     // that a thread takes at once
        float* sums = nullptr;   // of a cut item, in cut_: the total, then one for each split of a round
        int32_t units_left = 0;  // of the round; whoever ends the last merges
        bool is_cut() const { return unit_splits < end - begin; }
    };
    struct Unit {
        Item* item;
        int64_t begin, end;  // splits
    };
    /// Cut items are summed some splits at a time (counted from an item's first), so that memory is bounded.
    struct Round {
        int64_t begin, end;
    };

    void find_items(const Attention& args);
    int64_t find_cuts(const Attention& args);
    void find_units(const Round& round);
    void run_units(const Attention& args, const Round& round);
    void run_unit(const Attention& args, const Unit& unit, const Round& round, float* scratch);

    const AttentionKernels& kernels_;
    ThreadPool& pool_;
    std::vector<Item> items_;
    std::vector<Unit> units_;
    std::vector<float> cut_;
    std::vector<float> scratch_;  // of all threads
};

}  // namespace godwit::cpu
