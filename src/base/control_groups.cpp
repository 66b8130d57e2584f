#include "base/control_groups.hpp"

#include <fmt/format.h>

#include <fstream>

namespace godwit {

namespace fs = std::filesystem;

std::vector<ControlGroup> control_groups(const std::string& root, std::string_view controller) {
    std::vector<ControlGroup> groups;
    // Lines "hierarchy:controllers:path"; one without controllers is that of version 2.
    std::ifstream lines(fs::path(root) / "proc/self/cgroup");
    for (std::string line; std::getline(lines, line);) {
        const size_t first = line.find(':');
        const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const auto controllers = fmt::format(",{},", std::string_view(line).substr(first + 1, second - first - 1));
        const bool v2 = controllers == ",,";
        if (!v2 && controllers.find(fmt::format(",{},", controller)) == std::string::npos) continue;
        fs::path folder = fs::path(root) / "sys/fs/cgroup";
        if (!v2) folder /= controller;
        groups.push_back({folder, v2});
        for (const fs::path& part : fs::path(line.substr(second + 1)).relative_path())
            groups.push_back({folder /= part, v2});
    }
    return groups;
}

}  // namespace godwit
