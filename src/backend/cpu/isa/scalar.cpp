#include "backend/cpu/isa/scalar.hpp"

#include "backend/cpu/kernels/table.hpp"

namespace godwit::cpu {

constinit const Kernels kScalarKernels = make_kernels<Scalar>("scalar");

}  // namespace godwit::cpu
