// Row arithmetic that more than one op needs.
#pragma once

#include <cstdint>
#include <span>

namespace godwit::reference {

/// out[r] = in[r] × (1 / sqrt(mean(in[r]²) + epsilon)) × weight + residual[r]. weight [columns] and residual may be
/// null; out may be in.
void rms_norm_rows(const float* in, int64_t rows, int64_t columns, const float* weight, float epsilon,
                   const float* residual, float* out);

/// out = exp(in − max) / sum(exp(in − max)) over `count` elements; out may be in.
void softmax_row(const float* in, int64_t count, float* out);

/// The order of argmax, top_k and route: the greater value first, the lower place on ties, NaN after everything.
bool ranks_before(const float* values, int32_t a, int32_t b);

/// Moves the k first places in that order to the front of `places`, best first.
void rank_first(const float* values, std::span<int32_t> places, int64_t k);

}  // namespace godwit::reference
