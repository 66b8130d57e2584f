// Environment variables.
#pragma once

#include <cstdlib>
#include <string>

namespace godwit {

/// Empty: the variable is not set, or set to nothing.
inline std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

}  // namespace godwit
