// The AVX-512 kernels once more, as every machine can run them.
#include "backend/simde/intrinsics.hpp"

#define kAvx512Kernels kAvx512KernelsSimde
#include "backend/cpu/isa/avx512.cpp"
