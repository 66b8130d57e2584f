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

TEST(AvailableMemoryHere, IsSomething) { EXPECT_GT(available_memory(), 1u << 20); }

}  // namespace
}  // namespace godwit::test
