// The control groups (cgroups) whose limits this process must keep, found through /proc and /sys.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace godwit {

struct ControlGroup {
    std::filesystem::path folder;  // need not be there: in a container the path may be that of the host
    bool v2 = false;
};

/// Of each hierarchy that governs `controller` ("cpu", "memory"): the group of this process and all its ancestors.
/// `root`: where proc/ and sys/ are found.
std::vector<ControlGroup> control_groups(const std::string& root, std::string_view controller);

}  // namespace godwit
