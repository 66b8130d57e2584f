// How many threads this process may keep busy.
#pragma once

#include <string>

namespace godwit {

/// Cores that the affinity mask and the CPU quotas of the control groups (v1 and v2, all ancestors) leave to this
/// process: part of a core is not counted, at least 1. `root` is the folder under which proc/ and sys/ are looked up.
int default_thread_count(const std::string& root = "/");

}  // namespace godwit
