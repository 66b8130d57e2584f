// delta_rule, selective_scan and causal_conv against transformers (tools/oracle/make_ops.py): two sequences whose rows
// stand mixed in one call, states not zero.
#include <cmath>

#include "backend/golden.hpp"

namespace godwit {
namespace {

using RecurrenceTest = OpsTest;
using Tensors = std::map<std::string, View>;

constexpr double kTolerance = 3e-6;  // f32 on both sides, in another order

class DeltaRuleTest : public OpsTest, public testing::WithParamInterface<const char*> {};

DeltaRule delta_rule_of(Tensors& t) {
    return {.query = t["query"],
            .key = t["key"],
            .value = t["value"],
            .decay = t["decay"],
            .beta = t["beta"],
            .state = t["state"],
            .sequence = t["sequence"],
            .out = {}};
}

TEST_P(DeltaRuleTest, MatchesTransformers) {
    Tensors golden = read_golden(bench_, GetParam());
    DeltaRule args = delta_rule_of(golden);
    args.out = bench_.zeros(golden["out"].shape);
    ops_.delta_rule(args);
    expect_close(bench_.read(args.out), bench_.read(golden["out"]), kTolerance);
    expect_close(bench_.read(args.state), bench_.read(golden["state_out"]), kTolerance);
}

INSTANTIATE_TEST_SUITE_P(Decays, DeltaRuleTest, testing::Values("delta_rule_head", "delta_rule_key"),
                         [](const auto& one) { return std::string(one.param); });

TEST_F(RecurrenceTest, DeltaRuleMayWriteOverItsInputs) {
    const Shape shape{4, 2, 6};  // key_dim = value_dim
    const auto run = [&](View DeltaRule::* place) {
        Tensors t{{"query", bench_.random(shape, 1)},
                  {"key", bench_.random(shape, 2)},
                  {"value", bench_.random(shape, 3)},
                  {"decay", bench_.random(shape, 4)},
                  {"beta", bench_.random(Shape{4, 2}, 5)},
                  {"state", bench_.random(Shape{1, 2, 6, 6}, 6)},
                  {"sequence", bench_.ints(Shape{4}, {0, 0, 0, 0})}};
        DeltaRule args = delta_rule_of(t);
        args.out = place == nullptr ? bench_.zeros(shape) : args.*place;
        ops_.delta_rule(args);
        return std::pair(bench_.read(args.out), bench_.read(args.state));
    };
    const auto want = run(nullptr);
    for (auto place : {&DeltaRule::query, &DeltaRule::key, &DeltaRule::value, &DeltaRule::decay})
        EXPECT_EQ(run(place), want);
}

SelectiveScan selective_scan_of(Tensors& t) {
    return {.input = t["input"],
            .dt = t["dt"],
            .a = t["a"],
            .d = t["d"],
            .b = t["b"],
            .c = t["c"],
            .state = t["state"],
            .sequence = t["sequence"],
            .out = {}};
}

TEST_F(RecurrenceTest, SelectiveScanMatchesTransformers) {
    Tensors golden = read_golden(bench_, "selective_scan");
    SelectiveScan args = selective_scan_of(golden);
    args.out = bench_.zeros(golden["out"].shape);
    ops_.selective_scan(args);
    expect_close(bench_.read(args.out), bench_.read(golden["out"]), kTolerance);
    expect_close(bench_.read(args.state), bench_.read(golden["state_out"]), kTolerance);
}

TEST_F(RecurrenceTest, SelectiveScanMayWriteOverItsInputs) {
    const Shape shape{4, 2, 6};  // as many groups as heads, state_dim = head_dim
    const auto run = [&](View SelectiveScan::* place) {
        Tensors t{{"input", bench_.random(shape, 1)},
                  {"dt", bench_.random(Shape{4, 2}, 2)},
                  {"a", bench_.random(Shape{2}, 3)},
                  {"d", bench_.random(Shape{2}, 4)},
                  {"b", bench_.random(shape, 5)},
                  {"c", bench_.random(shape, 6)},
                  {"state", bench_.random(Shape{1, 2, 6, 6}, 7)},
                  {"sequence", bench_.ints(Shape{4}, {0, 0, 0, 0})}};
        SelectiveScan args = selective_scan_of(t);
        args.out = place == nullptr ? bench_.zeros(shape) : args.*place;
        ops_.selective_scan(args);
        return std::pair(bench_.read(args.out), bench_.read(args.state));
    };
    const auto want = run(nullptr);
    for (auto place : {&SelectiveScan::input, &SelectiveScan::b, &SelectiveScan::c}) EXPECT_EQ(run(place), want);
}

TEST_F(RecurrenceTest, CausalConvMatchesTransformers) {
    Tensors golden = read_golden(bench_, "causal_conv_silu");
    const View in = golden["input"];
    ops_.causal_conv({.input = in,
                      .weight = golden["weight"],
                      .bias = golden["bias"],
                      .state = golden["state"],
                      .sequence = golden["sequence"],
                      .activation = Activation::Silu,
                      .out = in});  // over its input
    expect_close(bench_.read(in), bench_.read(golden["out"]), kTolerance);
    EXPECT_EQ(bench_.read(golden["state"]), bench_.read(golden["state_out"]));
}

// Without bias and activation; one tap has no past, two taps shift nothing.
TEST_F(RecurrenceTest, CausalConvOfFewTapsIsWrittenOut) {
    View in = bench_.floats(Shape{3, 2}, {1, 10, 2, 20, 3, 30}), out = bench_.zeros(Shape{3, 2});
    View sequence = bench_.ints(Shape{3}, {0, 0, 0});
    ops_.causal_conv({.input = in,
                      .weight = bench_.floats(Shape{2, 1}, {2, -1}),
                      .bias = {},
                      .state = bench_.zeros(Shape{1, 0, 2}),
                      .sequence = sequence,
                      .out = out});
    EXPECT_EQ(bench_.read(out), (std::vector<float>{2, -10, 4, -20, 6, -30}));
    View state = bench_.floats(Shape{1, 1, 2}, {5, 50});
    ops_.causal_conv({.input = in,
                      .weight = bench_.floats(Shape{2, 2}, {100, 1, 1, 2}),
                      .bias = {},
                      .state = state,
                      .sequence = sequence,
                      .out = out});
    EXPECT_EQ(bench_.read(out), (std::vector<float>{501, 70, 102, 50, 203, 80}));
    EXPECT_EQ(bench_.read(state), (std::vector<float>{3, 30}));
}

}  // namespace
}  // namespace godwit
