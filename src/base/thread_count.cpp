#include "base/thread_count.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/first_line.hpp"

namespace godwit {
namespace {

namespace fs = std::filesystem;

/// The CPUs of the affinity mask.
std::vector<int> allowed_cpus() {
    constexpr int kMaxCpus = 8192;
    cpu_set_t* set = CPU_ALLOC(kMaxCpus);
    const size_t bytes = CPU_ALLOC_SIZE(kMaxCpus);
    std::vector<int> cpus;
    if (set && sched_getaffinity(0, bytes, set) == 0)
        for (int cpu = 0; cpu < kMaxCpus; ++cpu)
            if (CPU_ISSET_S(cpu, bytes, set)) cpus.push_back(cpu);
    CPU_FREE(set);
    return cpus;
}

std::optional<int64_t> number(std::string_view text) {
    int64_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// Microseconds of CPU per period; nothing (INT_MAX) where the quota is "max", -1 or not readable.
int cores_of(std::string_view quota, std::string_view period) {
    const auto q = number(quota), p = number(period);
    if (!q || !p || *q <= 0 || *p <= 0) return INT_MAX;
    return static_cast<int>(std::clamp<int64_t>(*q / *p, 1, INT_MAX));
}

int v2_limit(const fs::path& group) {
    const std::string line = first_line(group / "cpu.max");  // "200000 100000" or "max 100000"
    const size_t space = std::min(line.find(' '), line.size());
    return cores_of(std::string_view(line).substr(0, space),
                    std::string_view(line).substr(std::min(space + 1, line.size())));
}

int v1_limit(const fs::path& group) {
    return cores_of(first_line(group / "cpu.cfs_quota_us"), first_line(group / "cpu.cfs_period_us"));
}

/// The smallest limit of `group` (a path as in /proc/self/cgroup) and its ancestors. Inside a container the path may
/// name folders of the host that are not visible; then only the ancestors that are there count.
int smallest_limit(const fs::path& mount, const fs::path& group, int limit(const fs::path&)) {
    int smallest = limit(mount);
    fs::path folder = mount;
    for (const fs::path& part : group.relative_path()) smallest = std::min(smallest, limit(folder /= part));
    return smallest;
}

}  // namespace

int physical_core_count(const std::string& root) {
    std::set<std::string> cores;
    for (int cpu : allowed_cpus()) {
        // The CPUs of its core: the same text for each of them. The second name is that of kernels before 5.3.
        const fs::path topology = fs::path(root) / fmt::format("sys/devices/system/cpu/cpu{}/topology", cpu);
        std::string core = first_line(topology / "core_cpus_list");
        if (core.empty()) core = first_line(topology / "thread_siblings_list");
        cores.insert(core.empty() ? fmt::format("{}", cpu) : core);
    }
    return std::max(static_cast<int>(cores.size()), 1);
}

int default_thread_count(const std::string& root) {
    int count = physical_core_count(root);
    const fs::path mount = fs::path(root) / "sys/fs/cgroup";
    std::ifstream groups(fs::path(root) / "proc/self/cgroup");  // lines "hierarchy:controllers:path"
    for (std::string line; std::getline(groups, line);) {
        const size_t first = line.find(':');
        const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers =
            fmt::format(",{},", std::string_view(line).substr(first + 1, second - first - 1));
        const fs::path group = line.substr(second + 1);
        if (controllers == ",,") count = std::min(count, smallest_limit(mount, group, v2_limit));
        if (controllers.find(",cpu,") != std::string::npos)
            count = std::min(count, smallest_limit(mount / "cpu", group, v1_limit));
    }
    return count;
}

}  // namespace godwit
