#include "base/thread_pool.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#ifndef __has_feature  // g++
#define __has_feature(x) 0
#endif

namespace godwit {
namespace {

/// Runs a loop and checks that every element is taken once, in the documented chunks.
void check_loop(ThreadPool& pool, int64_t count, int64_t grain) {
    std::vector<std::atomic<int>> taken(static_cast<size_t>(count));
    pool.parallel_for(count, grain, [&](int64_t begin, int64_t end) {
        EXPECT_EQ(begin % grain, 0);
        EXPECT_EQ(end, begin + std::min(grain, count - begin));
        for (int64_t i = begin; i < end; ++i) ++taken[static_cast<size_t>(i)];
    });
    for (const auto& n : taken) ASSERT_EQ(n, 1) << count << " by " << grain << " on " << pool.size();
}

/// A loop of one chunk a thread that ends only when all threads are in it, each of which runs `body` then.
template <class Body>
void with_all_threads(ThreadPool& pool, Body body) {
    std::atomic<int> inside = 0;
    pool.parallel_for(pool.size(), 1, [&](int64_t, int64_t) {
        ++inside;
        while (inside < pool.size()) std::this_thread::yield();
        body();
    });
}

/// Of each thread of this process but the calling one: its state and how often it went to sleep or was stopped.
std::vector<std::string> other_threads() {
    std::vector<std::string> states;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        if (task.path().filename() == std::to_string(gettid())) continue;
        std::ifstream file(task.path() / "status");
        std::string state;
        for (std::string line; std::getline(file, line);)
            if (line.starts_with("State:") || line.find("ctxt_switches:") != std::string::npos) state += line;
        states.push_back(state);
    }
    return states;
}

/// Returns when `count` other threads are asleep and stay so for a while. Never, were they to look around now and then.
void wait_until_asleep(int count) {
    for (;;) {
        const std::vector<std::string> before = other_threads();
        for (int i = 0; i < 20000; ++i) std::this_thread::yield();
        const std::vector<std::string> after = other_threads();
        int asleep = 0;
        for (size_t i = 0; i < std::min(before.size(), after.size()); ++i)
            asleep += after[i].starts_with("State:\tS") && after[i] == before[i];
        if (asleep >= count) return;
    }
}

TEST(ThreadPool, TakesEveryElementOnceInTheDocumentedChunks) {
    for (int threads : {1, 2, 4}) {
        ThreadPool pool(threads);
        EXPECT_EQ(pool.size(), threads);
        for (int64_t count : {0, 1, 7, 64, 1000})
            for (int64_t grain : {int64_t{1}, int64_t{3}, int64_t{64}, std::numeric_limits<int64_t>::max()})
                check_loop(pool, count, grain);
    }
}

TEST(ThreadPool, RandomLoops) {
    std::mt19937 random(5);
    const auto below = [&random](int64_t end) { return static_cast<int64_t>(random() % static_cast<uint64_t>(end)); };
    for (int threads = 1; threads <= 9; ++threads) {
        ThreadPool pool(threads);
        for (int i = 0; i < 300; ++i) check_loop(pool, below(below(2000) + 1), 1 + below(below(100) + 1));
    }
}

TEST(ThreadPool, TheLargestLoop) {
    ThreadPool pool(2);
    constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
    std::mutex mutex;
    std::set<std::pair<int64_t, int64_t>> chunks;
    pool.parallel_for(kMax, kMax / 2, [&](int64_t begin, int64_t end) {
        std::lock_guard lock(mutex);
        chunks.insert({begin, end});
    });
    const std::set<std::pair<int64_t, int64_t>> expected = {{0, kMax / 2}, {kMax / 2, kMax - 1}, {kMax - 1, kMax}};
    EXPECT_EQ(chunks, expected);
}

TEST(ThreadPool, WorkersTakePart) {
    ThreadPool pool(3);
    std::mutex mutex;
    std::set<std::thread::id> ids;
    with_all_threads(pool, [&] {
        std::lock_guard lock(mutex);
        ids.insert(std::this_thread::get_id());
    });
    EXPECT_EQ(ids.size(), 3u);
    EXPECT_TRUE(ids.contains(std::this_thread::get_id()));
}

// Plain memory written by one loop is read by the next and by the caller: TSan sees a missing hand-over.
TEST(ThreadPool, ManyShortLoopsHandOverTheirResults) {
    for (int threads : {2, 4, 16}) {
        ThreadPool pool(threads);
        std::vector<int64_t> values(64, 0);
        for (int round = 0; round < 3000; ++round)
            pool.parallel_for(64, 8, [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) values[static_cast<size_t>(i)] += i;
            });
        for (int64_t i = 0; i < 64; ++i) EXPECT_EQ(values[static_cast<size_t>(i)], 3000 * i);
    }
}

// Loops that differ in all that a late worker could mix up: its body, its length, its chunks, and where it writes.
// Between them pauses of every length around the time that workers spin, and more threads than cores, so that they are
// stopped at any point.
TEST(ThreadPool, LoopsDoNotMix) {
    ThreadPool pool(6);
    std::mt19937 random(7);
    std::vector<int> values;
    for (int round = 0; round < 4000; ++round) {
        const auto count = static_cast<int64_t>(random() % 40), grain = static_cast<int64_t>(1 + random() % 4);
        values.assign(static_cast<size_t>(count), 0);
        int* out = values.data();
        const auto fill = [out, round](int64_t begin, int64_t end) { std::fill(out + begin, out + end, round); };
        const auto add = [out, round, count](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) out[count - 1 - i] += round;
        };
        if (round % 2) pool.parallel_for(count, grain, fill);
        if (round % 2 == 0) pool.parallel_for(count, grain, add);
        ASSERT_EQ(std::count(values.begin(), values.end(), round), count);
        for (auto i = random() % 64 ? 0 : random() % 500; i > 0; --i) std::this_thread::yield();
    }
}

TEST(ThreadPool, CallersTakeTurns) {
    ThreadPool pool(3);
    std::atomic<int> callers = 0;
    const auto use_pool = [&] {
        ++callers;
        while (callers < 4) std::this_thread::yield();
        for (int round = 0; round < 2000; ++round) {
            std::atomic<int64_t> sum = 0;
            pool.parallel_for(100, 7, [&](int64_t begin, int64_t end) {
                sum += end - begin;
                if (round % 16 == 0) std::this_thread::yield();
            });
            ASSERT_EQ(sum, 100);
        }
    };
    std::vector<std::thread> others;
    for (int i = 0; i < 3; ++i) others.emplace_back(use_pool);
    use_pool();
    for (std::thread& other : others) other.join();
}

TEST(ThreadPool, ABodyMayUseAnotherPool) {
    ThreadPool outer(3), inner(2);
    std::atomic<int64_t> sum = 0;
    outer.parallel_for(20, 1, [&](int64_t, int64_t) {
        inner.parallel_for(10, 3, [&](int64_t begin, int64_t end) { sum += end - begin; });
    });
    EXPECT_EQ(sum, 200);
}

TEST(ThreadPoolDeathTest, ALoopInsideItsOwnBodyIsAProgrammerError) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            ThreadPool pool(2);
            pool.parallel_for(2, 1, [&](int64_t, int64_t) { pool.parallel_for(1, 1, [](int64_t, int64_t) {}); });
        },
        "running_in");
    EXPECT_DEATH(
        {
            ThreadPool pool(2);
            const auto caller = std::this_thread::get_id();
            with_all_threads(pool, [&] {
                if (std::this_thread::get_id() != caller) pool.parallel_for(1, 1, [](int64_t, int64_t) {});
            });
        },
        "running_in");
}

TEST(ThreadPool, WaitsForTheSlowestWorker) {
    ThreadPool pool(2);
    const auto caller = std::this_thread::get_id();
    bool written = false;
    with_all_threads(pool, [&] {
        if (std::this_thread::get_id() == caller) return;
        for (int i = 0; i < 20000; ++i) std::this_thread::yield();
        written = true;
    });
    EXPECT_TRUE(written);
}

// Idle is idle (I8), and a waiting caller leaves its core to the worker it waits for.
TEST(ThreadPool, ACallerThatWaitsLongSleepsAndIsWoken) {
    ThreadPool pool(2);
    for (int round = 0; round < 5; ++round) {
        const auto caller = std::this_thread::get_id();
        with_all_threads(pool, [&] {
            if (std::this_thread::get_id() != caller) wait_until_asleep(1);
        });
    }
}

// The last chunk ends about when the caller gives up to spin: a wake that falls between its last look and its sleep
// must not be lost.
TEST(ThreadPool, ACallerThatGoesToSleepIsWoken) {
    ThreadPool pool(2);
    std::mt19937 random(11);
    const auto caller = std::this_thread::get_id();
    for (int round = 0; round < 4000; ++round) {
        const auto length = static_cast<int>(random() % 60000);
        with_all_threads(pool, [&] {
            std::atomic<int> i = 0;
            while (std::this_thread::get_id() != caller && i < length) i.store(i + 1, std::memory_order_relaxed);
        });
    }
}

TEST(ThreadPool, IdleWorkersSleepAndAreWoken) {
    ThreadPool pool(4);
    for (int round = 0; round < 5; ++round) {
        wait_until_asleep(3);
        with_all_threads(pool, [] {});
    }
    wait_until_asleep(3);
    pool.parallel_for(1, 1, [](int64_t, int64_t) {});  // wakes nobody: nobody is needed
    wait_until_asleep(3);
}

TEST(ThreadPool, EndsWhateverItsWorkersDo) {
    for (int i = 0; i < 100; ++i) {
        ThreadPool unused(4);
        ThreadPool awake(4);
        awake.parallel_for(100, 1, [](int64_t, int64_t) {});
    }
    auto asleep = std::make_unique<ThreadPool>(4);
    wait_until_asleep(3);
    asleep.reset();
}

#if !__has_feature(thread_sanitizer)  // it puts signals off
std::atomic<bool> held = false, release = false;

// A worker that has not yet taken a chunk (here a signal handler keeps it) is not waited for, and does no harm to the
// loops that it missed when it comes.
TEST(ThreadPool, AWorkerThatDoesNotComeIsNotWaitedFor) {
    ThreadPool pool(2);
    const auto caller = gettid();
    std::atomic<pid_t> worker = 0;
    std::signal(SIGUSR1, [](int) {
        held = true;
        while (!release) {
        }
    });
    for (int round = 0; round < 20; ++round) {
        with_all_threads(pool, [&] {
            if (gettid() != caller) worker = gettid();
        });
        if (round % 2) wait_until_asleep(1);
        held = release = false;
        syscall(SYS_tgkill, getpid(), worker.load(), SIGUSR1);
        while (!held) std::this_thread::yield();
        for (int64_t count = 0; count < 100; ++count) check_loop(pool, count, 3);
        release = true;
        for (int64_t count = 0; count < 100; ++count) check_loop(pool, count, 3);
    }
    std::signal(SIGUSR1, SIG_DFL);
}
#endif

#if defined(__x86_64__)
TEST(ThreadPool, BodiesRunInTheDefaultFloatingPointMode) {
    const unsigned original = _mm_getcsr();
    _mm_setcsr(0x9fc0 | 0x6000);  // flush to zero, denormals are zero, round towards zero
    ThreadPool pool(3);           // threads inherit this
    std::atomic<int> wrong = 0;
    with_all_threads(pool, [&] { wrong += (_mm_getcsr() & 0xffc0u) != 0x1f80; });
    const unsigned after = _mm_getcsr();
    _mm_setcsr(original);
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(after & 0xffc0u, 0xffc0u);
}
#endif

}  // namespace
}  // namespace godwit
