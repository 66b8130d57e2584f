#include "base/thread_pool.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "base/thread_count.hpp"

namespace godwit {
namespace {

TEST(ThreadPool, TakesEveryElementOnceInTheDocumentedChunks) {
    for (int threads : {1, 2, 4}) {
        ThreadPool pool(threads);
        EXPECT_EQ(pool.size(), threads);
        for (int64_t count : {0, 1, 7, 64, 1000})
            for (int64_t grain : {int64_t{1}, int64_t{3}, int64_t{64}, std::numeric_limits<int64_t>::max()}) {
                std::vector<std::atomic<int>> taken(static_cast<size_t>(count));
                pool.parallel_for(count, grain, [&](int64_t begin, int64_t end) {
                    EXPECT_EQ(begin % grain, 0);
                    EXPECT_EQ(end, begin + std::min(grain, count - begin));
                    for (int64_t i = begin; i < end; ++i) ++taken[static_cast<size_t>(i)];
                });
                for (const auto& n : taken) EXPECT_EQ(n, 1);
            }
    }
}

TEST(ThreadPool, WorkersTakePart) {
    ThreadPool pool(3);
    std::mutex mutex;
    std::set<std::thread::id> ids;
    std::atomic<int> inside = 0;
    pool.parallel_for(3, 1, [&](int64_t, int64_t) {  // no chunk ends before all three run
        ++inside;
        while (inside < 3) std::this_thread::yield();
        std::lock_guard lock(mutex);
        ids.insert(std::this_thread::get_id());
    });
    EXPECT_EQ(ids.size(), 3u);
    EXPECT_TRUE(ids.contains(std::this_thread::get_id()));
}

// Plain memory written by one loop is read by the next and by the caller: TSan sees a missing hand-over.
TEST(ThreadPool, ManyShortLoopsHandOverTheirResults) {
    ThreadPool pool(4);
    std::vector<int64_t> values(64, 0);
    for (int round = 0; round < 3000; ++round)
        pool.parallel_for(64, 8, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) values[static_cast<size_t>(i)] += i;
        });
    for (int64_t i = 0; i < 64; ++i) EXPECT_EQ(values[static_cast<size_t>(i)], 3000 * i);
}

TEST(ThreadPool, CallersTakeTurns) {
    ThreadPool pool(3);
    const auto use_pool = [&pool] {
        for (int round = 0; round < 1000; ++round) {
            std::atomic<int64_t> sum = 0;
            pool.parallel_for(100, 7, [&](int64_t begin, int64_t end) { sum += end - begin; });
            ASSERT_EQ(sum, 100);
        }
    };
    std::thread other(use_pool);
    use_pool();
    other.join();
}

TEST(ThreadPool, StartsAndStopsWithoutWork) {
    for (int i = 0; i < 100; ++i) ThreadPool pool(4);
}

TEST(ThreadPoolDeathTest, ALoopInsideItsOwnBodyIsAProgrammerError) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            ThreadPool pool(2);
            pool.parallel_for(2, 1, [&](int64_t, int64_t) { pool.parallel_for(1, 1, [](int64_t, int64_t) {}); });
        },
        "running_in");
}

TEST(ThreadPool, WaitsForTheSlowestWorker) {
    ThreadPool pool(2);
    const auto caller = std::this_thread::get_id();
    std::atomic<int> inside = 0;
    bool written = false;
    pool.parallel_for(2, 1, [&](int64_t, int64_t) {
        ++inside;
        while (inside < 2) std::this_thread::yield();
        if (std::this_thread::get_id() == caller) return;
        for (int i = 0; i < 20000; ++i) std::this_thread::yield();
        written = true;
    });
    EXPECT_TRUE(written);
}

/// For each thread of this process: its state and how often it went to sleep or was stopped.
std::vector<std::string> thread_states() {
    std::vector<std::string> states;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream file(task.path() / "status");
        std::string state;
        for (std::string line; std::getline(file, line);)
            if (line.starts_with("State:") || line.find("ctxt_switches:") != std::string::npos) state += line;
        states.push_back(state);
    }
    return states;
}

// Idle is idle (I8): every worker ends up asleep, and stays so. Were one to spin or to look around from time to time,
// this test would run into its time limit.
TEST(ThreadPool, IdleWorkersSleep) {
    ThreadPool pool(4);
    pool.parallel_for(100, 1, [](int64_t, int64_t) {});
    for (std::vector<std::string> before, after;;) {
        before = thread_states();
        for (int i = 0; i < 100000; ++i) std::this_thread::yield();
        after = thread_states();
        int asleep = 0;
        for (size_t i = 0; i < std::min(before.size(), after.size()); ++i)
            asleep += after[i].starts_with("State:\tS") && after[i] == before[i];
        if (asleep >= 3) break;
    }
}

#if defined(__x86_64__)
TEST(ThreadPool, BodiesRunInTheDefaultFloatingPointMode) {
    const unsigned original = _mm_getcsr();
    _mm_setcsr(0x9fc0 | 0x6000);  // flush to zero, denormals are zero, round towards zero
    ThreadPool pool(3);           // threads inherit this
    std::atomic<int> wrong = 0, inside = 0;
    pool.parallel_for(3, 1, [&](int64_t, int64_t) {
        ++inside;
        while (inside < 3) std::this_thread::yield();
        wrong += (_mm_getcsr() & 0xffc0u) != 0x1f80;
    });
    const unsigned after = _mm_getcsr();
    _mm_setcsr(original);
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(after & 0xffc0u, 0xffc0u);
}
#endif

class ThreadCount : public testing::Test {
protected:
    ThreadCount() : root_(std::filesystem::temp_directory_path() / ("godwit-" + std::to_string(getpid()))) {}
    ~ThreadCount() override { std::filesystem::remove_all(root_); }
    void write(const std::string& path, const std::string& text) {
        std::filesystem::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path) << text;
    }
    int count() { return default_thread_count(root_.string()); }

    std::filesystem::path root_;
};

TEST_F(ThreadCount, WithoutQuotaItIsTheAffinityMask) {
    cpu_set_t mask;
    ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
    EXPECT_EQ(count(), CPU_COUNT(&mask));
    write("proc/self/cgroup", "0::/\n");
    write("sys/fs/cgroup/cpu.max", "max 100000\n");
    EXPECT_EQ(count(), CPU_COUNT(&mask));
    EXPECT_GE(default_thread_count(), 1);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int i = 0; CPU_COUNT(&one) == 0; ++i)
        if (CPU_ISSET(i, &mask)) CPU_SET(i, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(count(), 1);
    sched_setaffinity(0, sizeof mask, &mask);
}

TEST_F(ThreadCount, QuotasOfBothVersionsCount) {
    if (count() < 2) GTEST_SKIP() << "one core: no quota can be smaller";
    write("proc/self/cgroup", "0::/a/b\n");
    write("sys/fs/cgroup/a/cpu.max", "190000 100000\n");  // an ancestor; part of a core is not counted
    write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    EXPECT_EQ(count(), 1);
    write("sys/fs/cgroup/a/cpu.max", "50000 100000\n");
    EXPECT_EQ(count(), 1);
    write("proc/self/cgroup", "3:memory:/x\n1:cpu,cpuacct:/x\n");
    EXPECT_GE(count(), 2);
    write("sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n");
    write("sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "-1\n");
    EXPECT_GE(count(), 2);
    write("sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "100000\n");
    EXPECT_EQ(count(), 1);
}

TEST_F(ThreadCount, OddContentsAreNoQuota) {
    const int all = count();
    write("proc/self/cgroup", "0::/../..//a\nnonsense\n:\n::\n1:cpu:/\n");
    write("sys/fs/cgroup/cpu.max", "-1 0");
    write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "99999999999999999999");
    EXPECT_EQ(count(), all);
}

}  // namespace
}  // namespace godwit
