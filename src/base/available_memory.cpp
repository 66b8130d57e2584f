#include "base/available_memory.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include "base/first_line.hpp"

namespace godwit {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

std::optional<uint64_t> number(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    uint64_t value = 0;
    auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    return fault == std::errc() ? std::optional(value) : std::nullopt;
}

/// MemAvailable of /proc/meminfo: "MemAvailable:   20391848 kB".
uint64_t of_machine(const fs::path& root) {
    constexpr std::string_view kName = "MemAvailable:";
    std::ifstream file(root / "proc/meminfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(kName)) return number(std::string_view(line).substr(kName.size())).value_or(0) << 10;
    return 0;
}

/// What a cgroup leaves; no limit where it says "max" or is not there.
uint64_t of_group(const fs::path& group) {
    auto limit = number(first_line(group / "memory.max")), used = number(first_line(group / "memory.current"));
    if (!limit) return kNoLimit;
    return *limit - std::min(*limit, used.value_or(0));
}

}  // namespace

uint64_t available_memory(const std::string& root) {
    uint64_t least = of_machine(root);
    if (least == 0) return 0;
    std::ifstream groups(fs::path(root) / "proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        if (!line.starts_with("0::")) continue;
        fs::path folder = fs::path(root) / "sys/fs/cgroup";
        least = std::min(least, of_group(folder));
        for (const fs::path& part : fs::path(line.substr(3)).relative_path())
            least = std::min(least, of_group(folder /= part));
    }
    return least;
}

}  // namespace godwit
