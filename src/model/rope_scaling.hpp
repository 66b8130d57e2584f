// Rotary frequencies and their scalings, resolved once at load (invariant I1: nothing depends on the current length).
#pragma once

#include <span>

#include "base/result.hpp"
#include "model/hyperparameters.hpp"
#include "model/plan.hpp"

namespace godwit {

/// frequency[i] = base^(−2i/dims), unscaled.
std::vector<double> rope_frequencies(int64_t dims, double base);

/// The rope that the file's `rope.*` keys describe: none, linear or yarn scaling; `divisors` [dims/2]
/// (rope_freqs.weight, llama3 scaling) or empty. Errors: unknown scaling type, a key of a scaling that is not
/// understood, a number out of range.
Result<RopePlan> read_rope(const Hyperparameters& keys, int64_t dims, double base, RopePairing pairing,
                           std::span<const float> divisors);

}  // namespace godwit
