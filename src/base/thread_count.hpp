// How many threads this process may keep busy.
#pragma once

#include <string>

namespace godwit {

/// Physical cores on which the affinity mask lets this process run: hyperthreads of one core count once, and every CPU
/// where the kernel does not say which those are. At least 1. `root` is the folder under which sys/ is looked up.
int physical_core_count(const std::string& root = "/");

/// Those cores, and no more than the CPU quotas of the control groups (v1 and v2, all ancestors) pay for: part of a
/// core is not counted, at least 1. `root` is the folder under which proc/ and sys/ are looked up.
int default_thread_count(const std::string& root = "/");

}  // namespace godwit
