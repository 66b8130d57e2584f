// What a model's author recommends for sampling (Hugging Face's generation_config.json, in GGUF the keys
// general.sampling.*).
#pragma once

#include <string>
#include <vector>

#include "file/metadata.hpp"
#include "godwit/types.hpp"

namespace godwit {

struct SamplingDefaults {
    SamplingParams params;              // pass validate()
    std::vector<std::string> warnings;  // a line for each recommendation that is not followed, with its key and why
};

/// The built-in defaults with the file's recommendations in their place. One that is of a wrong type, out of range or
/// unknown here is left out with a warning: it never keeps a model from running.
SamplingDefaults read_sampling_defaults(const Metadata& metadata);

}  // namespace godwit
