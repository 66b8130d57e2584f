#include "sample/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <random>

#include "sample/raw_params.hpp"

extern std::atomic<int64_t> allocations;  // count_allocations.cpp

namespace godwit {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Sample sample(const Sampler& sampler, std::span<const float> logits, SampleScratch& scratch, uint64_t position = 0) {
    auto result = sampler.sample(logits, 0, position, scratch);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
    return result.ok() ? result.value() : Sample{};
}

int32_t token(const RawParams& params, const std::vector<float>& logits, uint64_t position = 0) {
    SampleScratch scratch;
    return sample(Sampler(params, static_cast<int32_t>(logits.size())), logits, scratch, position).token;
}

std::string failure(const RawParams& params, const std::vector<float>& logits) {
    SampleScratch scratch;
    auto result = Sampler(params, static_cast<int32_t>(logits.size())).sample(logits, 0, 7, scratch);
    return result.ok() ? "" : result.error().message;
}

std::vector<float> random_logits(size_t size, uint32_t seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, 3);
    std::vector<float> logits(size);
    for (float& logit : logits) logit = normal(random);
    return logits;
}

TEST(Greedy, IsTheLargestLogitTheLowestIdAmongEquals) {
    EXPECT_EQ(token({.temperature = 0}, {1, 5, 3, 5, -1}), 1);
    EXPECT_EQ(token({.temperature = 0}, {-2, -kInfinity, -2}), 0);
    EXPECT_EQ(token({.temperature = 0, .seed = 99}, {0.0f, -0.0f}), 0);
}

TEST(Greedy, OtherParametersDoNothing) {  // G1
    const std::vector<float> logits = random_logits(1000, 1);
    const int32_t best = token({.temperature = 0}, logits);
    EXPECT_EQ(token({.temperature = 0, .top_k = 0, .top_p = 0, .min_p = 1}, logits), best);
    EXPECT_EQ(token({.temperature = 0, .top_k = 5, .top_p = 0.1f, .min_p = 0.9f, .seed = 3}, logits), best);
}

TEST(Greedy, BiasAndPenaltiesAct) {  // G1
    EXPECT_EQ(token({.logit_bias = {{2, 2.5f}}, .temperature = 0}, {1, 3, 1}), 2);
    EXPECT_EQ(token({.logit_bias = {{1, -3e38f}}, .temperature = 0}, {1, 3, 1}), 0);
    EXPECT_EQ(token({.logit_bias = {{2, 3e38f}, {0, 101}}, .temperature = 0}, {1, 3, 1}), 0);  // both are 100
    Sampler sampler(RawParams{.presence_penalty = 2, .temperature = 0}, 3);
    sampler.accept(1);
    SampleScratch scratch;
    EXPECT_EQ(sample(sampler, std::vector<float>{1.5f, 3, 1}, scratch).token, 0);
}

TEST(Penalties, AreThoseComputedByHand) {
    Sampler sampler(RawParams{.logit_bias = {{0, 1.0f}},
                              .repetition_penalty = 2,
                              .frequency_penalty = 0.25f,
                              .presence_penalty = 0.5f,
                              .temperature = 0},
                    6);
    sampler.accept_prompt(std::vector<int32_t>{0, 1, 1, 4});
    for (int32_t id : {3, 1, 3, 3}) sampler.accept(id);
    sampler.accept_prompt(std::vector<int32_t>{3, 5});  // counts of the output stay
    SampleScratch scratch;
    const std::vector<float> logits = {3, -2, 1, 4, 0, -kInfinity};
    sample(sampler, logits, scratch);
    // 0: prompt only, biased first: (3 + 1) / 2.  1: -2 * 2 - 0.25 - 0.5.  3: 4 / 2 - 3 * 0.25 - 0.5.  4: 0 * 2.
    EXPECT_EQ(scratch.logits, (std::vector<float>{2, -4.75f, 1, 0.75f, 0, -kInfinity}));

    Sampler fork = sampler;
    fork.accept(2);
    sample(fork, logits, scratch);
    EXPECT_EQ(scratch.logits, (std::vector<float>{2, -4.75f, -0.25f, 0.75f, 0, -kInfinity}));
    sample(sampler, logits, scratch);
    EXPECT_EQ(scratch.logits[2], 1);
}

TEST(Penalties, NeverLeaveTheFiniteRange) {
    Sampler sampler(RawParams{.repetition_penalty = 0.01f, .temperature = 1}, 3);
    sampler.accept_prompt(std::vector<int32_t>{0});
    SampleScratch scratch;
    EXPECT_EQ(sample(sampler, std::vector<float>{3e38f, 1, 3e38f}, scratch).token, 0);
    EXPECT_EQ(scratch.logits[0], std::numeric_limits<float>::max());
    Sampler other(RawParams{.repetition_penalty = 100, .temperature = 1}, 2);
    other.accept_prompt(std::vector<int32_t>{0});
    EXPECT_EQ(sample(other, std::vector<float>{-3e38f, -kInfinity}, scratch).token, 0);
}

TEST(Filters, ExtremesKeepOneToken) {
    const std::vector<float> logits = random_logits(500, 2);
    const int32_t best = token({.temperature = 0}, logits);
    for (uint64_t position = 0; position < 200; ++position) {
        EXPECT_EQ(token({.top_k = 1}, logits, position), best);
        EXPECT_EQ(token({.top_p = 0}, logits, position), best);
        EXPECT_EQ(token({.min_p = 1}, logits, position), best);
        EXPECT_EQ(token({.temperature = 1e-30f}, logits, position), best);
        EXPECT_EQ(token({.temperature = 1e-45f}, logits, position), best);
    }
}

TEST(Filters, TiesAtTheCutAreDecidedById) {
    const std::vector<float> logits = {1, 2, 1, 2, 1, 2, 1};
    std::vector<int> top_k(7), top_p(7), min_p(7);
    for (uint64_t position = 0; position < 1000; ++position) {
        ++top_k[token({.top_k = 2}, logits, position)];
        ++top_p[token({.top_p = 0.3f}, logits, position)];
        ++min_p[token({.min_p = 1}, logits, position)];
        EXPECT_EQ(token({.top_p = 0}, logits, position), 1);
    }
    for (const auto& counts : {top_k, top_p}) {
        EXPECT_GT(counts[1], 400);
        EXPECT_GT(counts[3], 400);
        EXPECT_EQ(counts[1] + counts[3], 1000);
    }
    EXPECT_EQ(min_p[1] + min_p[3] + min_p[5], 1000);
    EXPECT_GT(min_p[5], 250);
}

TEST(Filters, TopPStopsWhereItIsReached) {
    for (uint64_t position = 0; position < 100; ++position) {
        EXPECT_LT(token({.top_p = 0.5f}, {1, 1, 1, 1}, position), 2);
        EXPECT_EQ(token({.top_p = 0.5f}, {-0.0f, 0.0f}, position), 0);  // equal logits
    }
}

TEST(Filters, OnlyDifferencesOfLogitsCount) {
    std::vector<float> logits = random_logits(300, 6);
    for (float& logit : logits) logit = std::round(logit * 4) / 4;
    std::vector<float> shifted = logits;
    for (float& logit : shifted) logit += 1024;
    SampleScratch scratch;
    const Sampler sampler(RawParams{.top_p = 0.98f, .min_p = 0.001f, .top_logprobs = 0}, 300);
    for (uint64_t position = 0; position < 200; ++position) {
        const Sample a = sample(sampler, logits, scratch, position), b = sample(sampler, shifted, scratch, position);
        EXPECT_EQ(a.token, b.token);
        EXPECT_EQ(a.logprob, b.logprob);
    }
}

TEST(Filters, AHugeTopKIsOff) {  // G3
    const std::vector<float> logits = random_logits(300, 3);
    for (uint64_t position = 0; position < 200; ++position)
        EXPECT_EQ(token({.top_k = 1'000'000'000}, logits, position), token({}, logits, position));
}

TEST(Filters, BannedTokensAreNeverDrawn) {
    std::vector<float> logits(50, -kInfinity);
    logits[17] = -1e30f;
    logits[31] = -1e30f;
    for (const RawParams& params :
         {RawParams{}, RawParams{.top_k = 10}, RawParams{.top_p = 0.9f}, RawParams{.min_p = 0.1f},
          RawParams{.logit_bias = {{3, 100.0f}}}, RawParams{.temperature = 100}})
        for (uint64_t position = 0; position < 100; ++position) {
            const int32_t chosen = token(params, logits, position);
            EXPECT_TRUE(chosen == 17 || chosen == 31) << chosen;
        }
}

TEST(BadLogits, AreAnErrorThatSaysWhere) {  // N1
    for (const RawParams& params :
         {RawParams{}, RawParams{.temperature = 0}, RawParams{.top_k = 2, .top_p = 0.5f, .top_logprobs = 3}}) {
        EXPECT_EQ(failure(params, {1, 2, NAN, 3}),
                  "position 7: the logit of token 2 is nan (damaged weights, or an overflow in the model)");
        EXPECT_EQ(failure(params, {1, kInfinity, -NAN}),
                  "position 7: the logit of token 1 is inf (damaged weights, or an overflow in the model)");
        EXPECT_EQ(failure(params, {-kInfinity, -kInfinity}), "position 7: all logits are -inf (no token is allowed)");
        EXPECT_EQ(failure(params, {-kInfinity, 1, -kInfinity}), "");
        EXPECT_EQ(failure(params, {3.4e38f, -3.4e38f}), "");
    }
}

TEST(Logprobs, AreTheLogSoftmaxOfTheRawLogits) {
    std::vector<float> logits = random_logits(5000, 4);
    logits[10] = -kInfinity;
    logits[4000] = logits[77] = 15;  // equal ones are listed by id
    double total = 0;
    for (float logit : logits) total += std::exp(logit - 15.0);
    // Bias, penalties, temperature and filters change the choice, not the logprobs.
    Sampler sampler(
        RawParams{
            .logit_bias = {{77, -50.0f}}, .presence_penalty = 2, .temperature = 3, .top_k = 50, .top_logprobs = 20},
        5000);
    sampler.accept(4000);
    SampleScratch scratch;
    for (uint64_t position = 0; position < 50; ++position) {
        const Sample result = sample(sampler, logits, scratch, position);
        EXPECT_NEAR(result.logprob, logits[result.token] - 15.0 - std::log(total), 4e-6);
        ASSERT_EQ(result.top.size(), 20u);
        EXPECT_EQ(result.top[0].token, 77);
        EXPECT_EQ(result.top[1].token, 4000);
        EXPECT_EQ(result.top[0].logprob, result.top[1].logprob);
        for (size_t i = 0; i < 20; ++i) {
            const auto [id, logprob] = result.top[i];
            EXPECT_NEAR(logprob, logits[id] - 15.0 - std::log(total), 4e-6);
            const auto larger = std::count_if(logits.begin(), logits.end(), [&](float x) { return x > logits[id]; });
            EXPECT_EQ(larger, i == 1 ? 0 : static_cast<long>(i));
            if (id == result.token) {
                EXPECT_EQ(logprob, result.logprob);
            }
        }
    }
}

TEST(Logprobs, ListsAreAsLongAsAskedButWithoutBannedTokens) {
    const std::vector<float> logits = {1, -kInfinity, 3, 2};
    SampleScratch scratch;
    EXPECT_EQ(sample(Sampler(RawParams{.top_logprobs = 4}, 4), logits, scratch).top.size(), 3u);
    EXPECT_EQ(sample(Sampler(RawParams{.top_logprobs = 2}, 4), logits, scratch).top.size(), 2u);
    EXPECT_EQ(sample(Sampler(RawParams{}, 4), logits, scratch).logprob, 0);
    const Sample chosen_only = sample(Sampler(RawParams{.temperature = 0, .top_logprobs = 0}, 4), logits, scratch);
    EXPECT_TRUE(chosen_only.top.empty());
    EXPECT_NEAR(chosen_only.logprob, -std::log(1 + std::exp(-1.0) + std::exp(-2.0)), 1e-6);
    EXPECT_EQ(sample(Sampler(RawParams{.top_logprobs = 1}, 1), std::vector<float>{-5}, scratch).logprob, 0);
}

TEST(Sampler, DoesNotAllocateOnceWarm) {
    const std::vector<float> logits = random_logits(2000, 5);
    Sampler sampler(
        RawParams{.repetition_penalty = 1.1f, .top_k = 100, .top_p = 0.9f, .min_p = 0.01f, .top_logprobs = 5}, 2000);
    Sampler plain(RawParams{.top_p = 0.9f}, 2000);
    SampleScratch scratch;
    const auto step = [&](uint64_t position) {
        sampler.accept(sample(sampler, logits, scratch, position).token);
        sample(plain, logits, scratch, position);
    };
    for (uint64_t position = 0; position < 1000; ++position) step(position);
    const int64_t before = allocations;
    for (uint64_t position = 0; position < 1000; ++position) step(position);
    EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace godwit
