// Elementwise ops and ops over the innermost extent, with the checks of the reference. Large ones are divided among the
// threads.
#include <algorithm>

#include "backend/cpu/cpu_ops.hpp"
#include "backend/reference/host_view.hpp"

namespace godwit::cpu {
namespace {

using reference::f32;
using reference::f32_or_null;

/// Calls body(begin, end) for parts of [0, rows). Work that is done sooner than other threads would start stays whole.
template <class Body>
void for_rows(ThreadPool& pool, int64_t rows, int64_t columns, const Body& body) {
    constexpr int64_t kAlone = 16384;  // elements, a few microseconds: below it the calling thread does all
    constexpr int64_t kPiece = 4096;   // elements: the smallest part, several times what it costs to hand one out
    const int64_t share = rows / (4 * pool.size()), least = kPiece / std::max<int64_t>(columns, 1);
    pool.parallel_for(rows, rows * columns < kAlone ? std::max<int64_t>(rows, 1) : std::max(share, least) + 1, body);
}

template <class Body>
void for_elements(ThreadPool& pool, const View& out, const Body& body) {
    for_rows(pool, out.shape.elements(), 1, body);
}

}  // namespace

void CpuOps::add(const View& a, const View& b, const View& out) {
    CHECK(a.shape == out.shape && b.shape == out.shape);
    const float *x = f32(a), *y = f32(b);
    float* to = f32(out);
    for_elements(pool_, out, [&](int64_t i, int64_t end) { kernels_.rows.add(x + i, y + i, end - i, to + i); });
}

void CpuOps::multiply(const View& a, const View& b, const View& out) {
    CHECK(a.shape == out.shape && b.shape == out.shape);
    const float *x = f32(a), *y = f32(b);
    float* to = f32(out);
    for_elements(pool_, out, [&](int64_t i, int64_t end) { kernels_.rows.multiply(x + i, y + i, end - i, to + i); });
}

void CpuOps::scale(const View& in, float factor, const View& out) {
    CHECK(in.shape == out.shape);
    const float* x = f32(in);
    float* to = f32(out);
    for_elements(pool_, out, [&](int64_t i, int64_t end) { kernels_.rows.scale(x + i, factor, end - i, to + i); });
}

void CpuOps::activate(Activation activation, const View& in, const View& out) {
    CHECK(in.shape == out.shape);
    const float* x = f32(in);
    float* to = f32(out);
    for_elements(pool_, out,
                 [&](int64_t i, int64_t end) { kernels_.rows.activate(activation, x + i, end - i, to + i); });
}

void CpuOps::gate(Activation activation, const View& gate, const View& up, const View& out) {
    CHECK(gate.shape == out.shape && up.shape == out.shape);
    const float *g = f32(gate), *u = f32(up);
    float* to = f32(out);
    for_elements(pool_, out,
                 [&](int64_t i, int64_t end) { kernels_.rows.gate(activation, g + i, u + i, end - i, to + i); });
}

void CpuOps::softcap(const View& in, float cap, const View& out) {
    CHECK(in.shape == out.shape && cap > 0);
    const float* x = f32(in);
    float* to = f32(out);
    for_elements(pool_, out, [&](int64_t i, int64_t end) { kernels_.rows.softcap(x + i, cap, end - i, to + i); });
}

void CpuOps::rms_norm(const View& in, const View& weight, float epsilon, const View& residual, const View& out) {
    const int64_t columns = in.columns();
    CHECK(in.shape == out.shape && (!weight || weight.shape == Shape{columns}));
    CHECK(!residual || residual.shape == in.shape);
    const float *x = f32(in), *w = f32_or_null(weight), *add = f32_or_null(residual);
    float* to = f32(out);
    for_rows(pool_, in.rows(), columns, [&](int64_t begin, int64_t end) {
        const int64_t at = begin * columns;
        kernels_.rows.rms_norm(x + at, end - begin, columns, w, epsilon, add == nullptr ? nullptr : add + at, to + at);
    });
}

void CpuOps::layer_norm(const View& in, const View& weight, const View& bias, float epsilon, const View& out) {
    const int64_t columns = in.columns();
    CHECK(in.shape == out.shape && weight.shape == Shape{columns} && (!bias || bias.shape == Shape{columns}));
    const float *x = f32(in), *w = f32(weight), *b = f32_or_null(bias);
    float* to = f32(out);
    for_rows(pool_, in.rows(), columns, [&](int64_t begin, int64_t end) {
        const int64_t at = begin * columns;
        kernels_.rows.layer_norm(x + at, end - begin, columns, w, b, epsilon, to + at);
    });
}

void CpuOps::l2_norm(const View& in, float epsilon, const View& out) {
    CHECK(in.shape == out.shape);
    const int64_t columns = in.columns();
    const float* x = f32(in);
    float* to = f32(out);
    for_rows(pool_, in.rows(), columns, [&](int64_t begin, int64_t end) {
        kernels_.rows.l2_norm(x + begin * columns, end - begin, columns, epsilon, to + begin * columns);
    });
}

void CpuOps::softmax(const View& in, const View& out) {
    CHECK(in.shape == out.shape);
    const int64_t columns = in.columns();
    const float* x = f32(in);
    float* to = f32(out);
    for_rows(pool_, in.rows(), columns, [&](int64_t begin, int64_t end) {
        for (int64_t at = begin * columns; at < end * columns; at += columns) {
            const float sum = kernels_.rows.exp(x + at, kernels_.rows.maximum(x + at, columns), columns, to + at);
            kernels_.rows.divide(to + at, sum, columns, to + at);
        }
    });
}

void CpuOps::rope(const View& in, const View& table, RopePairing pairing, const View& out) {
    CHECK(in.shape == out.shape && in.shape.rank() == 3 && table.shape[0] == in.shape[0]);
    const int64_t heads = in.shape[1], head_dim = in.shape[2], pairs = table.shape[1], columns = heads * head_dim;
    CHECK(2 * pairs <= head_dim);
    const float *x = f32(in), *angles = f32(table);
    float* to = f32(out);
    for_rows(pool_, in.shape[0], columns, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r)
            kernels_.rows.rope(x + r * columns, heads, head_dim, angles + 2 * r * pairs, pairs, pairing,
                               to + r * columns);
    });
}

}  // namespace godwit::cpu
