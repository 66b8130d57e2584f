// How well a model predicts a text, scored as llama-perplexity does so that figures compare: chunks from an empty
// context, BOS in the first place if the model adds one, the second half of each chunk scored against the tokens of the
// text, what is left over dropped.
#pragma once

#include <cmath>
#include <functional>
#include <string_view>

#include "engine/solo.hpp"

namespace godwit {

struct PerplexityScore {
    double nll = 0;  // summed negative log-likelihood
    int64_t tokens = 0;

    double mean_nll() const { return nll / static_cast<double>(tokens); }
    double perplexity() const { return std::exp(mean_nll()); }
};

/// `progress` (may be empty) is called after each chunk of `chunk` tokens. Errors: fewer than two chunks, a chunk
/// longer than the context, logits that are not finite.
Result<PerplexityScore> score_text(
    Solo& solo, const Tokenizer& tokenizer, std::string_view text, int64_t chunk,
    const std::function<void(int64_t done, int64_t chunks, const PerplexityScore&)>& progress);

}  // namespace godwit
