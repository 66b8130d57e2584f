// What is drawn, against the exact distribution and against a chain in double that follows the definition by brute
// force.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "sample/philox.hpp"
#include "sample/raw_params.hpp"
#include "sample/sampler.hpp"

namespace godwit {
namespace {

/// The distribution after all filters: (token, probability) in the order in which the sampler walks it, and how close
/// the nearest decision about a cut was.
struct Exact {
    std::vector<std::pair<int32_t, double>> tokens;
    double margin = 1;

    /// The token at `random`, or -1 where rounding may decide.
    int32_t at(double random) const {
        double sum = 0;
        for (const auto& [token, probability] : tokens) {
            if (std::fabs(random - sum - probability) < 1e-6) return -1;
            sum += probability;
            if (random < sum) return token;
        }
        return -1;
    }
};

void normalise(std::vector<std::pair<int32_t, double>>& tokens) {
    double total = 0;
    for (const auto& entry : tokens) total += entry.second;
    for (auto& entry : tokens) entry.second /= total;
}

Exact exact(const RawParams& params, const std::vector<float>& logits) {
    Exact result;
    auto& tokens = result.tokens;
    const double max = *std::max_element(logits.begin(), logits.end());
    for (size_t i = 0; i < logits.size(); ++i)
        tokens.emplace_back(static_cast<int32_t>(i), std::exp((logits[i] - max) / params.temperature));
    const bool top_k = params.top_k > 0 && params.top_k < std::ssize(logits);
    if (top_k || params.top_p < 1)
        std::sort(tokens.begin(), tokens.end(),
                  [](auto& a, auto& b) { return a.second > b.second || (a.second == b.second && a.first < b.first); });
    if (top_k) tokens.resize(params.top_k);
    normalise(tokens);
    if (params.top_p < 1) {
        double sum = 0;
        size_t kept = 0;
        while (kept < tokens.size()) {
            sum += tokens[kept++].second;
            result.margin = std::min(result.margin, std::fabs(sum - params.top_p));
            if (sum >= params.top_p) break;
        }
        tokens.resize(kept);
    }
    const double best =
        std::max_element(tokens.begin(), tokens.end(), [](auto& a, auto& b) { return a.second < b.second; })->second;
    for (const auto& entry : tokens)
        if (params.min_p < 1) result.margin = std::min(result.margin, std::fabs(entry.second / best - params.min_p));
    std::erase_if(tokens, [&](auto& entry) { return entry.second < best * params.min_p; });
    normalise(tokens);
    if (!top_k) std::sort(tokens.begin(), tokens.end());
    return result;
}

std::vector<float> logits_with_ties(size_t size, std::mt19937& random) {
    std::normal_distribution<float> normal(0, 2);
    std::vector<float> logits(size);
    for (float& logit : logits) logit = std::round(normal(random) * 4) / 4;
    return logits;
}

TEST(Distribution, EveryFilterIsTheBruteForceOne) {
    std::mt19937 random(11);
    const auto real = [&random](double low, double high) {
        return static_cast<float>(std::uniform_real_distribution<double>(low, high)(random));
    };
    SampleScratch scratch;
    int compared = 0;
    for (int round = 0; round < 600; ++round) {
        const auto size = static_cast<int32_t>(1 + random() % 400);
        const std::vector<float> logits = logits_with_ties(size, random);
        RawParams params;
        params.seed = random();
        params.temperature = real(0.2, 3);
        if (round & 1) params.top_k = static_cast<int32_t>(1 + random() % 500);
        if (round & 2) params.top_p = real(0.01, 0.999);
        if (round & 4) params.min_p = real(0.001, 0.5);
        const Exact expected = exact(params, logits);
        if (expected.margin < 1e-6) continue;
        const Sampler sampler(params, size);
        for (uint64_t position = 0; position < 200; ++position) {
            const int32_t token = expected.at(uniform(params.seed, 2, position, 0));
            if (token < 0) continue;
            ASSERT_EQ(sampler.sample(logits, 2, position, scratch).value().token, token)
                << "round " << round << " position " << position;
            ++compared;
        }
    }
    EXPECT_GT(compared, 100000);
}

/// Pearson's statistic of 200,000 draws, in standard deviations from its mean.
double deviation(const RawParams& params, const std::vector<float>& logits, uint32_t choices) {
    constexpr int kDraws = 200000;
    const Sampler sampler(params, static_cast<int32_t>(logits.size()));
    SampleScratch scratch;
    std::map<int32_t, int> counts;
    for (int i = 0; i < kDraws; ++i) ++counts[sampler.sample(logits, i % choices, i / choices, scratch).value().token];
    const Exact expected = exact(params, logits);
    double statistic = 0;
    for (const auto& [token, probability] : expected.tokens) {
        statistic += std::pow(counts[token] - kDraws * probability, 2) / (kDraws * probability);
        counts.erase(token);
    }
    EXPECT_TRUE(counts.empty());  // nothing outside the support
    const double freedom = static_cast<double>(expected.tokens.size()) - 1;
    return (statistic - freedom) / std::sqrt(2 * freedom);
}

TEST(Distribution, DrawsFollowTheExactOne) {
    std::mt19937 random(12);
    const std::vector<float> logits = logits_with_ties(50, random);
    EXPECT_LT(std::fabs(deviation({}, logits, 1)), 3);
    EXPECT_LT(std::fabs(deviation({.seed = 1}, logits, 8)), 3);
    EXPECT_LT(std::fabs(deviation({.temperature = 2, .seed = uint64_t{1} << 63}, logits, 1)), 3);
    EXPECT_LT(std::fabs(deviation({.temperature = 0.7f, .top_k = 40, .top_p = 0.95f, .min_p = 0.01f}, logits, 1)), 3);
}

// I1: what is drawn for a row depends neither on the order of the calls nor on what else is drawn with the scratch.
TEST(Distribution, ARowDependsOnNothingElse) {
    std::mt19937 random(13);
    const std::vector<float> logits = logits_with_ties(300, random), other = logits_with_ties(500, random);
    const Sampler sampler(RawParams{.top_p = 0.9f, .seed = 5}, 300);
    const Sampler neighbour(RawParams{.repetition_penalty = 1.5f, .top_k = 7, .top_logprobs = 3}, 500);
    SampleScratch scratch;
    std::vector<int32_t> in_order;
    for (uint64_t position = 0; position < 500; ++position)
        in_order.push_back(sampler.sample(logits, 1, position, scratch).value().token);
    std::vector<uint64_t> positions(500);
    std::iota(positions.begin(), positions.end(), 0);
    std::shuffle(positions.begin(), positions.end(), random);
    for (uint64_t position : positions) {
        ASSERT_TRUE(neighbour.sample(other, 0, position, scratch).ok());
        EXPECT_EQ(sampler.sample(logits, 1, position, scratch).value().token, in_order[position]);
    }
    int same = 0;
    for (uint64_t position = 0; position < 500; ++position)
        same += sampler.sample(logits, 2, position, scratch).value().token == in_order[position];
    EXPECT_LT(same, 250);
}

// Golden choices (I2): the same on every machine and build.
TEST(Distribution, ChoicesAreTheSameEverywhere) {
    std::vector<float> logits(32000);
    for (size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>((i * 2654435761u >> 8) % 4096) * 0x1p-8f;
    SampleScratch scratch;
    uint64_t hash = 0xcbf29ce484222325;
    for (const RawParams& params :
         {RawParams{}, RawParams{.temperature = 1.5f, .top_p = 0.9f, .seed = 7},
          RawParams{.temperature = 0.8f, .top_k = 40, .top_p = 0.95f, .min_p = 0.05f, .seed = 42}})
        for (uint64_t position = 0; position < 50; ++position)
            hash = (hash ^ Sampler(params, 32000).sample(logits, 0, position, scratch).value().token) * 0x100000001b3;
    EXPECT_EQ(hash, 14971012450518593555u);
}

}  // namespace
}  // namespace godwit
