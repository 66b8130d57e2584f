// From a row of logits to a token: bias → penalties → temperature → top-k → top-p → min-p → draw.
// A choice depends on the logits, the parameters, the tokens seen, and (seed, choice, position): on nothing else,
// whatever is sampled beside it or in which order (invariant I1). Own exp and log, fixed orders of summation (I2).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "sample/sampling_params.hpp"

namespace godwit {

struct Sample {
    int32_t token = -1;
    /// Log-softmax of the raw logits at `token`; 0 if top_logprobs is -1.
    float logprob = 0;
    /// The top_logprobs most probable tokens of the raw logits, best first, equal ones by id; those with logit -inf
    /// are left out. Lies in the scratch: valid until its next use.
    std::span<const TokenLogprob> top;
};

/// Buffers of Sampler::sample, kept so that it does not allocate. One thread, any number of samplers.
struct SampleScratch {
    struct Candidate {
        float logit;  // after bias and penalties
        int32_t token;
        float weight;  // probability relative to the most probable token
    };
    std::vector<float> logits;
    std::vector<Candidate> candidates;
    std::vector<TokenLogprob> top;
};

/// A token that was not drawn, with its logprob and the most probable ones; of `logits` as Sampler::sample takes them.
/// Errors as there. `top_logprobs` ≥ 0; `position` only names the row in the error.
Result<Sample> score(std::span<const float> logits, int32_t token, int32_t top_logprobs, uint64_t position,
                     SampleScratch& scratch);

/// The sampling of one sequence: its parameters and the tokens it has seen. A copy (a fork) goes on with both.
/// Threads: a value; sample() is const.
class Sampler {
public:
    /// `params` have passed validate().
    Sampler(SamplingParams params, int32_t vocabulary_size);

    int32_t top_logprobs() const { return params_->top_logprobs; }

    /// Tokens for the penalties: those of the prompt (at any time, in any number of calls), or one of the output.
    void accept_prompt(std::span<const int32_t> tokens);
    void accept(int32_t token);
    /// Room for this many more tokens of the output: accept() will not allocate. A copy has none.
    void reserve(int64_t tokens);

    /// Chooses the token of the row `logits` [vocabulary]. `choice`: which of a request's parallel answers;
    /// `position`: of the chosen token in its sequence. A logit of -inf bans its token.
    /// Errors: a logit is NaN or +inf; all are -inf.
    Result<Sample> sample(std::span<const float> logits, uint32_t choice, uint64_t position,
                          SampleScratch& scratch) const;

private:
    struct Seen {
        int32_t token;
        int32_t in_output;  // how often; 0: in the prompt only
    };

    bool has_penalties() const;
    void apply_bias_and_penalties(std::span<float> logits) const;
    int32_t draw(double random, SampleScratch& scratch) const;

    std::shared_ptr<const SamplingParams> params_;  // forks share it
    int32_t vocabulary_size_;
    std::vector<Seen> seen_;  // ascending tokens; empty without penalties
};

}  // namespace godwit
