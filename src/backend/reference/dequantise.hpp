// Quantised rows to float: the specification of the weight formats, and the oracle of every faster kernel.
// Bit-equal to ggml's reference (PyPI gguf, gguf.quants): the same f32 operations in the same order.
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.hpp"

namespace godwit {

/// True for the types that dequantise_row reads: F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K … Q6_K.
bool can_dequantise(DType dtype);

/// Writes `elements` floats to `out`. `row` holds that many weights of a type that can_dequantise, needs no alignment;
/// `elements` is a whole number of blocks.
void dequantise_row(DType dtype, const std::byte* row, float* out, int64_t elements);

}  // namespace godwit
