#include "sample/sampler.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "base/check.hpp"
#include "base/math.hpp"
#include "sample/philox.hpp"

namespace godwit {
namespace {

using Candidate = SampleScratch::Candidate;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();

/// The order of candidates: a larger logit first, the lower id among equal ones. Total, so that cuts are decided.
bool ranks_before(const Candidate& a, const Candidate& b) {
    return a.logit > b.logit || (a.logit == b.logit && a.token < b.token);
}

/// The largest value; none is NaN. Sixteen running maxima: a vector loop, where one would wait for itself.
float largest(std::span<const float> values) {
    std::array<float, 16> lanes;
    lanes.fill(-kInfinity);
    size_t i = 0;
    for (; i + lanes.size() <= values.size(); i += lanes.size())
        for (size_t lane = 0; lane < lanes.size(); ++lane)
            lanes[lane] = lanes[lane] < values[i + lane] ? values[i + lane] : lanes[lane];
    for (; i < values.size(); ++i) lanes[0] = std::max(lanes[0], values[i]);
    return *std::max_element(lanes.begin(), lanes.end());
}

/// The lowest position of the largest value; none is NaN.
int32_t argmax(std::span<const float> values) {
    return static_cast<int32_t>(std::find(values.begin(), values.end(), largest(values)) - values.begin());
}

Result<void> check_logits(std::span<const float> logits, uint64_t position) {
    const auto valid = [](float logit) { return logit < kInfinity; };  // false for NaN
    uint32_t invalid = 0;
    for (float logit : logits) invalid |= !valid(logit);
    if (invalid) {
        const auto bad = std::find_if_not(logits.begin(), logits.end(), valid);
        return error("position {}: the logit of token {} is {} (damaged weights, or an overflow in the model)",
                     position, bad - logits.begin(), *bad);
    }
    if (largest(logits) == -kInfinity) return error("position {}: all logits are -inf (no token is allowed)", position);
    return done();
}

/// All tokens but the banned ones, ascending.
void all_candidates(std::span<const float> logits, std::vector<Candidate>& candidates) {
    candidates.clear();
    for (size_t i = 0; i < logits.size(); ++i)
        if (logits[i] > -kInfinity) candidates.push_back({logits[i], static_cast<int32_t>(i), 0});
}

/// The first `count` tokens of the ranking, in its order, without the banned ones. Keeps a heap of the best so far
/// with the worst of them in front: one comparison for nearly every token.
void top_candidates(std::span<const float> logits, size_t count, std::vector<Candidate>& best) {
    best.clear();
    for (size_t i = 0; i < logits.size(); ++i) {
        if (best.size() == count) {
            if (count == 0 || !(logits[i] > best.front().logit)) continue;
            std::pop_heap(best.begin(), best.end(), ranks_before);
            best.pop_back();
        } else if (logits[i] == -kInfinity) {
            continue;
        }
        best.push_back({logits[i], static_cast<int32_t>(i), 0});
        std::push_heap(best.begin(), best.end(), ranks_before);
    }
    std::sort_heap(best.begin(), best.end(), ranks_before);
}

double total_weight(const std::vector<Candidate>& candidates) {
    double total = 0;
    for (const Candidate& candidate : candidates) total += candidate.weight;
    return total;
}

/// Integers in the order of the floats.
uint32_t order_key(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value + 0.0f);  // -0 becomes 0
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

/// Keeps the candidates that rank first until their probabilities reach `top_p`, in the order in which they stand
/// (equal logits by id). Does not sort: finds the logit of the last one kept digit by digit, in three passes that add
/// up the weights of each value of the digit.
void keep_top_p(std::vector<Candidate>& candidates, float top_p) {
    const double target = top_p * total_weight(candidates);
    double above = 0;                   // weight of what ranks before the logits still searched
    uint32_t last_key = 0, digits = 0;  // the digits found, and their mask
    for (const auto& [shift, count] : {std::pair{21, 2048}, std::pair{10, 2048}, std::pair{0, 1024}}) {
        std::array<double, 2048> weights{};
        for (const Candidate& candidate : candidates) {
            const uint32_t key = order_key(candidate.logit);
            if ((key & digits) == last_key) weights[key >> shift & (count - 1)] += candidate.weight;
        }
        int digit = count - 1;
        for (; digit > 0 && (weights[digit] == 0 || above + weights[digit] < target); --digit) above += weights[digit];
        last_key |= static_cast<uint32_t>(digit) << shift;
        digits |= static_cast<uint32_t>(count - 1) << shift;
    }
    std::erase_if(candidates, [&](const Candidate& candidate) {
        const uint32_t key = order_key(candidate.logit);
        if (key != last_key) return key < last_key;
        if (above > 0 && above >= target) return true;
        above += candidate.weight;
        return false;
    });
}

/// The candidate in whose share of the total weight the point `random` in [0, 1) lies.
int32_t pick(const std::vector<Candidate>& candidates, double random) {
    const double target = random * total_weight(candidates);
    double sum = 0;
    int32_t last = candidates.front().token;
    for (const Candidate& candidate : candidates) {
        if (candidate.weight == 0) continue;
        sum += candidate.weight;
        last = candidate.token;
        if (sum > target) break;
    }
    return last;
}

/// Fills logprob and top of `sample` from the raw logits.
void add_logprobs(std::span<const float> logits, int32_t top_logprobs, SampleScratch& scratch, Sample& sample) {
    const float max = largest(logits);
    double total = 0;
    for (float logit : logits) total += exp_f32(logit - max);
    const float log_total = log_f32(static_cast<float>(total));
    sample.logprob = logits[sample.token] - max - log_total;
    top_candidates(logits, static_cast<size_t>(top_logprobs), scratch.candidates);
    scratch.top.clear();
    for (const Candidate& candidate : scratch.candidates)
        scratch.top.push_back({candidate.token, candidate.logit - max - log_total});
    sample.top = scratch.top;
}

}  // namespace

Result<Sample> score(std::span<const float> logits, int32_t token, int32_t top_logprobs, uint64_t position,
                     SampleScratch& scratch) {
    TRY(check_logits(logits, position));
    Sample sample{.token = token};
    add_logprobs(logits, top_logprobs, scratch, sample);
    return sample;
}

Sampler::Sampler(SamplingParams params, int32_t vocabulary_size) : vocabulary_size_(vocabulary_size) {
    for (auto& [token, bias] : params.logit_bias) bias = std::clamp(bias, -100.0f, 100.0f);
    params_ = std::make_shared<const SamplingParams>(std::move(params));
}

bool Sampler::has_penalties() const {
    return params_->repetition_penalty != 1 || params_->frequency_penalty != 0 || params_->presence_penalty != 0;
}

void Sampler::accept_prompt(std::span<const int32_t> tokens) {
    if (!has_penalties()) return;
    for (int32_t token : tokens) {
        CHECK(token >= 0 && token < vocabulary_size_);
        seen_.push_back({token, 0});
    }
    // Of equal tokens the one with the count stays.
    std::sort(seen_.begin(), seen_.end(), [](const Seen& a, const Seen& b) {
        return a.token < b.token || (a.token == b.token && a.in_output > b.in_output);
    });
    const auto same_token = [](const Seen& a, const Seen& b) { return a.token == b.token; };
    seen_.erase(std::unique(seen_.begin(), seen_.end(), same_token), seen_.end());
}

void Sampler::accept(int32_t token) {
    CHECK(token >= 0 && token < vocabulary_size_);
    if (!has_penalties()) return;
    auto place = std::lower_bound(seen_.begin(), seen_.end(), token,
                                  [](const Seen& seen, int32_t value) { return seen.token < value; });
    if (place == seen_.end() || place->token != token) place = seen_.insert(place, {token, 0});
    ++place->in_output;
}

void Sampler::reserve(int64_t tokens) {
    if (has_penalties()) seen_.reserve(std::min<size_t>(seen_.size() + tokens, vocabulary_size_));
}

void Sampler::apply_bias_and_penalties(std::span<float> logits) const {
    for (const auto& [token, bias] : params_->logit_bias) logits[token] += bias;
    for (const Seen& seen : seen_) {
        float& logit = logits[seen.token];
        if (logit == -kInfinity) continue;  // banned stays banned
        const float scaled = logit > 0 ? logit / params_->repetition_penalty : logit * params_->repetition_penalty;
        const float subtracted = seen.in_output == 0 ? 0.0f
                                                     : static_cast<float>(seen.in_output) * params_->frequency_penalty +
                                                           params_->presence_penalty;
        logit = std::clamp(scaled - subtracted, -kLargest, kLargest);
    }
}

int32_t Sampler::draw(double random, SampleScratch& scratch) const {
    std::vector<Candidate>& candidates = scratch.candidates;
    if (params_->top_k > 0 && params_->top_k < vocabulary_size_)
        top_candidates(scratch.logits, static_cast<size_t>(params_->top_k), candidates);
    else all_candidates(scratch.logits, candidates);
    const float max = largest(scratch.logits);
    // The largest logit has weight 1. Subtracting before dividing keeps small temperatures finite.
    for (Candidate& candidate : candidates) candidate.weight = exp_f32((candidate.logit - max) / params_->temperature);
    if (params_->top_p < 1) keep_top_p(candidates, params_->top_p);
    if (params_->min_p > 0)
        std::erase_if(candidates, [this](const Candidate& candidate) { return candidate.weight < params_->min_p; });
    return pick(candidates, random);
}

Result<Sample> Sampler::sample(std::span<const float> logits, uint32_t choice, uint64_t position,
                               SampleScratch& scratch) const {
    CHECK(std::ssize(logits) == vocabulary_size_);
    TRY(check_logits(logits, position));
    scratch.logits.assign(logits.begin(), logits.end());
    apply_bias_and_penalties(scratch.logits);
    Sample sample;
    sample.token =
        params_->temperature == 0 ? argmax(scratch.logits) : draw(uniform(params_->seed, choice, position, 0), scratch);
    if (params_->top_logprobs >= 0) add_logprobs(logits, params_->top_logprobs, scratch, sample);
    return sample;
}

}  // namespace godwit
