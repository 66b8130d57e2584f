// The parameters of sampling (godwit/types.hpp), checked.
#pragma once

#include <cstdint>

#include "base/result.hpp"

namespace godwit {

/// Errors name the field and its range. `vocabulary_size`: logits per row.
Result<void> validate(const SamplingParams& params, int32_t vocabulary_size);

}  // namespace godwit
