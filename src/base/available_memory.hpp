// How much memory this process could still take without the machine, or its container, running out.
#pragma once

#include <cstdint>
#include <string>

namespace godwit {

/// Bytes: the least of what the kernel calls available and what the control groups (v1 and v2) of this process and
/// their ancestors leave. 0: not known. `root`: where proc/ and sys/ are found.
uint64_t available_memory(const std::string& root = "/");

}  // namespace godwit
