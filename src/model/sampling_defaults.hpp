// What a model's author recommends for sampling (Hugging Face's generation_config.json, in GGUF the keys
// general.sampling.*).
#pragma once

#include "base/result.hpp"
#include "file/metadata.hpp"
#include "godwit/types.hpp"

namespace godwit {

/// The built-in defaults with the file's in their place. Errors name the key: a wrong type. Ranges are for the sampler
/// to check.
Result<SamplingParams> read_sampling_defaults(const Metadata& metadata);

}  // namespace godwit
