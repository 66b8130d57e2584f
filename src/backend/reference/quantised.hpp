// Products of quantised weights, the specification in plain loops (docs/numerics.md): activations rounded to 8 bits in
// groups, exact integer sums inside a block, and one order of f32 steps over the blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backend/activation_blocks.hpp"
#include "tensor/dtype.hpp"

namespace godwit::reference {

/// Rounds blocks × 32 (256) activations.
void quantise(const float* in, int64_t blocks, Block32* out);
void quantise(const float* in, int64_t blocks, Block256* out);

/// True for the types whose products are defined on rounded activations: Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K,
/// Q6_K.
bool has_quantised_product(DType dtype);

/// One row of activations in the form that `dtype` wants; zero or more elements, whole blocks.
class QuantisedRow {
public:
    QuantisedRow(DType dtype, const float* in, int64_t elements);

    /// dot(row of weights, this row).
    float dot(DType dtype, const std::byte* weights) const;

private:
    std::vector<Block32> blocks32_;
    std::vector<Block256> blocks256_;
};

}  // namespace godwit::reference
