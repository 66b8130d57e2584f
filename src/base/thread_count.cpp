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
#include <string_view>

namespace godwit {
namespace {

namespace fs = std::filesystem;

int affinity_count() {
    constexpr int kMaxCpus = 8192;
    cpu_set_t* set = CPU_ALLOC(kMaxCpus);
    const size_t bytes = CPU_ALLOC_SIZE(kMaxCpus);
    const int count = set && sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 1;
    CPU_FREE(set);
    return std::max(count, 1);
}

std::string first_line(const fs::path& path) {
    std::string line;
    std::ifstream file(path);
    std::getline(file, line);
    return line;
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

int default_thread_count(const std::string& root) {
    int count = affinity_count();
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
