// Kernel tables of instruction sets that the machine at hand may lack, compiled over SIMDe.
#pragma once

#include "backend/cpu/kernels.hpp"

namespace godwit::cpu {

extern const Kernels kAvx2KernelsSimde;
extern const Kernels kAvx512KernelsSimde;

}  // namespace godwit::cpu
