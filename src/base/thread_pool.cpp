#include "base/thread_pool.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/check.hpp"
#include "base/float_mode.hpp"

namespace godwit {
namespace {

using Clock = std::chrono::steady_clock;

thread_local const ThreadPool* running_in = nullptr;  // the pool whose body this thread runs

void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb");
#endif
}

/// Looks at `condition` until it holds (true) or until it is better to sleep. As long as the gap between two loops of a
/// step and the difference between two chunks, so that neither ends in sleep; short, so that idle takes no CPU time
/// (invariant I8) and that a caller whose last chunk is held by a preempted worker soon frees its core for it.
template <class Condition>
bool spin(const Condition& condition) {
    // In time, since a pause takes 10 to 140 cycles, which depends on the CPU. By the clock, since the cycle counter
    // has an unknown frequency and traps on some virtual machines; only now and then, since the clock may be a system
    // call.
    constexpr std::chrono::microseconds kLimit{50};
    constexpr int kPauses = 32;
    for (Clock::time_point end{};;) {
        for (int i = 0; i < kPauses; ++i) {
            if (condition()) return true;
            pause();
        }
        const Clock::time_point now = Clock::now();
        if (end == Clock::time_point{}) end = now + kLimit;
        if (now >= end) return false;
    }
}

}  // namespace

// No wake is lost: the sleeper counts itself before it looks at the condition, the waker looks at the count after it
// has changed the condition, all in one order (seq_cst). A wake between the look and the sleep has changed wakes_, and
// the kernel then refuses to sleep.
template <class Condition>
void ThreadPool::Sleepers::wait(const Condition& condition) {
    ++count_;
    for (;;) {
        const uint32_t wakes = wakes_;
        if (condition()) break;
        syscall(SYS_futex, &wakes_, FUTEX_WAIT_PRIVATE, wakes, nullptr, nullptr, 0);
    }
    --count_;
}

void ThreadPool::Sleepers::wake(int count) {
    if (count_ == 0) return;
    ++wakes_;
    syscall(SYS_futex, &wakes_, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

ThreadPool::ThreadPool(int threads) {
    CHECK(threads >= 1);
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { worker(); });
}

ThreadPool::~ThreadPool() {
    stop_ = true;
    idle_.wake(size());
    for (std::thread& thread : workers_) thread.join();
}

void ThreadPool::parallel_for(int64_t count, int64_t grain, Body body) {
    CHECK(grain >= 1 && running_in != this);
    if (count <= 0) return;
    const DefaultFloatMode mode;
    const std::lock_guard call(callers_);
    const int64_t chunks = count / grain + (count % grain != 0);
    loop_ = {&body, count, grain, chunks};
    caller_cpu_.store(sched_getcpu(), std::memory_order_relaxed);
    undone_ = chunks;
    untaken_ = chunks - 1;  // the first is the caller's; from here on the workers take part
    wake_workers(chunks);
    const ThreadPool* outer = std::exchange(running_in, this);
    run_chunk(0);
    const int64_t done = 1 + run_chunks();
    running_in = outer;
    if (undone_.fetch_sub(done) == done) return;
    const auto finished = [this] { return undone_ == 0; };
    if (!spin(finished)) finishing_.wait(finished);
}

/// As many as the loop has chunks for, less those that are awake.
void ThreadPool::wake_workers(int64_t chunks) {
    const int64_t asleep = idle_.count();
    if (asleep == 0) return;
    const auto workers = static_cast<int64_t>(workers_.size());
    const int64_t missing = std::min(chunks - 1, workers) - (workers - asleep);
    if (missing > 0) idle_.wake(static_cast<int>(missing));
}

void ThreadPool::worker() {
    const DefaultFloatMode mode;
    running_in = this;
    const auto wanted = [this] { return untaken_ > 0 || stop_; };
    while (!stop_) {
        const int64_t done = run_chunks();
        if (done > 0 && undone_.fetch_sub(done) == done) finishing_.wake(1);
        // On the caller's CPU a worker (the kernel puts it there when others take the rest) would spin in its way.
        const bool in_the_way = sched_getcpu() == caller_cpu_.load(std::memory_order_relaxed);
        if (in_the_way || !spin(wanted)) idle_.wait(wanted);
    }
}

/// Returns how many of the loop's chunks this thread has run; they are still to be reported to undone_.
int64_t ThreadPool::run_chunks() {
    int64_t done = 0;
    while (untaken_ > 0) {
        const int64_t left = untaken_.fetch_sub(1);
        if (left <= 0) break;
        run_chunk(loop_.chunks - left);
        ++done;
    }
    return done;
}

void ThreadPool::run_chunk(int64_t index) const {
    const int64_t begin = index * loop_.grain;
    (*loop_.body)(begin, begin + std::min(loop_.grain, loop_.count - begin));
}

}  // namespace godwit
