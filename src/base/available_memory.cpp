#include "base/available_memory.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include "base/control_groups.hpp"
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

/// The number after `name` at the beginning of a line: "MemAvailable:   20391848 kB", "inactive_file 4096".
std::optional<uint64_t> number_of(const fs::path& path, std::string_view name) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(name)) return number(std::string_view(line).substr(name.size()));
    return std::nullopt;
}

/// What a group leaves, its page cache that the kernel would drop first counted as free; no limit where it says "max"
/// or is not there.
uint64_t left_by(const ControlGroup& group) {
    auto limit = number(first_line(group.folder / (group.v2 ? "memory.max" : "memory.limit_in_bytes")));
    auto used = number(first_line(group.folder / (group.v2 ? "memory.current" : "memory.usage_in_bytes")));
    auto cached = number_of(group.folder / "memory.stat", group.v2 ? "inactive_file " : "total_inactive_file ");
    if (!limit) return kNoLimit;
    uint64_t needed = used.value_or(0) - std::min(used.value_or(0), cached.value_or(0));
    return *limit - std::min(*limit, needed);
}

}  // namespace

uint64_t available_memory(const std::string& root) {
    uint64_t least = number_of(fs::path(root) / "proc/meminfo", "MemAvailable:").value_or(0) << 10;
    if (least == 0) return 0;
    for (const ControlGroup& group : control_groups(root, "memory")) least = std::min(least, left_by(group));
    return least;
}

}  // namespace godwit
