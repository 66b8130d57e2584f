// Ops in which every element stands alone: fill, add, multiply, scale, activate, gate, softcap.
#include <algorithm>

#include "backend/reference/activation.hpp"
#include "backend/reference/host_view.hpp"
#include "backend/reference/reference_device.hpp"
#include "base/clones.hpp"

namespace godwit::reference {
namespace {

constexpr int64_t kGrain = 4096;  // elements that a thread takes at once

/// out[i] = element(i).
template <class Element>
void each(ThreadPool& pool, const View& out, Element element) {
    float* to = f32(out);
    pool.parallel_for(out.shape.elements(), kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) to[i] = element(i);
    });
}

// The loops with exp or tanh stand in functions of their own, so that they are compiled once per vector width.

GODWIT_CLONES void activate_elements(Activation activation, const float* in, int64_t count, float* out) {
    for (int64_t i = 0; i < count; ++i) out[i] = activate(activation, in[i]);
}

GODWIT_CLONES void gate_elements(Activation activation, const float* gate, const float* up, int64_t count, float* out) {
    for (int64_t i = 0; i < count; ++i) out[i] = activate(activation, gate[i]) * up[i];
}

GODWIT_CLONES void softcap_elements(const float* in, float cap, int64_t count, float* out) {
    for (int64_t i = 0; i < count; ++i) out[i] = cap * tanh_f32(in[i] / cap);
}

}  // namespace

void ReferenceOps::add(const View& a, const View& b, const View& out) {
    CHECK(a.shape == out.shape && b.shape == out.shape);
    const float *x = f32(a), *y = f32(b);
    each(pool_, out, [=](int64_t i) { return x[i] + y[i]; });
}

void ReferenceOps::multiply(const View& a, const View& b, const View& out) {
    CHECK(a.shape == out.shape && b.shape == out.shape);
    const float *x = f32(a), *y = f32(b);
    each(pool_, out, [=](int64_t i) { return x[i] * y[i]; });
}

void ReferenceOps::scale(const View& in, float factor, const View& out) {
    CHECK(in.shape == out.shape);
    const float* x = f32(in);
    each(pool_, out, [=](int64_t i) { return x[i] * factor; });
}

void ReferenceOps::activate(Activation activation, const View& in, const View& out) {
    CHECK(in.shape == out.shape);
    const float* x = f32(in);
    float* to = f32(out);
    pool_.parallel_for(out.shape.elements(), kGrain, [&](int64_t begin, int64_t end) {
        activate_elements(activation, x + begin, end - begin, to + begin);
    });
}

void ReferenceOps::gate(Activation activation, const View& gate, const View& up, const View& out) {
    CHECK(gate.shape == out.shape && up.shape == out.shape);
    const float *g = f32(gate), *u = f32(up);
    float* to = f32(out);
    pool_.parallel_for(out.shape.elements(), kGrain, [&](int64_t begin, int64_t end) {
        gate_elements(activation, g + begin, u + begin, end - begin, to + begin);
    });
}

void ReferenceOps::softcap(const View& in, float cap, const View& out) {
    CHECK(in.shape == out.shape && cap > 0);
    const float* x = f32(in);
    float* to = f32(out);
    pool_.parallel_for(out.shape.elements(), kGrain,
                       [&](int64_t begin, int64_t end) { softcap_elements(x + begin, cap, end - begin, to + begin); });
}

}  // namespace godwit::reference
