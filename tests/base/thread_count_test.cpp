#include "base/thread_count.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace godwit {
namespace {

/// With a folder of our own in the place of / for all but the affinity mask.
class ThreadCount : public testing::Test {
protected:
    ThreadCount() : root_(std::filesystem::temp_directory_path() / ("godwit-" + std::to_string(getpid()))) {}
    ~ThreadCount() override { std::filesystem::remove_all(root_); }
    void write(const std::string& path, const std::string& text) {
        std::filesystem::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path) << text;
    }
    void write_siblings(int cpu, const std::string& file, const std::string& list) {
        write("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/" + file, list + "\n");
    }
    int count() { return default_thread_count(root_.string()); }

    static std::vector<int> allowed_cpus() {
        cpu_set_t mask;
        EXPECT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
        std::vector<int> cpus;
        for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
            if (CPU_ISSET(cpu, &mask)) cpus.push_back(cpu);
        return cpus;
    }
    static void allow(const std::vector<int>& cpus) {
        cpu_set_t mask;
        CPU_ZERO(&mask);
        for (int cpu : cpus) CPU_SET(cpu, &mask);
        EXPECT_EQ(sched_setaffinity(0, sizeof mask, &mask), 0);
    }

    std::filesystem::path root_;
};

TEST_F(ThreadCount, WithoutMoreToReadItIsTheAffinityMask) {
    const std::vector<int> cpus = allowed_cpus();
    EXPECT_EQ(count(), static_cast<int>(cpus.size()));
    write("proc/self/cgroup", "0::/\n");
    write("sys/fs/cgroup/cpu.max", "max 100000\n");
    EXPECT_EQ(count(), static_cast<int>(cpus.size()));
    EXPECT_GE(default_thread_count(), 1);
    EXPECT_LE(default_thread_count(), static_cast<int>(cpus.size()));
    allow({cpus[0]});
    EXPECT_EQ(count(), 1);
    EXPECT_EQ(default_thread_count(), 1);
    allow(cpus);
}

TEST_F(ThreadCount, HyperthreadsOfACoreCountOnce) {
    const std::vector<int> cpus = allowed_cpus();
    if (cpus.size() < 2) GTEST_SKIP() << "one CPU: no sibling";
    const int n = static_cast<int>(cpus.size());
    const std::string pair = std::to_string(cpus[0]) + "," + std::to_string(cpus[1]);
    for (const char* file : {"thread_siblings_list", "core_cpus_list"}) {  // the second name is preferred
        write_siblings(cpus[0], file, pair);
        write_siblings(cpus[1], file, pair);
        EXPECT_EQ(count(), n - 1) << "the CPUs without a list are cores of their own";
        EXPECT_EQ(physical_core_count(root_.string()), n - 1);
        write_siblings(cpus[0], file, std::to_string(cpus[0]));
        write_siblings(cpus[1], file, std::to_string(cpus[1]));
        EXPECT_EQ(count(), n);
    }
}

TEST_F(ThreadCount, ASiblingOutsideTheMaskTakesNothingAway) {
    const std::vector<int> cpus = allowed_cpus();
    for (int cpu : cpus)
        write_siblings(cpu, "core_cpus_list", std::to_string(cpu) + "," + std::to_string(cpu + CPU_SETSIZE));
    EXPECT_EQ(count(), static_cast<int>(cpus.size()));
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
