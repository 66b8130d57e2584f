#include "sample/sampling_params.hpp"

#include <cmath>
#include <limits>
#include <string_view>

namespace godwit {
namespace {

template <class Number>
Result<void> in_range(std::string_view field, Number value, Number low, Number high) {
    if (value >= low && value <= high) return done();  // false for NaN
    return error("{}: {} is out of range ({} to {})", field, value, low, high);
}

}  // namespace

Result<void> validate(const SamplingParams& params, int32_t vocabulary_size) {
    if (std::ssize(params.logit_bias) > vocabulary_size)
        return error("logit_bias: {} entries for a vocabulary of {} tokens", params.logit_bias.size(), vocabulary_size);
    for (const auto& [token, bias] : params.logit_bias) {
        if (token < 0 || token >= vocabulary_size)
            return error("logit_bias: token {} is not in the vocabulary (0 to {})", token, vocabulary_size - 1);
        if (std::isnan(bias)) return error("logit_bias: the bias of token {} is not a number (-100 to 100)", token);
    }
    TRY(in_range("repetition_penalty", params.repetition_penalty, 0.01f, 100.0f));
    TRY(in_range("frequency_penalty", params.frequency_penalty, -2.0f, 2.0f));
    TRY(in_range("presence_penalty", params.presence_penalty, -2.0f, 2.0f));
    TRY(in_range("temperature", params.temperature, 0.0f, 100.0f));
    TRY(in_range("top_k", params.top_k, 0, std::numeric_limits<int32_t>::max()));
    TRY(in_range("top_p", params.top_p, 0.0f, 1.0f));
    TRY(in_range("min_p", params.min_p, 0.0f, 1.0f));
    return in_range("top_logprobs", params.top_logprobs, -1, vocabulary_size);
}

}  // namespace godwit
