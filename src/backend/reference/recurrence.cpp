// Mixers that carry a state from token to token: gated delta rule, Mamba-2 scan, causal convolution.
// All are the recurrence itself, one token after the other (invariant I1); heads or channels are independent.
#include <algorithm>
#include <cmath>
#include <vector>

#include "backend/reference/activation.hpp"
#include "backend/reference/host_view.hpp"
#include "backend/reference/reference_device.hpp"
#include "base/clones.hpp"
#include "base/math.hpp"

namespace godwit::reference {
namespace {

/// Row r belongs to sequence ids[r] of `sequences`.
const int32_t* sequence_ids(const View& sequence, int64_t rows, int64_t sequences) {
    CHECK(sequence.shape == Shape{rows});
    const int32_t* ids = i32(sequence);
    for (int64_t r = 0; r < rows; ++r) CHECK(ids[r] >= 0 && ids[r] < sequences);
    return ids;
}

/// One head at one token. `delta` and `read` are scratch of value_dim, so that `out` may be any of the inputs.
struct DeltaToken {
    int64_t key_dim, value_dim;
    const float *query, *key, *value;
    const float* decay;
    bool decay_per_key;
    float beta;
    float* state;  // [key_dim, value_dim]
    float *delta, *read;
    float* out;
};

/// sum[j] = Σ_i rows[i][j] · x[i], i ascending: one fma chain per j.
GODWIT_CLONES void dot_columns(const float* rows, const float* x, int64_t count, int64_t columns, float* sum) {
    std::fill_n(sum, columns, 0.0f);
    for (int64_t i = 0; i < count; ++i)
        for (int64_t j = 0; j < columns; ++j) sum[j] = std::fma(rows[i * columns + j], x[i], sum[j]);
}

/// rows[i][j] += x[i] · y[j], rounded once.
GODWIT_CLONES void add_outer(const float* x, const float* y, int64_t count, int64_t columns, float* rows) {
    for (int64_t i = 0; i < count; ++i)
        for (int64_t j = 0; j < columns; ++j) rows[i * columns + j] = std::fma(x[i], y[j], rows[i * columns + j]);
}

void run(const DeltaToken& t) {
    for (int64_t i = 0; i < t.key_dim; ++i) {
        const float keep = exp_f32(t.decay[t.decay_per_key ? i : 0]);
        for (int64_t j = 0; j < t.value_dim; ++j) t.state[i * t.value_dim + j] *= keep;
    }
    dot_columns(t.state, t.key, t.key_dim, t.value_dim, t.read);
    for (int64_t j = 0; j < t.value_dim; ++j) t.delta[j] = t.beta * (t.value[j] - t.read[j]);
    add_outer(t.key, t.delta, t.key_dim, t.value_dim, t.state);
    dot_columns(t.state, t.query, t.key_dim, t.value_dim, t.read);
    std::copy_n(t.read, t.value_dim, t.out);
}

/// One head at one token of the Mamba-2 recurrence. `read` is scratch of head_dim, for the same reason.
struct ScanToken {
    int64_t head_dim, state_dim;
    const float *x, *b, *c;
    float dt, a, d;
    float* state;  // [head_dim, state_dim]
    float* read;
    float* out;
};

void run(const ScanToken& t) {
    const float keep = exp_f32(t.dt * t.a);
    for (int64_t p = 0; p < t.head_dim; ++p) {
        float* state = t.state + p * t.state_dim;
        const float add = t.dt * t.x[p];
        float dot = 0;
        for (int64_t n = 0; n < t.state_dim; ++n) {
            state[n] = std::fma(add, t.b[n], keep * state[n]);
            dot = std::fma(state[n], t.c[n], dot);
        }
        t.read[p] = std::fma(t.d, t.x[p], dot);
    }
    std::copy_n(t.read, t.head_dim, t.out);
}

/// One channel at one token: the weighted sum of its last `taps` inputs. `past` holds all but the newest, oldest first,
/// `stride` apart, and moves on by one.
float convolve(float newest, const float* weight, int64_t taps, float* past, int64_t stride) {
    float dot = 0;
    for (int64_t t = 0; t < taps; ++t) dot = std::fma(t + 1 < taps ? past[t * stride] : newest, weight[t], dot);
    for (int64_t t = 0; t + 1 < taps; ++t) past[t * stride] = t + 2 < taps ? past[(t + 1) * stride] : newest;
    return dot;
}

}  // namespace

void ReferenceOps::delta_rule(const DeltaRule& args) {
    CHECK(args.query.shape.rank() == 3 && args.value.shape.rank() == 3 && args.state.shape.rank() == 4);
    const int64_t rows = args.query.shape[0], heads = args.query.shape[1], key_dim = args.query.shape[2];
    const int64_t value_dim = args.value.shape[2], sequences = args.state.shape[0];
    const bool per_key = args.decay.shape.rank() == 3;
    CHECK(args.key.shape == args.query.shape && args.value.shape == (Shape{rows, heads, value_dim}));
    CHECK(args.decay.shape == (per_key ? Shape{rows, heads, key_dim} : Shape{rows, heads}));
    CHECK(args.beta.shape == (Shape{rows, heads}) && args.out.shape == args.value.shape);
    CHECK(args.state.shape == (Shape{sequences, heads, key_dim, value_dim}));
    const int32_t* ids = sequence_ids(args.sequence, rows, sequences);
    const float *query = f32(args.query), *key = f32(args.key), *value = f32(args.value);
    const float *decay = f32(args.decay), *beta = f32(args.beta);
    float *state = f32(args.state), *out = f32(args.out);
    pool_.parallel_for(heads, 1, [&](int64_t begin, int64_t end) {
        std::vector<float> delta(value_dim), read(value_dim);
        for (int64_t h = begin; h < end; ++h) {
            for (int64_t r = 0; r < rows; ++r) {
                const int64_t at = r * heads + h;
                run(DeltaToken{.key_dim = key_dim,
                               .value_dim = value_dim,
                               .query = query + at * key_dim,
                               .key = key + at * key_dim,
                               .value = value + at * value_dim,
                               .decay = decay + at * (per_key ? key_dim : 1),
                               .decay_per_key = per_key,
                               .beta = beta[at],
                               .state = state + (ids[r] * heads + h) * key_dim * value_dim,
                               .delta = delta.data(),
                               .read = read.data(),
                               .out = out + at * value_dim});
            }
        }
    });
}

void ReferenceOps::selective_scan(const SelectiveScan& args) {
    CHECK(args.input.shape.rank() == 3 && args.b.shape.rank() == 3 && args.state.shape.rank() == 4);
    const int64_t rows = args.input.shape[0], heads = args.input.shape[1], head_dim = args.input.shape[2];
    const int64_t groups = args.b.shape[1], state_dim = args.b.shape[2], sequences = args.state.shape[0];
    CHECK(groups > 0 && heads % groups == 0 && args.b.shape == (Shape{rows, groups, state_dim}));
    CHECK(args.c.shape == args.b.shape && args.dt.shape == (Shape{rows, heads}) && args.out.shape == args.input.shape);
    CHECK(args.a.shape == Shape{heads} && args.d.shape == Shape{heads});
    CHECK(args.state.shape == (Shape{sequences, heads, head_dim, state_dim}));
    const int32_t* ids = sequence_ids(args.sequence, rows, sequences);
    const float *x = f32(args.input), *dt = f32(args.dt), *a = f32(args.a), *d = f32(args.d);
    const float *b = f32(args.b), *c = f32(args.c);
    float *state = f32(args.state), *out = f32(args.out);
    pool_.parallel_for(heads, 1, [&](int64_t begin, int64_t end) {
        std::vector<float> read(head_dim);
        for (int64_t h = begin; h < end; ++h) {
            for (int64_t r = 0; r < rows; ++r) {
                const int64_t at = r * heads + h, group = r * groups + h / (heads / groups);
                run(ScanToken{.head_dim = head_dim,
                              .state_dim = state_dim,
                              .x = x + at * head_dim,
                              .b = b + group * state_dim,
                              .c = c + group * state_dim,
                              .dt = dt[at],
                              .a = a[h],
                              .d = d[h],
                              .state = state + (ids[r] * heads + h) * head_dim * state_dim,
                              .read = read.data(),
                              .out = out + at * head_dim});
            }
        }
    });
}

void ReferenceOps::causal_conv(const CausalConv& args) {
    CHECK(args.input.shape.rank() == 2 && args.weight.shape.rank() == 2 && args.state.shape.rank() == 3);
    const int64_t rows = args.input.shape[0], channels = args.input.shape[1], taps = args.weight.shape[1];
    const int64_t sequences = args.state.shape[0];
    CHECK(args.weight.shape == (Shape{channels, taps}) && taps >= 1 && args.out.shape == args.input.shape);
    CHECK(args.state.shape == (Shape{sequences, taps - 1, channels}));
    CHECK(!args.bias || args.bias.shape == Shape{channels});
    const int32_t* ids = sequence_ids(args.sequence, rows, sequences);
    const float *input = f32(args.input), *weight = f32(args.weight), *bias = f32_or_null(args.bias);
    float *state = f32(args.state), *out = f32(args.out);
    pool_.parallel_for(channels, 64, [&](int64_t begin, int64_t end) {
        for (int64_t r = 0; r < rows; ++r) {
            for (int64_t c = begin; c < end; ++c) {
                float* past = state + ids[r] * (taps - 1) * channels + c;
                float y = convolve(input[r * channels + c], weight + c * taps, taps, past, channels);
                if (bias != nullptr) y += bias[c];
                out[r * channels + c] = reference::activate(args.activation, y);
            }
        }
    });
}

}  // namespace godwit::reference
