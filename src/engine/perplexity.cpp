#include "engine/perplexity.hpp"

#include <algorithm>

namespace godwit {
namespace {

/// −log softmax(logits)[target], in double.
double negative_log_likelihood(std::span<const float> logits, TokenId target) {
    double maximum = *std::max_element(logits.begin(), logits.end()), sum = 0;
    for (float logit : logits) sum += std::exp(double{logit} - maximum);
    return std::log(sum) + maximum - double{logits[target]};
}

}  // namespace

Result<PerplexityScore> score_text(Solo& solo, const Tokenizer& tokenizer, std::string_view text, int64_t chunk,
                                   const std::function<void(int64_t, int64_t, const PerplexityScore&)>& progress) {
    if (chunk < 4) return error("context: a chunk of {} tokens is too short to be scored (4 at least)", chunk);
    if (chunk > solo.context())
        return error("context: a chunk of {} tokens does not fit into the model's context of {}", chunk,
                     solo.context());
    std::vector<TokenId> ids = tokenizer.encode(text, Specials::None);
    const std::vector<TokenId>& prefix = tokenizer.prefix();
    ids.insert(ids.begin(), prefix.begin(), prefix.end());
    auto chunks = static_cast<int64_t>(ids.size()) / chunk;
    if (chunks < 2)
        return error("the text has {} tokens, but at least {} are needed (give a longer text or a smaller --context)",
                     ids.size(), 2 * chunk);
    PerplexityScore score;
    for (int64_t c = 0; c < chunks; ++c) {
        std::vector<TokenId> part(ids.begin() + c * chunk, ids.begin() + (c + 1) * chunk);
        std::copy_n(prefix.begin(), std::min(prefix.size(), part.size()), part.begin());
        solo.clear();
        TRY(solo.extend_all(part, [&](int64_t i, std::span<const float> logits) {
            if (i < chunk / 2 || i > chunk - 2) return;
            score.nll += negative_log_likelihood(logits, ids[c * chunk + i + 1]);
            ++score.tokens;
        }));
        if (!std::isfinite(score.nll)) return error("the model's logits are not finite (NaN or infinite weights?)");
        if (progress) progress(c + 1, chunks, score);
    }
    return score;
}

}  // namespace godwit
