// route against the routers of transformers; linear_experts and gather_rows against double precision.
#include <cmath>
#include <cstring>
#include <limits>

#include "backend/golden.hpp"

namespace godwit {
namespace {

using ExpertsTest = OpsTest;
using Score = Route::Score;

std::vector<std::byte> bytes_of(const std::vector<float>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

struct RouterCase {
    const char* golden;
    Route settings;
};

class RouterTest : public OpsTest, public testing::WithParamInterface<RouterCase> {};

TEST_P(RouterTest, MatchesTransformers) {
    auto golden = read_golden(bench_, GetParam().golden);
    Route args = GetParam().settings;
    args.logits = golden["logits"];
    args.bias = golden["bias"];
    args.experts = bench_.zeros(golden["experts"].shape, DType::I32);
    args.weights = bench_.zeros(golden["weights"].shape);
    ops_.route(args);
    EXPECT_EQ(bench_.read_ints(args.experts), bench_.read_ints(golden["experts"]));
    expect_close(bench_.read(args.weights), bench_.read(golden["weights"]), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(
    Models, RouterTest,
    testing::Values(RouterCase{"route_mixtral", {.normalise = true}}, RouterCase{"route_qwen2_moe", {}},
                    RouterCase{
                        "route_deepseek_v3",
                        {.score = Score::Sigmoid, .groups = 4, .groups_used = 2, .normalise = true, .scale = 2.5f}},
                    RouterCase{"route_gpt_oss", {.score = Score::SoftmaxOfChosen}},
                    RouterCase{"route_deepseek_v4", {.score = Score::SqrtSoftplus, .normalise = true, .scale = 1.5f}}),
    [](const auto& one) { return std::string(one.param.golden); });

/// Experts that the settings choose for one row of logits.
std::vector<int32_t> chosen(OpsBench& bench, Route args, const std::vector<float>& logits, int64_t used) {
    args.logits = bench.floats(Shape{1, static_cast<int64_t>(logits.size())}, logits);
    args.experts = bench.zeros(Shape{1, used}, DType::I32);
    args.weights = bench.zeros(Shape{1, used});
    bench.ops().route(args);
    return bench.read_ints(args.experts);
}

TEST_F(ExpertsTest, RouteTakesTheLowestOfEquals) {
    using Ids = std::vector<int32_t>;
    EXPECT_EQ(chosen(bench_, {.score = Score::SoftmaxOfChosen}, {2, 5, 5, 2, 5, 2}, 4), (Ids{1, 2, 4, 0}));
    // Groups {0,1} {2,3} {4,5} score 6, 7, 6: the lower of the equal groups comes with the best, experts by score.
    const Route grouped{.score = Score::SoftmaxOfChosen, .groups = 3, .groups_used = 2};
    EXPECT_EQ(chosen(bench_, grouped, {5, 1, 3, 4, 3, 3}, 3), (Ids{0, 3, 2}));
}

// What is not a number ranks last; what lies outside the chosen groups is never taken, even beside −inf.
TEST_F(ExpertsTest, RouteSurvivesNanAndInfinity) {
    using Ids = std::vector<int32_t>;
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const Route grouped{.score = Score::SoftmaxOfChosen, .groups = 2, .groups_used = 1};
    EXPECT_EQ(chosen(bench_, grouped, {1, 1, 1, 3, 2, -kInfinity}, 3), (Ids{3, 4, 5}));
    EXPECT_EQ(chosen(bench_, {.score = Score::SoftmaxOfChosen}, {NAN, 1, NAN, 2}, 3), (Ids{3, 1, 0}));
}

TEST_F(ExpertsTest, GroupsOfOneExpertScoreAsThatExpert) {
    const Route grouped{.score = Score::SoftmaxOfChosen, .groups = 4, .groups_used = 2};
    EXPECT_EQ(chosen(bench_, grouped, {1, 4, 2, 3}, 2), (std::vector<int32_t>{1, 3}));
}

TEST_F(ExpertsTest, BiasMovesTheChoiceButNotTheWeight) {
    Route args{.logits = bench_.floats(Shape{1, 3}, {0, 1, 2}),
               .bias = bench_.floats(Shape{3}, {10, 0, 0}),
               .score = Score::Sigmoid,
               .experts = bench_.zeros(Shape{1, 1}, DType::I32),
               .weights = bench_.zeros(Shape{1, 1})};
    ops_.route(args);
    EXPECT_EQ(bench_.read_ints(args.experts)[0], 0);
    EXPECT_EQ(bench_.read(args.weights)[0], 0.5f);
}

TEST_F(ExpertsTest, NormalisingTinyWeightsDividesByTheFloor) {
    Route args{.logits = bench_.floats(Shape{1, 2}, {-60, -60}),
               .score = Score::Sigmoid,
               .normalise = true,
               .experts = bench_.zeros(Shape{1, 2}, DType::I32),
               .weights = bench_.zeros(Shape{1, 2})};
    ops_.route(args);
    const double want = std::exp(-60.0) * 16384;  // max(sum, 2^-14)
    EXPECT_NEAR(bench_.read(args.weights)[0], want, want * 1e-6);
}

TEST_F(ExpertsTest, LinearExpertsMatchesDoublePrecision) {
    const int64_t experts = 3, outputs = 35, inputs = 9, rows = 6;
    const auto w = random_floats(experts * outputs * inputs, 1);
    const auto bytes = bytes_of(w);
    const std::vector<int32_t> ids{2, 0, 0, 1, 2, 2};
    View input = bench_.random(Shape{rows, inputs}, 2), out = bench_.zeros(Shape{rows, outputs});
    ops_.linear_experts(input, bench_.weight(DType::F32, Shape{experts, outputs, inputs}, bytes),
                        bench_.ints(Shape{rows}, ids), out);
    const auto x = bench_.read(input);
    std::vector<double> want;
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t o = 0; o < outputs; ++o) {
            double dot = 0;
            for (int64_t k = 0; k < inputs; ++k)
                dot += static_cast<double>(x[r * inputs + k]) * w[(ids[r] * outputs + o) * inputs + k];
            want.push_back(dot);
        }
    expect_close(bench_.read(out), want, 1e-6);
}

// One expert of quantised weights is the plain matrix, bit for bit.
TEST_F(ExpertsTest, LinearExpertsEqualsLinearOnQuantisedWeights) {
    const int64_t experts = 2, outputs = 18, inputs = 64, rows = 3;
    std::vector<std::byte> bytes(tensor_bytes(DType::Q8_0, Shape{experts, outputs, inputs}));
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i % 34 < 2 ? 0x2c : i * 37);
    View input = bench_.random(Shape{rows, inputs}, 2);
    View out = bench_.zeros(Shape{rows, outputs}), plain = bench_.zeros(Shape{rows, outputs});
    ops_.linear_experts(input, bench_.weight(DType::Q8_0, Shape{experts, outputs, inputs}, bytes),
                        bench_.ints(Shape{rows}, {1, 1, 1}), out);
    const LinearTarget target{
        .weight = bench_.weight(DType::Q8_0, Shape{outputs, inputs}, std::span(bytes).subspan(bytes.size() / 2)),
        .bias = {},
        .out = plain};
    ops_.linear({.input = input, .targets = std::span(&target, 1)});
    EXPECT_EQ(bench_.read(out), bench_.read(plain));
}

TEST_F(ExpertsTest, GatherTakesRowsInAnyOrder) {
    View in = bench_.floats(Shape{3, 2}, {1, 2, 10, 20, 100, 200});
    View out = bench_.zeros(Shape{4, 2});
    ops_.gather_rows(in, bench_.ints(Shape{4}, {2, 0, 2, 1}), out);
    EXPECT_EQ(bench_.read(out), (std::vector<float>{100, 200, 1, 2, 100, 200, 10, 20}));
}

}  // namespace
}  // namespace godwit
