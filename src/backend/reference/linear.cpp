// linear: y = x · Wᵀ for grouped matrices. Quantised weights meet rounded activations (quantised.hpp). Of the others
// outputs are lanes: 16 rows of W are dequantised side by side into a tile [in][16], and every input row runs down the
// tile with one fma chain per lane, k ascending. One row or a thousand: the same chain.
#include <algorithm>
#include <cmath>

#include "backend/reference/activation.hpp"
#include "backend/reference/dequantise.hpp"
#include "backend/reference/host_view.hpp"
#include "backend/reference/quantised.hpp"
#include "backend/reference/reference_device.hpp"
#include "backend/reference/rows.hpp"
#include "base/ceil_div.hpp"
#include "base/clones.hpp"

namespace godwit::reference {
namespace {

constexpr int kLanes = 16;

struct Lanes {
    float at[kLanes];
};

inline Lanes fma_lanes(float x, const float* w, Lanes acc) {
    for (int lane = 0; lane < kLanes; ++lane) acc.at[lane] = std::fma(x, w[lane], acc.at[lane]);
    return acc;
}

/// products[r][lane] = Σ_k x[r][k] · tile[k][lane]. Four rows at a time only to keep the fma units busy.
GODWIT_CLONES void multiply_tile(const float* x, int64_t rows, int64_t in, const float* tile, float* products) {
    auto* out = reinterpret_cast<Lanes*>(products);
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4, x += 4 * in) {
        Lanes a{}, b{}, c{}, d{};
        for (int64_t k = 0; k < in; ++k) {
            const float* w = tile + k * kLanes;
            a = fma_lanes(x[k], w, a);
            b = fma_lanes(x[k + in], w, b);
            c = fma_lanes(x[k + 2 * in], w, c);
            d = fma_lanes(x[k + 3 * in], w, d);
        }
        out[r] = a, out[r + 1] = b, out[r + 2] = c, out[r + 3] = d;
    }
    for (; r < rows; ++r, x += in) {
        Lanes a{};
        for (int64_t k = 0; k < in; ++k) a = fma_lanes(x[k], tile + k * kLanes, a);
        out[r] = a;
    }
}

/// Dequantises output rows [first, first + count) of the weight into tile [in][16]; missing lanes are left as they are.
void fill_tile(const Weight& weight, int64_t first, int64_t count, float* row, float* tile) {
    int64_t in = weight.inputs();
    uint64_t row_bytes = tensor_bytes(weight.view.dtype, Shape{in});
    const std::byte* bytes = host_bytes(weight.view);
    for (int64_t lane = 0; lane < count; ++lane) {
        dequantise_row(weight.view.dtype, bytes + (first + lane) * row_bytes, row, in);
        for (int64_t k = 0; k < in; ++k) tile[k * kLanes + lane] = row[k];
    }
}

/// What happens to a finished product before it is stored.
struct Epilogue {
    const float* bias;      // [outputs] or null
    Activation activation;  // of the biased product
    const float* residual;  // [rows, outputs] or null; may be where the result goes
};

/// Adds bias, activation and residual, and stores. `at`: of the result in [rows, outputs]; `output`: its column.
void finish(const Epilogue& epilogue, float y, int64_t output, int64_t at, float* out) {
    if (epilogue.bias != nullptr) y += epilogue.bias[output];
    y = activate(epilogue.activation, y);
    out[at] = epilogue.residual != nullptr ? y + epilogue.residual[at] : y;
}

/// One matrix of a type whose products are defined on rounded activations (quantised.hpp).
void multiply_quantised(ThreadPool& pool, const float* x, int64_t rows, const Weight& weight, const Epilogue& epilogue,
                        float* out) {
    const int64_t in = weight.inputs(), outputs = weight.outputs();
    const DType dtype = weight.view.dtype;
    const uint64_t row_bytes = tensor_bytes(dtype, Shape{in});
    const std::byte* bytes = host_bytes(weight.view);
    std::vector<QuantisedRow> quantised;
    for (int64_t r = 0; r < rows; ++r) quantised.emplace_back(dtype, x + r * in, in);
    pool.parallel_for(outputs, 16, [&](int64_t begin, int64_t end) {
        for (int64_t o = begin; o < end; ++o)
            for (int64_t r = 0; r < rows; ++r)
                finish(epilogue, quantised[r].dot(dtype, bytes + o * row_bytes), o, r * outputs + o, out);
    });
}

/// One matrix: all its outputs for all input rows.
void multiply_matrix(ThreadPool& pool, const float* x, int64_t rows, const Weight& weight, const Epilogue& epilogue,
                     float* out) {
    int64_t in = weight.inputs(), outputs = weight.outputs();
    pool.parallel_for(ceil_div(outputs, kLanes), 1, [&](int64_t begin, int64_t end) {
        thread_local std::vector<float> scratch;
        scratch.resize(in + in * kLanes + rows * kLanes);
        float *row = scratch.data(), *tile = row + in, *products = tile + in * kLanes;
        for (int64_t panel = begin; panel < end; ++panel) {
            int64_t first = panel * kLanes, count = std::min<int64_t>(kLanes, outputs - first);
            fill_tile(weight, first, count, row, tile);
            multiply_tile(x, rows, in, tile, products);
            for (int64_t r = 0; r < rows; ++r)
                for (int64_t lane = 0; lane < count; ++lane)
                    finish(epilogue, products[r * kLanes + lane], first + lane, r * outputs + first + lane, out);
        }
    });
}

}  // namespace

void ReferenceOps::linear(const Linear& args) {
    CHECK(!args.gated || args.targets.size() == 2);
    CHECK(!args.residual || args.targets.size() == 1);
    int64_t in = args.input.columns();
    int64_t rows = args.rows ? args.rows.shape.elements() : args.input.rows();
    if (rows == 0) return;

    const float* x = f32(args.input);
    if (args.rows || args.norm) {
        rows_.resize(rows * in);
        for (int64_t r = 0; r < rows; ++r) {
            int64_t from = args.rows ? i32(args.rows)[r] : r;
            CHECK(from >= 0 && from < args.input.rows());
            std::copy_n(x + from * in, in, rows_.data() + r * in);
        }
        if (args.norm) rms_norm_rows(rows_.data(), rows, in, f32(args.norm), args.epsilon, nullptr, rows_.data());
        x = rows_.data();
    }
    for (const LinearTarget& target : args.targets) {
        int64_t outputs = target.weight.outputs();
        CHECK(target.weight.inputs() == in && target.out.rows() == rows && target.out.columns() == outputs);
        CHECK(!target.bias || target.bias.columns() == outputs);
        Activation activation = args.gated ? Activation::None : args.activation;
        Epilogue epilogue{f32_or_null(target.bias), activation, f32_or_null(args.residual)};
        const auto multiply = has_quantised_product(target.weight.view.dtype) ? multiply_quantised : multiply_matrix;
        multiply(pool_, x, rows, target.weight, epilogue, f32(target.out));
    }
    if (args.gated) gate(args.activation, args.targets[0].out, args.targets[1].out, args.targets[0].out);
}

}  // namespace godwit::reference
