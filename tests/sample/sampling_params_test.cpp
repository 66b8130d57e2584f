#include "sample/sampling_params.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace godwit {
namespace {

/// The message for the defaults with one change, with a vocabulary of 10; "" if valid.
template <class Change>
std::string message(Change change) {
    SamplingParams params;
    change(params);
    const Result<void> result = validate(params, 10);
    return result.ok() ? "" : result.error().message;
}

#define MESSAGE(...) message([]([[maybe_unused]] SamplingParams& p) { __VA_ARGS__; })

TEST(SamplingParams, ValidOnesPass) {
    EXPECT_EQ(MESSAGE(), "");
    EXPECT_EQ(MESSAGE(p.temperature = 0; p.top_k = 0; p.min_p = 1; p.top_p = 0), "");
    EXPECT_EQ(MESSAGE(p.top_k = 1'000'000'000; p.top_logprobs = 10), "");
    EXPECT_EQ(MESSAGE(p.logit_bias = {{0, 3e38f}, {9, -INFINITY}}), "");  // clamped, not refused
    EXPECT_EQ(MESSAGE(p.repetition_penalty = 0.5f; p.frequency_penalty = -2; p.presence_penalty = 2), "");
}

TEST(SamplingParams, OthersAreRefusedByName) {
    EXPECT_EQ(MESSAGE(p.logit_bias = {{10, 1.0f}}), "logit_bias: token 10 is not in the vocabulary (0 to 9)");
    EXPECT_EQ(MESSAGE(p.logit_bias = {{-1, 1.0f}}), "logit_bias: token -1 is not in the vocabulary (0 to 9)");
    EXPECT_EQ(MESSAGE(p.logit_bias = {{3, NAN}}), "logit_bias: the bias of token 3 is not a number (-100 to 100)");
    EXPECT_EQ(MESSAGE(p.repetition_penalty = 0), "repetition_penalty: 0 is out of range (0.01 to 100)");
    EXPECT_EQ(MESSAGE(p.frequency_penalty = 2.5f), "frequency_penalty: 2.5 is out of range (-2 to 2)");
    EXPECT_EQ(MESSAGE(p.presence_penalty = -INFINITY), "presence_penalty: -inf is out of range (-2 to 2)");
    EXPECT_EQ(MESSAGE(p.temperature = -1), "temperature: -1 is out of range (0 to 100)");
    EXPECT_EQ(MESSAGE(p.temperature = NAN), "temperature: nan is out of range (0 to 100)");
    EXPECT_EQ(MESSAGE(p.top_k = -1), "top_k: -1 is out of range (0 to 2147483647)");
    EXPECT_EQ(MESSAGE(p.top_p = 1.5f), "top_p: 1.5 is out of range (0 to 1)");
    EXPECT_EQ(MESSAGE(p.min_p = -0.5f), "min_p: -0.5 is out of range (0 to 1)");
    EXPECT_EQ(MESSAGE(p.top_logprobs = 11), "top_logprobs: 11 is out of range (-1 to 10)");
}

}  // namespace
}  // namespace godwit
