#include "backend/cpu/isa/avx512.hpp"

#include "backend/cpu/kernels/table.hpp"

namespace godwit::cpu {

constinit const Kernels kAvx512Kernels = make_kernels<Avx512>("avx512");

}  // namespace godwit::cpu
