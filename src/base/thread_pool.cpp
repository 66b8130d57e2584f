#include "base/thread_pool.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/float_mode.hpp"

namespace godwit {
namespace {

thread_local const ThreadPool* running_in = nullptr;  // the pool whose body this thread runs

void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb");
#endif
}

/// Some tens of microseconds: the gap between two loops of a step, so that workers seldom sleep inside one;
/// bounded, so that idle takes no CPU time (invariant I8).
template <class Condition>
void spin_until(Condition condition) {
    for (int i = 0; i < 1000 && !condition(); ++i) pause();
}

}  // namespace

ThreadPool::ThreadPool(int threads) {
    CHECK(threads >= 1);
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { worker(); });
}

ThreadPool::~ThreadPool() {
    {
        std::lock_guard lock(mutex_);
        stop_ = true;
        ++generation_;
    }
    wake_.notify_all();
    for (std::thread& thread : workers_) thread.join();
}

void ThreadPool::parallel_for(int64_t count, int64_t grain, Body body) {
    CHECK(grain >= 1 && running_in != this);
    if (count <= 0) return;
    const DefaultFloatMode mode;
    std::lock_guard call(callers_);
    const Loop loop{&body, count, grain};
    next_chunk_ = 0;
    const bool share = count > grain && !workers_.empty();
    if (share) {
        std::lock_guard lock(mutex_);
        loop_ = loop;
        ++generation_;
    }
    if (share) wake_.notify_all();
    run_chunks(loop);
    if (!share) return;
    spin_until([this] { return active_.load(std::memory_order_relaxed) == 0; });
    std::unique_lock lock(mutex_);
    loop_ = {};  // whoever wakes only now stays out
    finished_.wait(lock, [this] { return active_ == 0; });
}

void ThreadPool::worker() {
    const DefaultFloatMode mode;
    for (uint64_t seen = 0;;) {
        spin_until([&] { return generation_.load(std::memory_order_relaxed) != seen; });
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return generation_ != seen; });
        if (stop_) return;
        seen = generation_;
        const Loop loop = loop_;
        if (!loop.body) continue;
        ++active_;
        lock.unlock();
        run_chunks(loop);
        lock.lock();
        if (--active_ == 0) finished_.notify_one();
    }
}

void ThreadPool::run_chunks(const Loop& loop) {
    const ThreadPool* outer = std::exchange(running_in, this);
    const int64_t chunks = loop.count / loop.grain + (loop.count % loop.grain != 0);
    for (int64_t i = next_chunk_.fetch_add(1, std::memory_order_relaxed); i < chunks;
         i = next_chunk_.fetch_add(1, std::memory_order_relaxed)) {
        const int64_t begin = i * loop.grain;
        (*loop.body)(begin, begin + std::min(loop.grain, loop.count - begin));
    }
    running_in = outer;
}

}  // namespace godwit
