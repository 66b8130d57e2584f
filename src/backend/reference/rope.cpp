// Rotary position embedding (Su et al., "RoFormer", 2021): a table of angles once a step, then every head is turned by
// it.
#include "backend/reference/host_view.hpp"
#include "backend/reference/reference_device.hpp"
#include "base/clones.hpp"
#include "base/sincos.hpp"

namespace godwit::reference {
namespace {

GODWIT_CLONES void angles_row(double position, const float* frequencies, int64_t pairs, float magnitude, float* out) {
    for (int64_t i = 0; i < pairs; ++i) {
        const SinCos angle = sincos(position * double{frequencies[i]});
        out[2 * i] = static_cast<float>(angle.cos * magnitude);
        out[2 * i + 1] = static_cast<float>(angle.sin * magnitude);
    }
}

}  // namespace

void ReferenceOps::rope_table(const View& positions, const View& frequencies, float magnitude, const View& out) {
    int64_t pairs = frequencies.shape.elements(), rows = positions.shape.elements();
    CHECK(out.shape == (Shape{rows, pairs, 2}));
    const int32_t* position = i32(positions);
    const float* frequency = f32(frequencies);
    float* table = f32(out);
    pool_.parallel_for(rows, 16, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r)
            angles_row(position[r], frequency, pairs, magnitude, table + 2 * r * pairs);
    });
}

void ReferenceOps::rope(const View& in, const View& table, RopePairing pairing, const View& out) {
    CHECK(in.shape == out.shape && in.shape.rank() == 3 && table.shape[0] == in.shape[0]);
    int64_t heads = in.shape[1], head_dim = in.shape[2], pairs = table.shape[1];
    CHECK(2 * pairs <= head_dim);
    int64_t step = pairing == RopePairing::Interleaved ? 2 : 1;
    int64_t partner = pairing == RopePairing::Interleaved ? 1 : pairs;
    const float *x = f32(in), *angles = f32(table);
    float* y = f32(out);
    for (int64_t r = 0; r < in.shape[0]; ++r, angles += 2 * pairs)
        for (int64_t h = 0; h < heads; ++h, x += head_dim, y += head_dim) {
            for (int64_t i = 0; i < pairs; ++i) {
                float cos = angles[2 * i], sin = angles[2 * i + 1];
                float a = x[i * step], b = x[i * step + partner];
                y[i * step] = std::fma(a, cos, -(b * sin));
                y[i * step + partner] = std::fma(a, sin, b * cos);
            }
            for (int64_t i = 2 * pairs; i < head_dim; ++i) y[i] = x[i];
        }
}

}  // namespace godwit::reference
