#include "base/cpu_features.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <set>
#include <sstream>
#include <string>

#include "base/thread_count.hpp"

namespace godwit {
namespace {

/// The value of the first line of /proc/cpuinfo with this key; empty where there is none.
std::string cpuinfo(const std::string& key) {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(key + "\t")) return line.substr(std::min(line.find(": ") + 2, line.size()));
    return "";
}

TEST(CpuFeatures, AgreeWithTheKernel) {
    std::istringstream words(cpuinfo("flags"));
    std::set<std::string> flags;
    for (std::string word; words >> word;) flags.insert(word);
    if (flags.empty()) GTEST_SKIP() << "no flags in /proc/cpuinfo";
    const auto all = [&flags](std::initializer_list<const char*> names) {
        for (const char* name : names)
            if (!flags.contains(name)) return false;
        return true;
    };
    const CpuFeatures f = detect_cpu_features();
    EXPECT_EQ(f.vendor, cpuinfo("vendor_id"));
    EXPECT_EQ(f.model, cpuinfo("model name"));
    EXPECT_EQ(f.avx2, all({"avx2", "fma", "f16c"}));
    EXPECT_EQ(f.avx512, all({"avx512f", "avx512bw", "avx512vl", "avx512dq"}));
    EXPECT_EQ(f.avx_vnni, all({"avx_vnni"}));
    EXPECT_EQ(f.avx512_vnni, all({"avx512_vnni"}));
    EXPECT_EQ(f.avx512_bf16, all({"avx512_bf16"}));
    EXPECT_EQ(f.avx512_fp16, all({"avx512_fp16"}));
    EXPECT_EQ(f.amx_tile, all({"amx_tile"}));
    EXPECT_EQ(f.amx_int8, all({"amx_int8"}));
    EXPECT_EQ(f.amx_bf16, all({"amx_bf16"}));
    EXPECT_FALSE(f.amx_permitted);  // nobody has asked
    EXPECT_EQ(f.physical_cores, physical_core_count());
}

TEST(CpuFeatures, CachesAsTheKernelListsThem) {
    const auto root = std::filesystem::temp_directory_path() / ("godwit-cpu-" + std::to_string(getpid()));
    const auto cache = [&root](int index, const char* level, const char* type, const char* size) {
        const auto folder = root / "sys/devices/system/cpu/cpu0/cache" / ("index" + std::to_string(index));
        std::filesystem::create_directories(folder);
        std::ofstream(folder / "level") << level << "\n";
        std::ofstream(folder / "type") << type << "\n";
        std::ofstream(folder / "size") << size << "\n";
    };
    cache(0, "1", "Data", "48K");
    cache(1, "1", "Instruction", "32K");
    cache(2, "2", "Unified", "2048K");
    cache(3, "3", "Unified", "99999999999999999999K");
    const CpuFeatures f = detect_cpu_features(root.string());
    EXPECT_EQ(f.l1d_bytes, 48 << 10);
    EXPECT_EQ(f.l2_bytes, 2 << 20);
    EXPECT_EQ(f.l3_bytes, 0);
    cache(3, "3", "Unified", "107520K");
    EXPECT_EQ(detect_cpu_features(root.string()).l3_bytes, 105 << 20);
    std::filesystem::remove_all(root);
    EXPECT_EQ(detect_cpu_features(root.string()).l1d_bytes, 0);
}

TEST(CpuFeatures, Description) {
    EXPECT_EQ(describe(CpuFeatures{}), "unknown CPU, 1 core: none");
    CpuFeatures f;
    f.vendor = "AuthenticAMD";
    f.model = "AMD EPYC";
    f.physical_cores = 2;
    f.l1d_bytes = 48 << 10;
    f.l3_bytes = 32 << 20;
    f.avx2 = f.avx512_vnni = f.amx_bf16 = true;
    EXPECT_EQ(describe(f), "AMD EPYC (AuthenticAMD), 2 cores, L1d 48 KiB, L3 32768 KiB: avx2 avx512_vnni amx_bf16");
}

}  // namespace
}  // namespace godwit
