// Which kernel table this machine runs.
#pragma once

#include <string_view>
#include <vector>

#include "backend/cpu/kernels.hpp"
#include "base/result.hpp"

namespace godwit::cpu {

/// The tables that this CPU and its operating system can run, the fastest first; scalar is always there.
std::vector<const Kernels*> runnable_kernels();

/// The fastest, or the one named. Error: no such name, or not runnable here; lists those that are.
Result<const Kernels*> choose_kernels(std::string_view isa);

/// What the environment asks for: GODWIT_ISA, empty without.
std::string_view isa_from_environment();

}  // namespace godwit::cpu
