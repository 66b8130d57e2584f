#include "backend/cpu/isa/avx2.hpp"

#include "backend/cpu/kernels/table.hpp"

namespace godwit::cpu {

constinit const Kernels kAvx2Kernels = make_kernels<Avx2>("avx2");

}  // namespace godwit::cpu
