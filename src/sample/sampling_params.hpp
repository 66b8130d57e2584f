// How tokens are chosen: the parameters of one request.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace godwit {

/// In the order in which they act. The defaults change nothing: the token is drawn from softmax(logits).
struct SamplingParams {
    /// (token, bias): added to the logit; clamped to -100 … 100. A token named twice gets both.
    std::vector<std::pair<int32_t, float>> logit_bias;
    /// Tokens of prompt and output: logits > 0 are divided by it, others multiplied. 0.01 … 100, 1 is off.
    float repetition_penalty = 1;
    /// Subtracted from the logit once for each time that the token is in the output. -2 … 2.
    float frequency_penalty = 0;
    /// Subtracted once from the logits of all tokens of the output. -2 … 2.
    float presence_penalty = 0;
    /// Divides the logits. 0 … 100; 0 is greedy: the largest logit, the lowest id among equal ones.
    float temperature = 1;
    /// The k most probable tokens stay; among equal ones at the cut those with the lowest ids. 0 is off.
    int32_t top_k = 0;
    /// The fewest most probable tokens stay whose probabilities add up to top_p; at least one. 0 … 1, 1 is off.
    float top_p = 1;
    /// Tokens stay that are at least min_p times as probable as the most probable one. 0 … 1, 0 is off.
    float min_p = 0;
    uint64_t seed = 0;
    /// How many of the most probable tokens to report with their logprobs. -1: none, nor the chosen one's.
    int32_t top_logprobs = -1;
};

/// Errors name the field and its range. `vocabulary_size`: logits per row.
Result<void> validate(const SamplingParams& params, int32_t vocabulary_size);

}  // namespace godwit
