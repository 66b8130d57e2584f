// A fixed set of threads and one operation: a parallel loop. Passed in and shared, never global, so that several
// models in one process share the cores.
#pragma once

#include <atomic>
#include <condition_variable>
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
        const Body* body = nullptr;  // null: no loop, or its chunks are all taken
        int64_t count = 0;
        int64_t grain = 1;
    };

    void worker();
    void run_chunks(const Loop& loop);

    std::mutex callers_;  // held by the caller whose loop runs
    std::mutex mutex_;    // guards loop_, stop_ and changes of the counters
    std::condition_variable wake_;
    std::condition_variable finished_;
    Loop loop_;
    bool stop_ = false;
    std::atomic<uint64_t> generation_ = 0;  // loops started
    std::atomic<int> active_ = 0;           // workers inside the loop
    std::atomic<int64_t> next_chunk_ = 0;   // first chunk not yet taken
    std::vector<std::thread> workers_;
};

}  // namespace godwit
