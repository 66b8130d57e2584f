// The AVX2 kernels once more, as every machine can run them.
#include "backend/simde/intrinsics.hpp"

#define kAvx2Kernels kAvx2KernelsSimde
#include "backend/cpu/isa/avx2.cpp"
