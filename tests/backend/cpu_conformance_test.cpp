// Elementwise ops, norms, softmax and rope of the cpu backend against the reference.
#include "backend/conformance.hpp"

namespace godwit {
namespace {

constexpr Activation kActivations[] = {Activation::None,        Activation::Silu,    Activation::GeluTanh,
                                       Activation::GeluErf,     Activation::Relu,    Activation::Tanh,
                                       Activation::ReluSquared, Activation::Sigmoid, Activation::Softplus};

class CpuConformance : public ConformanceTest {
protected:
    using Call = std::function<void(Ops&, const View& a, const View& b, const View& c, const View& out)>;

    /// An op on inputs a and b of one shape and c [columns], apart from its output and in the place of either input.
    void expect_all_shapes(const char* name, const Call& call) {
        for (const Shape& shape : shapes()) {
            SCOPED_TRACE(testing::Message() << name << ' ' << shape.to_string());
            const auto a = row_floats(shape[0], shape[1], 1), b = row_floats(shape[0], shape[1], 2),
                       c = row_floats(1, shape[1], 3);
            expect_conforming([&](OpsBench& bench) {
                Guarded x(bench, shape, 3, a), y(bench, shape, 5, b), weight(bench, Shape{shape[1]}, 1, c),
                    out(bench, shape, 7);
                call(bench.ops(), x, y, weight, out);
                std::vector<float> written = out.read_all();
                call(bench.ops(), x, y, weight, x);
                const std::vector<float> in_place = x.read_all();
                written.insert(written.end(), in_place.begin(), in_place.end());
                return written;
            });
            if (HasFatalFailure()) return;
        }
    }
};

TEST_P(CpuConformance, Arithmetic) {
    expect_all_shapes("add", [](Ops& ops, auto& a, auto& b, auto&, auto& out) { ops.add(a, b, out); });
    expect_all_shapes("multiply", [](Ops& ops, auto& a, auto& b, auto&, auto& out) { ops.multiply(a, b, out); });
    expect_all_shapes("scale", [](Ops& ops, auto& a, auto&, auto&, auto& out) { ops.scale(a, 0.3f, out); });
    expect_all_shapes("softcap", [](Ops& ops, auto& a, auto&, auto&, auto& out) { ops.softcap(a, 1.7f, out); });
}

TEST_P(CpuConformance, Activations) {
    for (Activation each : kActivations) {
        SCOPED_TRACE(static_cast<int>(each));
        expect_all_shapes("activate", [=](Ops& ops, auto& a, auto&, auto&, auto& out) { ops.activate(each, a, out); });
        expect_all_shapes("gate", [=](Ops& ops, auto& a, auto& b, auto&, auto& out) { ops.gate(each, a, b, out); });
    }
}

// exp, tanh and erf are inside: every so many floats by their bits, so many prime to powers of two, and finely those
// that exp does not send to 0 or infinity.
TEST_P(CpuConformance, ActivationsOfAllKindsOfFloats) {
    const bool slow = GetParam().slow;
    std::vector<float> all;
    for (uint64_t bits = 0; bits <= 0xffffffffu; bits += slow ? 60013 : 4001)
        all.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    for (float x = -106; x < 91; x += slow ? 0x1.3p-8f : 0x1.3p-13f) all.push_back(x);
    const Shape shape{static_cast<int64_t>(all.size())};
    OpsBench reference(2), bench(2, GetParam().kernels);
    const View in = reference.floats(shape, all), want = reference.zeros(shape);
    const View x = bench.floats(shape, all), got = bench.zeros(shape);
    for (Activation each : kActivations) {
        SCOPED_TRACE(static_cast<int>(each));
        reference.ops().activate(each, in, want);
        bench.ops().activate(each, x, got);
        expect_same_bits(bench.read(got), reference.read(want));
    }
}

TEST_P(CpuConformance, Norms) {
    expect_all_shapes("rms_norm",
                      [](Ops& ops, auto& a, auto&, auto&, auto& out) { ops.rms_norm(a, {}, 1e-5f, {}, out); });
    expect_all_shapes("rms_norm weight",
                      [](Ops& ops, auto& a, auto&, auto& c, auto& out) { ops.rms_norm(a, c, 1e-6f, {}, out); });
    expect_all_shapes("rms_norm all",
                      [](Ops& ops, auto& a, auto& b, auto& c, auto& out) { ops.rms_norm(a, c, 1e-6f, b, out); });
    expect_all_shapes("rms_norm into the residual",
                      [](Ops& ops, auto& a, auto& b, auto&, auto&) { ops.rms_norm(b, {}, 1e-6f, a, a); });
    expect_all_shapes("layer_norm",
                      [](Ops& ops, auto& a, auto&, auto& c, auto& out) { ops.layer_norm(a, c, {}, 1e-5f, out); });
    expect_all_shapes("layer_norm bias",
                      [](Ops& ops, auto& a, auto&, auto& c, auto& out) { ops.layer_norm(a, c, c, 1e-5f, out); });
    expect_all_shapes("l2_norm", [](Ops& ops, auto& a, auto&, auto&, auto& out) { ops.l2_norm(a, 1e-6f, out); });
}

TEST_P(CpuConformance, Softmax) {
    expect_all_shapes("softmax", [](Ops& ops, auto& a, auto&, auto&, auto& out) { ops.softmax(a, out); });
}

TEST_P(CpuConformance, SoftmaxOfMaskedRows) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (int64_t columns : {1, 5, 16, 40}) {
        const Shape shape{5, columns};
        std::vector<float> values = random_floats(shape.elements(), 1);
        for (int64_t i = 0; i < columns; ++i) {
            values[i] = -kInfinity;                                  // nothing is left
            if (i != columns / 2) values[columns + i] = -kInfinity;  // one is left
            values[2 * columns + i] *= 1e30f;                        // one takes all
            values[3 * columns + i] = i % 2 == 0 ? -0.0f : 0.0f;     // the greatest is either zero
            if (i == columns - 1) values[4 * columns + i] = NAN;
        }
        expect_conforming([&](OpsBench& bench) {
            const Guarded in(bench, shape, 1, values), out(bench, shape, 2);
            bench.ops().softmax(in, out);
            return out.read_all();
        });
    }
}

TEST_P(CpuConformance, Rope) {
    for (RopePairing pairing : {RopePairing::Interleaved, RopePairing::HalfSplit})
        for (int64_t rows : GetParam().slow ? std::vector<int64_t>{0, 3} : std::vector<int64_t>{0, 1, 3, 300})
            for (auto [heads, head_dim, pairs] :
                 {std::tuple{1, 2, 1}, {3, 64, 32}, {2, 40, 15}, {2, 66, 33}, {1, 96, 24}, {2, 300, 150}, {2, 9, 0}}) {
                SCOPED_TRACE(testing::Message()
                             << rows << " rows, " << heads << " heads of " << head_dim << ", " << pairs << " pairs");
                const Shape shape{rows, heads, head_dim}, angles{rows, pairs, 2};
                const auto in = row_floats(rows * heads, head_dim, 1), turns = wild_floats(angles.elements(), 2);
                expect_conforming([&, pairing = pairing](OpsBench& bench) {
                    const Guarded x(bench, shape, 3, in), table(bench, angles, 1, turns), out(bench, shape, 5);
                    bench.ops().rope(x, table, pairing, out);
                    std::vector<float> written = out.read_all();
                    bench.ops().rope(x, table, pairing, x);
                    const std::vector<float> in_place = x.read_all();
                    written.insert(written.end(), in_place.begin(), in_place.end());
                    return written;
                });
            }
}

INSTANTIATE_TEST_SUITE_P(Isa, CpuConformance, testing::ValuesIn(tables_under_test()), table_name);

}  // namespace
}  // namespace godwit
