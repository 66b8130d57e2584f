// zero, add, multiply, scale, activate, gate, softcap against double precision.
#include <cmath>
#include <functional>
#include <limits>

#include "backend/ops_fixture.hpp"

namespace godwit {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The activations as textbooks write them.
double textbook(Activation activation, double x) {
    switch (activation) {
        case Activation::None:
            return x;
        case Activation::Silu:
            return x / (1 + std::exp(-x));
        case Activation::GeluTanh:
            return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
        case Activation::GeluErf:
            return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
        case Activation::Relu:
            return std::max(x, 0.0);
        case Activation::ReluSquared:
            return std::max(x, 0.0) * std::max(x, 0.0);
        case Activation::Sigmoid:
            return 1 / (1 + std::exp(-x));
        case Activation::Tanh:
            return std::tanh(x);
        case Activation::Softplus:
            return std::log1p(std::exp(x));
    }
    return NAN;
}

constexpr Activation kActivations[] = {Activation::None,        Activation::Silu,    Activation::GeluTanh,
                                       Activation::GeluErf,     Activation::Relu,    Activation::Tanh,
                                       Activation::ReluSquared, Activation::Sigmoid, Activation::Softplus};

using Call = std::function<void(const View& a, const View& b, const View& out)>;

class ElementwiseTest : public OpsTest {
protected:
    const std::vector<Call> calls_ = {[this](auto& a, auto& b, auto& out) { ops_.add(a, b, out); },
                                      [this](auto& a, auto& b, auto& out) { ops_.multiply(a, b, out); },
                                      [this](auto& a, auto&, auto& out) { ops_.scale(a, 3, out); },
                                      [this](auto& a, auto&, auto& out) { ops_.activate(Activation::Silu, a, out); },
                                      [this](auto& a, auto& b, auto& out) { ops_.gate(Activation::Silu, a, b, out); },
                                      [this](auto& a, auto&, auto& out) { ops_.softcap(a, 3, out); }};
};

TEST_F(ElementwiseTest, ArithmeticIsOneRoundedOperation) {
    const Shape shape{3, 5, 7};
    View a = bench_.random(shape, 1), b = bench_.random(shape, 2);
    View sum = bench_.zeros(shape), product = bench_.zeros(shape), scaled = bench_.zeros(shape);
    ops_.add(a, b, sum);
    ops_.multiply(a, b, product);
    ops_.scale(a, 0.3f, scaled);
    const auto x = bench_.read(a), y = bench_.read(b);
    for (size_t i = 0; i < x.size(); ++i) {
        EXPECT_EQ(bench_.read(sum)[i], x[i] + y[i]);
        EXPECT_EQ(bench_.read(product)[i], x[i] * y[i]);
        EXPECT_EQ(bench_.read(scaled)[i], x[i] * 0.3f);
    }
    ops_.zero(sum);
    EXPECT_EQ(bench_.read(sum), std::vector<float>(105, 0.0f));
}

// 2e-6 relative: some roundings of f32 on the way; 1e-7 absolute where 0.5 x (1 + erf) cancels.
TEST_F(ElementwiseTest, ActivationsMatchDoublePrecision) {
    std::vector<float> x;
    for (float value = -30; value <= 30; value += 0.0371f) x.push_back(value);
    const Shape shape{static_cast<int64_t>(x.size())};
    View in = bench_.floats(shape, x), out = bench_.zeros(shape);
    for (Activation activation : kActivations) {
        ops_.activate(activation, in, out);
        const auto y = bench_.read(out);
        for (size_t i = 0; i < x.size(); ++i) {
            const double want = textbook(activation, x[i]);
            const double tolerance = 2e-6 * std::abs(want) + (activation == Activation::GeluErf ? 2e-7 : 1e-12);
            EXPECT_NEAR(y[i], want, tolerance) << static_cast<int>(activation) << " of " << x[i];
        }
    }
}

TEST_F(ElementwiseTest, ActivationsOfExtremesAreTheirLimits) {
    View in = bench_.floats(Shape{4}, {3e38f, kInfinity, -3e38f, NAN}), out = bench_.zeros(Shape{4});
    const auto run = [&](Activation activation) {
        ops_.activate(activation, in, out);
        auto y = bench_.read(out);
        EXPECT_TRUE(std::isnan(y[3])) << static_cast<int>(activation);
        y.pop_back();
        return y;
    };
    using Three = std::vector<float>;
    const Three like_relu{3e38f, kInfinity, 0};
    for (Activation each : {Activation::Silu, Activation::GeluTanh, Activation::GeluErf, Activation::Softplus})
        EXPECT_EQ(run(each), like_relu) << static_cast<int>(each);
    EXPECT_EQ(run(Activation::None), (Three{3e38f, kInfinity, -3e38f}));
    EXPECT_EQ(run(Activation::Relu), like_relu);
    EXPECT_EQ(run(Activation::ReluSquared), (Three{kInfinity, kInfinity, 0}));
    EXPECT_EQ(run(Activation::Sigmoid), (Three{1, 1, 0}));
    EXPECT_EQ(run(Activation::Tanh), (Three{1, 1, -1}));
}

TEST_F(ElementwiseTest, GateMultipliesTheActivation) {
    const Shape shape{2, 33};
    View gate = bench_.random(shape, 1), up = bench_.random(shape, 2);
    View out = bench_.zeros(shape), activated = bench_.zeros(shape), product = bench_.zeros(shape);
    for (Activation activation : kActivations) {
        ops_.gate(activation, gate, up, out);
        ops_.activate(activation, gate, activated);
        ops_.multiply(activated, up, product);
        EXPECT_EQ(bench_.read(out), bench_.read(product)) << static_cast<int>(activation);
    }
}

TEST_F(ElementwiseTest, SoftcapMatchesDoublePrecision) {
    View in = bench_.floats(Shape{5}, {-1000, -3, 0.001f, 20, 1e30f}), out = bench_.zeros(Shape{5});
    ops_.softcap(in, 30, out);
    std::vector<double> want;
    for (float x : bench_.read(in)) want.push_back(30 * std::tanh(static_cast<double>(x) / 30));
    expect_close(bench_.read(out), want, 5e-7);
}

// Longer than one thread's share: the whole equals its rows done alone.
TEST_F(ElementwiseTest, LongInputsAreCutAndJoinedRight) {
    const Shape shape{20, 1000};
    const View a = bench_.random(shape, 1), b = bench_.random(shape, 2);
    const View whole = bench_.zeros(shape), rows = bench_.zeros(shape);
    for (const Call& call : calls_) {
        call(a, b, whole);
        for (int64_t r = 0; r < 20; ++r) call(a.slice(r, 1), b.slice(r, 1), rows.slice(r, 1));
        EXPECT_EQ(bench_.read(whole), bench_.read(rows));
    }
}

TEST_F(ElementwiseTest, OutMayBeAnInput) {
    const Shape shape{4, 9};
    const View a = bench_.random(shape, 1), b = bench_.random(shape, 2), out = bench_.zeros(shape);
    for (const Call& call : calls_) {
        call(a, b, out);
        const View x = bench_.floats(shape, bench_.read(a)), y = bench_.floats(shape, bench_.read(b));
        call(x, b, x);
        EXPECT_EQ(bench_.read(x), bench_.read(out));
        call(a, y, y);
        EXPECT_EQ(bench_.read(y), bench_.read(out));
    }
}

}  // namespace
}  // namespace godwit
