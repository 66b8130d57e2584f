// linear against sums in double, for every shape that cuts tiles and rows unevenly, and its options one by one.
#include <cmath>

#include "backend/ops_fixture.hpp"

namespace godwit {
namespace {

class LinearTest : public OpsTest {
protected:
    /// An F32 matrix; its values stay in `matrices_`.
    Weight matrix(int64_t outputs, int64_t inputs, uint32_t seed) {
        matrices_.push_back(random_floats(outputs * inputs, seed));
        return bench_.weight(DType::F32, Shape{outputs, inputs}, std::as_bytes(std::span(matrices_.back())));
    }
    std::vector<double> product(const std::vector<float>& x, const std::vector<float>& w, int64_t inputs) {
        int64_t rows = x.size() / inputs, outputs = w.size() / inputs;
        std::vector<double> y(rows * outputs);
        for (int64_t r = 0; r < rows; ++r)
            for (int64_t o = 0; o < outputs; ++o)
                for (int64_t k = 0; k < inputs; ++k)
                    y[r * outputs + o] += double{x[r * inputs + k]} * w[o * inputs + k];
        return y;
    }
    std::vector<std::vector<float>> matrices_;
};

TEST_F(LinearTest, EqualsDoubleForOddShapes) {
    for (int64_t rows : {0, 1, 3, 4, 5, 9})
        for (int64_t outputs : {1, 15, 16, 17, 50})
            for (int64_t inputs : {1, 31, 64}) {
                SCOPED_TRACE(fmt::format("{} rows, {} outputs, {} inputs", rows, outputs, inputs));
                matrices_.clear();
                Weight weight = matrix(outputs, inputs, 1);
                std::vector<float> x = random_floats(rows * inputs, 2);
                View out = bench_.zeros({rows, outputs});
                LinearTarget target{weight, {}, out};
                ops_.linear({.input = bench_.floats({rows, inputs}, x), .targets = {&target, 1}});
                expect_close(bench_.read(out), product(x, matrices_[0], inputs), 1e-5);
            }
}

TEST_F(LinearTest, OneChainOfFmaPerOutput) {
    // The order is part of the contract: acc = fma(x[k], w[k], acc), k ascending from +0.
    constexpr int64_t kIn = 100;
    Weight weight = matrix(1, kIn, 3);
    std::vector<float> x = random_floats(kIn, 4);
    float expected = 0;
    for (int64_t k = 0; k < kIn; ++k) expected = std::fma(x[k], matrices_[0][k], expected);
    View out = bench_.zeros({1, 1});
    LinearTarget target{weight, {}, out};
    ops_.linear({.input = bench_.floats({1, kIn}, x), .targets = {&target, 1}});
    EXPECT_EQ(bench_.read(out)[0], expected);
}

TEST_F(LinearTest, BiasActivationAndResidualMayAliasTheOutput) {
    Weight weight = matrix(8, 16, 6);
    std::vector<float> x = random_floats(3 * 16, 7), bias = random_floats(8, 8), residual = random_floats(3 * 8, 9);
    std::vector<double> expected = product(x, matrices_[0], 16);
    for (size_t i = 0; i < expected.size(); ++i) expected[i] = std::max(0.0, expected[i] + bias[i % 8]) + residual[i];
    View out = bench_.floats({3, 8}, residual);
    LinearTarget target{weight, bench_.floats({8}, bias), out};
    ops_.linear(
        {.input = bench_.floats({3, 16}, x), .targets = {&target, 1}, .activation = Activation::Relu, .residual = out});
    expect_close(bench_.read(out), expected, 1e-5);
}

TEST_F(LinearTest, NormsTheInputAndGatesTwoTargets) {
    constexpr int64_t kIn = 24, kOut = 10;
    Weight gate = matrix(kOut, kIn, 10), up = matrix(kOut, kIn, 11);
    std::vector<float> x = random_floats(2 * kIn, 12), norm = random_floats(kIn, 13), normed(x.size());
    for (int64_t r = 0; r < 2; ++r) {
        double squares = 0;
        for (int64_t k = 0; k < kIn; ++k) squares += double{x[r * kIn + k]} * x[r * kIn + k];
        double factor = 1 / std::sqrt(squares / kIn + 1e-5);
        for (int64_t k = 0; k < kIn; ++k) normed[r * kIn + k] = static_cast<float>(x[r * kIn + k] * factor * norm[k]);
    }
    std::vector<double> g = product(normed, matrices_[0], kIn), u = product(normed, matrices_[1], kIn);
    for (size_t i = 0; i < g.size(); ++i) g[i] = g[i] / (1 + std::exp(-g[i])) * u[i];
    View out = bench_.zeros({2, kOut});
    LinearTarget targets[] = {{gate, {}, out}, {up, {}, bench_.zeros({2, kOut})}};
    View input = bench_.floats({2, kIn}, x);
    ops_.linear({.input = input,
                 .norm = bench_.floats({kIn}, norm),
                 .epsilon = 1e-5f,
                 .targets = targets,
                 .activation = Activation::Silu,
                 .gated = true});
    expect_close(bench_.read(out), g, 1e-5);
    EXPECT_EQ(bench_.read(input), x) << "the input is not touched";
}

TEST_F(LinearTest, TakesChosenRows) {
    Weight weight = matrix(5, 7, 14);
    std::vector<float> x = random_floats(4 * 7, 15), chosen;
    for (int r : {2, 0, 2}) chosen.insert(chosen.end(), x.begin() + r * 7, x.begin() + (r + 1) * 7);
    View out = bench_.zeros({3, 5});
    LinearTarget target{weight, {}, out};
    ops_.linear({.input = bench_.floats({4, 7}, x), .rows = bench_.ints({3}, {2, 0, 2}), .targets = {&target, 1}});
    expect_close(bench_.read(out), product(chosen, matrices_[0], 7), 1e-5);
}

}  // namespace
}  // namespace godwit
