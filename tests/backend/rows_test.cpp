// Norms, softmax, argmax, top_k and mean_rows against double precision.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "backend/ops_fixture.hpp"

namespace godwit {
namespace {

using RowsTest = OpsTest;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr double kTolerance = 2e-6;  // f32 sums of up to 100 elements of order 1

/// out[r] = function(row r) for rows of `columns` doubles.
template <class Function>
std::vector<double> by_row(const std::vector<float>& in, int64_t columns, Function function) {
    std::vector<double> out;
    for (size_t at = 0; at < in.size(); at += columns) {
        std::vector<double> row(in.begin() + at, in.begin() + at + columns);
        function(row);
        out.insert(out.end(), row.begin(), row.end());
    }
    return out;
}

double sum(const std::vector<double>& row) {
    double total = 0;
    for (double x : row) total += x;
    return total;
}

double sum_of_squares(const std::vector<double>& row) {
    double total = 0;
    for (double x : row) total += x * x;
    return total;
}

// Columns below, at and above multiples of the 16 lanes.
TEST_F(RowsTest, RmsNormMatchesDoublePrecision) {
    for (int64_t columns : {1, 15, 16, 17, 100}) {
        const Shape shape{3, columns};
        View in = bench_.random(shape, 1), weight = bench_.random(Shape{columns}, 2), rest = bench_.random(shape, 3);
        View out = bench_.zeros(shape);
        const auto w = bench_.read(weight), add = bench_.read(rest);
        auto want = by_row(bench_.read(in), columns, [&](auto& row) {
            const double root = std::sqrt(sum_of_squares(row) / static_cast<double>(columns) + 0.1);
            for (double& x : row) x /= root;
        });
        ops_.rms_norm(in, {}, 0.1f, {}, out);
        expect_close(bench_.read(out), want, kTolerance);
        for (size_t i = 0; i < want.size(); ++i) want[i] *= w[i % columns];
        ops_.rms_norm(in, weight, 0.1f, {}, out);
        expect_close(bench_.read(out), want, kTolerance);
        for (size_t i = 0; i < want.size(); ++i) want[i] += add[i];
        ops_.rms_norm(in, weight, 0.1f, rest, out);
        expect_close(bench_.read(out), want, kTolerance);
    }
}

TEST_F(RowsTest, LayerNormMatchesDoublePrecision) {
    for (int64_t columns : {1, 17, 100}) {
        const Shape shape{3, columns};
        View in = bench_.random(shape, 1), weight = bench_.random(Shape{columns}, 2);
        View bias = bench_.random(Shape{columns}, 3), out = bench_.zeros(shape);
        const auto w = bench_.read(weight), b = bench_.read(bias);
        auto want = by_row(bench_.read(in), columns, [&](auto& row) {
            const double n = static_cast<double>(columns), mean = sum(row) / n;
            for (double& x : row) x -= mean;
            const double root = std::sqrt(sum_of_squares(row) / n + 1e-5);
            for (double& x : row) x /= root;
        });
        for (size_t i = 0; i < want.size(); ++i) want[i] *= w[i % columns];
        ops_.layer_norm(in, weight, {}, 1e-5f, out);
        expect_close(bench_.read(out), want, kTolerance);
        for (size_t i = 0; i < want.size(); ++i) want[i] += b[i % columns];
        ops_.layer_norm(in, weight, bias, 1e-5f, out);
        expect_close(bench_.read(out), want, kTolerance);
    }
}

TEST_F(RowsTest, L2NormMatchesDoublePrecision) {
    const Shape shape{2, 3, 19};  // the innermost extent is the row
    View in = bench_.random(shape, 1), out = bench_.zeros(shape);
    ops_.l2_norm(in, 1e-6f, out);
    expect_close(bench_.read(out),
                 by_row(bench_.read(in), 19,
                        [](auto& row) {
                            const double root = std::sqrt(sum_of_squares(row) + 1e-6);
                            for (double& x : row) x /= root;
                        }),
                 kTolerance);
}

TEST_F(RowsTest, SoftmaxMatchesDoublePrecision) {
    const Shape shape{4, 37};
    std::vector<float> x = random_floats(4 * 37, 1);
    for (size_t i = 0; i < 37; ++i) x[i] *= 50, x[37 + i] += 1e4f;  // spread out; far from zero
    x[80] = -kInfinity;                                             // masked
    View in = bench_.floats(shape, x), out = bench_.zeros(shape);
    ops_.softmax(in, out);
    expect_close(bench_.read(out),
                 by_row(x, 37,
                        [](auto& row) {
                            const double greatest = *std::max_element(row.begin(), row.end());
                            for (double& v : row) v = std::exp(v - greatest);
                            const double total = sum(row);
                            for (double& v : row) v /= total;
                        }),
                 kTolerance);
    EXPECT_EQ(bench_.read(out)[80], 0);
}

TEST_F(RowsTest, OutMayBeTheInput) {
    const Shape shape{5, 21};
    const View in = bench_.random(shape, 1), weight = bench_.random(Shape{21}, 2), out = bench_.zeros(shape);
    const std::vector<std::function<void(const View&, const View&)>> calls = {
        [&](auto& x, auto& y) { ops_.rms_norm(x, weight, 1e-5f, {}, y); },
        [&](auto& x, auto& y) { ops_.rms_norm(in, weight, 1e-5f, x, y); },
        [&](auto& x, auto& y) { ops_.layer_norm(x, weight, weight, 1e-5f, y); },
        [&](auto& x, auto& y) { ops_.l2_norm(x, 1e-5f, y); }, [&](auto& x, auto& y) { ops_.softmax(x, y); }};
    for (const auto& call : calls) {
        const View x = bench_.floats(shape, bench_.read(in));
        call(x, out);
        call(x, x);
        EXPECT_EQ(bench_.read(x), bench_.read(out));
    }
}

TEST_F(RowsTest, ArgmaxTakesTheLowestOfEqualsAndNeverNan) {
    View in = bench_.floats(Shape{5, 4}, {1,          3,          3,          2,           //
                                          -kInfinity, -kInfinity, -kInfinity, -kInfinity,  //
                                          NAN,        -5,         NAN,        -4,          //
                                          NAN,        NAN,        NAN,        NAN,         //
                                          -0.0f,      0.0f,       -1,         kInfinity});
    View out = bench_.zeros(Shape{5}, DType::I32);
    ops_.argmax(in, out);
    EXPECT_EQ(bench_.read_ints(out), (std::vector<int32_t>{1, 0, 3, 0, 3}));
}

TEST_F(RowsTest, TopKIsDescendingTheLowestOfEqualsFirst) {
    View in = bench_.floats(Shape{2, 6}, {1, 7, 7, -2, 7, 3,  //
                                          NAN, -1, 0.0f, -0.0f, NAN, -kInfinity});
    View values = bench_.zeros(Shape{2, 5}), places = bench_.zeros(Shape{2, 5}, DType::I32);
    ops_.top_k(in, values, places);
    EXPECT_EQ(bench_.read_ints(places), (std::vector<int32_t>{1, 2, 4, 5, 0, 2, 3, 1, 5, 0}));
    const auto got = bench_.read(values);
    EXPECT_EQ(std::vector<float>(got.begin(), got.end() - 1),
              (std::vector<float>{7, 7, 7, 3, 1, 0, 0, -1, -kInfinity}));
    EXPECT_TRUE(std::isnan(got.back()));
}

TEST_F(RowsTest, TopKOfAllIsASort) {
    View in = bench_.random(Shape{1, 50}, 1);
    View values = bench_.zeros(Shape{1, 50}), places = bench_.zeros(Shape{1, 50}, DType::I32);
    ops_.top_k(in, values, places);
    auto want = bench_.read(in);
    const auto order = bench_.read_ints(places), best = std::vector<int32_t>{order.begin(), order.begin() + 1};
    for (size_t i = 0; i < order.size(); ++i) EXPECT_EQ(bench_.read(values)[i], want[order[i]]);
    std::sort(want.rbegin(), want.rend());
    EXPECT_EQ(bench_.read(values), want);
    View first = bench_.zeros(Shape{1}, DType::I32);
    ops_.argmax(in, first);
    EXPECT_EQ(bench_.read_ints(first), best);
}

TEST_F(RowsTest, MeanRowsIsPerSequence) {
    View in = bench_.floats(Shape{4, 2}, {1, 2, 10, 20, 3, 5, 5, 8});
    View sequence = bench_.ints(Shape{4}, {2, 0, 2, 2}), out = bench_.random(Shape{3, 2}, 1);
    ops_.mean_rows(in, sequence, out);
    EXPECT_EQ(bench_.read(out), (std::vector<float>{10, 20, 0, 0, 3, 5}));  // sequence 1 has no rows
}

}  // namespace
}  // namespace godwit
