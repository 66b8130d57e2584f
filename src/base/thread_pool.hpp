// A fixed set of threads and one operation: a parallel loop. Passed in and shared, never global, so that several
// models in one process share the cores.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "base/function_ref.hpp"

namespace godwit {

class ThreadPool {
public:
    using Body = FunctionRef<void(int64_t begin, int64_t end)>;

    /// `threads` counts the caller of parallel_for: starts threads - 1 workers. At least 1.
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int size() const { return static_cast<int>(workers_.size()) + 1; }

    /// Calls `body` for [0, count) in chunks [k grain, min((k + 1) grain, count)), on the calling thread and the
    /// workers, and returns when all are done. Which thread runs which chunk is open; the chunks are not.
    /// Floating point is in its default mode (round to nearest, subnormals kept) whatever the caller set.
    /// Any thread may call, one loop runs at a time; not from inside a body of the same pool. grain >= 1.
    void parallel_for(int64_t count, int64_t grain, Body body);

private:
    struct Loop {
        const Body* body = nullptr;
        int64_t count = 0;
        int64_t grain = 1;
        int64_t chunks = 0;
    };

    /// Threads that sleep until a condition holds. While nobody sleeps, they cost the others one load.
    class Sleepers {
    public:
        template <class Condition>
        void wait(const Condition& condition);
        /// After a change that may make the condition hold: wakes up to `count`, perhaps in vain.
        void wake(int count);
        int count() const { return count_; }

    private:
        std::atomic<int> count_ = 0;
        std::atomic<uint32_t> wakes_ = 0;  // what they sleep on
    };

    void worker();
    int64_t run_chunks();
    void run_chunk(int64_t index) const;
    void wake_workers(int64_t chunks);

    static constexpr size_t kLine = 64;  // of the cache: what all threads write has one to itself

    /// Chunks of the loop not yet taken. Below zero after threads have asked in vain. Whoever lowers it from above zero
    /// holds a chunk, and a loop ends only when all its chunks are done: so loop_ is read by holders alone, and a
    /// thread that comes late, however late, takes part in the loop that it finds or in none.
    alignas(kLine) std::atomic<int64_t> untaken_ = 0;
    alignas(kLine) std::atomic<int64_t> undone_ = 0;  // chunks whose end has not been reported
    alignas(kLine) Loop loop_;                        // written while no chunk is left, by the holder of callers_
    std::atomic<int> caller_cpu_ = -1;                // where the loop was started
    std::mutex callers_;                              // held by the caller whose loop runs
    alignas(kLine) Sleepers idle_;                    // workers: until there is a chunk to take
    Sleepers finishing_;                              // the caller: until all chunks are done
    std::atomic<bool> stop_ = false;
    std::vector<std::thread> workers_;
};

}  // namespace godwit
