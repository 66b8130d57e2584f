// Ops over the innermost extent: norms, softmax, the greatest elements, means of rows.
#include "backend/reference/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "backend/reference/host_view.hpp"
#include "backend/reference/reference_device.hpp"
#include "base/clones.hpp"
#include "base/math.hpp"

namespace godwit::reference {
namespace {

constexpr int64_t kGrain = 8;  // rows that a thread takes at once; the heads of q and k are short

float sum_of_squares(const float* x, int64_t count) {
    return sum_of(count, [x](int64_t i) { return x[i] * x[i]; });
}

GODWIT_CLONES void exp_elements(const float* in, float minus, int64_t count, float* out) {
    for (int64_t i = 0; i < count; ++i) out[i] = exp_f32(in[i] - minus);
}

void layer_norm_row(const float* in, int64_t columns, const float* weight, const float* bias, float epsilon,
                    float* out) {
    const float n = static_cast<float>(columns);
    const float mean = sum_of(columns, [&](int64_t i) { return in[i]; }) / n;
    const float variance = sum_of(columns, [&](int64_t i) { return (in[i] - mean) * (in[i] - mean); }) / n;
    const float factor = 1.0f / std::sqrt(variance + epsilon);
    for (int64_t i = 0; i < columns; ++i) {
        out[i] = (in[i] - mean) * factor * weight[i];
        if (bias != nullptr) out[i] += bias[i];
    }
}

}  // namespace

void rms_norm_rows(const float* in, int64_t rows, int64_t columns, const float* weight, float epsilon,
                   const float* residual, float* out) {
    for (int64_t r = 0; r < rows; ++r) {
        const float mean = sum_of_squares(in, columns) / static_cast<float>(columns);
        const float factor = 1.0f / std::sqrt(mean + epsilon);
        for (int64_t i = 0; i < columns; ++i) {
            float y = in[i] * factor;
            if (weight != nullptr) y *= weight[i];
            if (residual != nullptr) y += residual[i];
            out[i] = y;
        }
        in += columns;
        out += columns;
        if (residual != nullptr) residual += columns;
    }
}

void softmax_row(const float* in, int64_t count, float* out) {
    float maximum = -std::numeric_limits<float>::infinity();
    for (int64_t i = 0; i < count; ++i) maximum = std::max(maximum, in[i]);
    exp_elements(in, maximum, count, out);
    const float sum = sum_of(count, [out](int64_t i) { return out[i]; });
    for (int64_t i = 0; i < count; ++i) out[i] /= sum;
}

bool ranks_before(const float* values, int32_t a, int32_t b) {
    const float x = values[a], y = values[b];
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) == std::isnan(y) ? a < b : std::isnan(y);
    return x == y ? a < b : x > y;
}

void rank_first(const float* values, std::span<int32_t> places, int64_t k) {
    std::partial_sort(places.begin(), places.begin() + k, places.end(),
                      [values](int32_t a, int32_t b) { return ranks_before(values, a, b); });
}

void ReferenceOps::rms_norm(const View& in, const View& weight, float epsilon, const View& residual, const View& out) {
    const int64_t columns = in.columns();
    CHECK(in.shape == out.shape && (!weight || weight.shape == Shape{columns}));
    CHECK(!residual || residual.shape == in.shape);
    const float *x = f32(in), *w = f32_or_null(weight), *add = f32_or_null(residual);
    float* to = f32(out);
    pool_.parallel_for(in.rows(), kGrain, [&](int64_t begin, int64_t end) {
        const int64_t at = begin * columns;
        rms_norm_rows(x + at, end - begin, columns, w, epsilon, add == nullptr ? nullptr : add + at, to + at);
    });
}

void ReferenceOps::layer_norm(const View& in, const View& weight, const View& bias, float epsilon, const View& out) {
    const int64_t columns = in.columns();
    CHECK(in.shape == out.shape && weight.shape == Shape{columns} && (!bias || bias.shape == Shape{columns}));
    const float *x = f32(in), *w = f32(weight), *b = f32_or_null(bias);
    float* to = f32(out);
    pool_.parallel_for(in.rows(), kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) layer_norm_row(x + r * columns, columns, w, b, epsilon, to + r * columns);
    });
}

void ReferenceOps::l2_norm(const View& in, float epsilon, const View& out) {
    CHECK(in.shape == out.shape);
    const int64_t columns = in.columns();
    const float* x = f32(in);
    float* to = f32(out);
    pool_.parallel_for(in.rows(), kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
            const float factor = 1.0f / std::sqrt(sum_of_squares(x + r * columns, columns) + epsilon);
            for (int64_t i = r * columns; i < (r + 1) * columns; ++i) to[i] = x[i] * factor;
        }
    });
}

void ReferenceOps::softmax(const View& in, const View& out) {
    CHECK(in.shape == out.shape);
    const int64_t columns = in.columns();
    const float* x = f32(in);
    float* to = f32(out);
    pool_.parallel_for(in.rows(), kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) softmax_row(x + r * columns, columns, to + r * columns);
    });
}

void ReferenceOps::argmax(const View& in, const View& out) {
    CHECK(in.columns() > 0 && out.shape == Shape{in.rows()});
    const float* x = f32(in);
    int32_t* best = i32(out);
    for (int64_t r = 0; r < in.rows(); ++r, x += in.columns()) {
        best[r] = 0;
        for (int32_t i = 1; i < in.columns(); ++i)
            if (ranks_before(x, i, best[r])) best[r] = i;
    }
}

void ReferenceOps::top_k(const View& in, const View& values, const View& places) {
    const int64_t rows = in.rows(), columns = in.columns(), k = places.columns();
    CHECK(places.shape == (Shape{rows, k}) && values.shape == places.shape && k <= columns);
    const float* x = f32(in);
    float* value = f32(values);
    int32_t* place = i32(places);
    std::vector<int32_t> order(columns);
    for (int64_t r = 0; r < rows; ++r, x += columns) {
        std::iota(order.begin(), order.end(), 0);
        rank_first(x, order, k);
        for (int64_t i = 0; i < k; ++i) {
            place[r * k + i] = order[i];
            value[r * k + i] = x[order[i]];
        }
    }
}

void ReferenceOps::mean_rows(const View& in, const View& sequence, const View& out) {
    const int64_t rows = in.rows(), columns = in.columns(), sequences = out.rows();
    CHECK(sequence.shape == Shape{rows} && out.columns() == columns);
    const float* x = f32(in);
    const int32_t* to = i32(sequence);
    float* mean = f32(out);
    std::vector<int64_t> count(sequences);
    std::fill_n(mean, sequences * columns, 0.0f);
    for (int64_t r = 0; r < rows; ++r) {
        CHECK(to[r] >= 0 && to[r] < sequences);
        ++count[to[r]];
        for (int64_t i = 0; i < columns; ++i) mean[to[r] * columns + i] += x[r * columns + i];
    }
    for (int64_t s = 0; s < sequences; ++s)
        for (int64_t i = 0; i < columns && count[s] > 0; ++i) mean[s * columns + i] /= static_cast<float>(count[s]);
}

}  // namespace godwit::reference
