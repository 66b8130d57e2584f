// SamplingParams that leave the distribution of the model alone, but for what a test says.
#pragma once

#include "sample/sampling_params.hpp"

namespace godwit {

struct RawParams {
    std::vector<std::pair<TokenId, float>> logit_bias{};
    float repetition_penalty = 1, frequency_penalty = 0, presence_penalty = 0;
    float temperature = 1;
    int32_t top_k = 0;
    float top_p = 1, min_p = 0;
    uint64_t seed = 0;
    int32_t top_logprobs = -1;

    operator SamplingParams() const {  // NOLINT: implicit by design
        return {logit_bias, repetition_penalty, frequency_penalty, presence_penalty, temperature, top_k, top_p, min_p,
                seed,       top_logprobs};
    }
};

}  // namespace godwit
