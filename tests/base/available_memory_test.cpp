#include "base/available_memory.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "file/temp_dir.hpp"

namespace godwit::test {
namespace {

class AvailableMemory : public testing::Test {
protected:
    void write(const std::string& path, const std::string& text) {
        std::filesystem::create_directories(std::filesystem::path(root.path(path)).parent_path());
        root.write(path, text);
    }
    uint64_t available() { return available_memory(root.path("")); }

    TempDir root;
};

TEST_F(AvailableMemory, IsNotKnownWithoutTheKernelsWord) { EXPECT_EQ(available(), 0u); }

TEST_F(AvailableMemory, IsWhatTheKernelSays) {
    write("proc/meminfo", "MemTotal:       24000000 kB\nMemFree:  1 kB\nMemAvailable:   20391848 kB\n");
    EXPECT_EQ(available(), uint64_t{20391848} * 1024);
    write("proc/self/cgroup", "0::/a/b\n");  // without limits
    EXPECT_EQ(available(), uint64_t{20391848} * 1024);
}

TEST_F(AvailableMemory, IsWhatTheTightestGroupLeaves) {
    write("proc/meminfo", "MemAvailable: 1000 kB\n");
    write("proc/self/cgroup", "1:cpu:/x\n0::/a/b\n");
    write("sys/fs/cgroup/memory.max", "max\n");
    write("sys/fs/cgroup/a/memory.max", "500000\n");
    write("sys/fs/cgroup/a/memory.current", "100000\n");
    write("sys/fs/cgroup/a/b/memory.max", "max\n");
    EXPECT_EQ(available(), 400000u);
    write("sys/fs/cgroup/a/b/memory.max", "3000\n");
    write("sys/fs/cgroup/a/b/memory.current", "5000\n");
    EXPECT_EQ(available(), 0u);
}

TEST_F(AvailableMemory, CountsTheCacheThatTheKernelWouldDrop) {
    write("proc/meminfo", "MemAvailable: 20391848 kB\n");
    write("proc/self/cgroup", "0::/a\n");
    write("sys/fs/cgroup/a/memory.max", "4294967296\n");
    write("sys/fs/cgroup/a/memory.current", "4276945223\n");
    EXPECT_EQ(available(), 4294967296u - 4276945223u);
    write("sys/fs/cgroup/a/memory.stat", "anon 100\nfile 4194304000\ninactive_file 4187593113\nactive_file 6710887\n");
    EXPECT_EQ(available(), 4294967296u - (4276945223u - 4187593113u));
    write("sys/fs/cgroup/a/memory.stat", "inactive_file 9999999999\n");  // the two files are not read at one moment
    EXPECT_EQ(available(), 4294967296u);
}

TEST_F(AvailableMemory, KnowsTheLimitsOfVersion1) {
    write("proc/meminfo", "MemAvailable: 20391848 kB\n");
    write("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/x/y\n0::/z\n");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");  // none
    write("sys/fs/cgroup/memory/memory.usage_in_bytes", "5000000000\n");
    EXPECT_EQ(available(), uint64_t{20391848} * 1024);
    write("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "314572800\n");
    write("sys/fs/cgroup/memory/x/memory.usage_in_bytes", "114572800\n");
    write("sys/fs/cgroup/memory/x/memory.stat", "inactive_file 7\ntotal_inactive_file 14572800\n");
    EXPECT_EQ(available(), 214572800u);
    write("sys/fs/cgroup/memory/x/y/memory.limit_in_bytes", "1000\n");
    write("sys/fs/cgroup/memory/x/y/memory.usage_in_bytes", "400\n");
    EXPECT_EQ(available(), 600u);
    write("proc/self/cgroup", "4:memory:/docker/0123\n");  // a path of the host: the container's own group is the mount
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "5000001000\n");
    EXPECT_EQ(available(), 1000u);
}

TEST(AvailableMemoryHere, IsSomething) { EXPECT_GT(available_memory(), 1u << 20); }

}  // namespace
}  // namespace godwit::test
