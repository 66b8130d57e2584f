#include "base/thread_count.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/control_groups.hpp"
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
    for (const ControlGroup& group : control_groups(root, "cpu"))
        count = std::min(count, group.v2 ? v2_limit(group.folder) : v1_limit(group.folder));
    return count;
}

}  // namespace godwit
