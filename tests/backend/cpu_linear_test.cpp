// Products with packed weights against the reference: every type, shapes that cut tiles, panels and lanes unevenly, the
// greatest sums that integers must hold, and activations of all kinds.
#include "backend/conformance.hpp"
#include "backend/cpu/packed.hpp"
#include "backend/weight_maker.hpp"

namespace godwit {
namespace {

using test::kWeightTypes;
using test::WeightMaker;

std::vector<std::byte> to_bytes(const std::string& text) {
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
}

std::vector<std::byte> random_weights(DType dtype, const Shape& shape, uint64_t seed) {
    return to_bytes(WeightMaker(seed).weights(dtype, shape.elements()));
}

int64_t block(DType dtype) { return dtype_info(dtype).block_elements; }

class CpuLinear : public ConformanceTest {
protected:
    std::vector<float> multiply(OpsBench& bench, DType dtype, const std::vector<std::byte>& weights, int64_t outputs,
                                int64_t in, const std::vector<float>& x) {
        const int64_t rows = static_cast<int64_t>(x.size()) / in;
        const Shape out_shape{rows, outputs}, in_shape{rows, in};
        Guarded out(bench, out_shape, 3);
        const LinearTarget target{bench.weight(dtype, Shape{outputs, in}, weights), {}, out};
        bench.ops().linear({.input = Guarded(bench, in_shape, 1, x), .targets = {&target, 1}});
        return out.read_all();
    }
    void expect_product(DType dtype, const std::vector<std::byte>& weights, int64_t outputs, int64_t in,
                        const std::vector<float>& x) {
        SCOPED_TRACE(testing::Message() << dtype_name(dtype) << ' ' << x.size() / in << " rows, " << outputs << " x "
                                        << in);
        expect_conforming([&](OpsBench& bench) { return multiply(bench, dtype, weights, outputs, in, x); });
    }
};

TEST_P(CpuLinear, EveryTypeAndShape) {
    for (DType dtype : kWeightTypes) {
        const int64_t unit = std::max<int64_t>(block(dtype), block(dtype) == 1 ? 37 : 1);
        const std::vector<int64_t> rows = GetParam().slow
                                              ? std::vector<int64_t>{0, 1, 7}
                                              : std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 31, 64};
        for (int64_t outputs : {1, 16, 35})
            for (int64_t blocks : {1, 3})
                for (int64_t n : rows) {
                    const auto weights = random_weights(dtype, Shape{outputs, blocks * unit}, outputs + blocks);
                    expect_product(dtype, weights, outputs, blocks * unit,
                                   row_floats(n, blocks * unit, static_cast<uint32_t>(n)));
                    if (HasFatalFailure()) return;
                }
    }
}

TEST_P(CpuLinear, ManyRowsAndOutputs) {
    const int64_t rows = GetParam().slow ? 10 : 300;
    for (DType dtype : kWeightTypes) {
        const auto weights = random_weights(dtype, Shape{600, 512}, 7);
        expect_product(dtype, weights, 600, 512, row_floats(rows, 512, 8));
        if (HasFatalFailure()) return;
    }
}

/// All integers of the weights and of the activations as great as they can be, of one sign or of both.
TEST_P(CpuLinear, GreatestSums) {
    for (DType dtype : kWeightTypes) {
        if (block(dtype) == 1) continue;
        constexpr int64_t kIn = 512, kOut = 16;
        for (int fill : {0x00, 0xff, 0x7f, 0x80, 0x0f, 0xf0}) {
            SCOPED_TRACE(testing::Message() << "bytes " << fill);
            const auto weights = to_bytes(WeightMaker(1, static_cast<uint8_t>(fill)).weights(dtype, kOut * kIn));
            for (float second : {1.0f, -1.0f}) {
                std::vector<float> x(kIn * 3, 1.0f);
                for (size_t i = 0; i < x.size(); i += 2) x[i] = second;
                expect_product(dtype, weights, kOut, kIn, x);
                if (HasFatalFailure()) return;
            }
        }
    }
}

TEST_P(CpuLinear, NormBiasActivationGateAndResidual) {
    constexpr int64_t kIn = 256, kOut = 50, kRows = 5;
    for (DType dtype : {DType::F32, DType::F16, DType::Q8_0, DType::Q4_K, DType::Q2_K})
        for (Activation activation : {Activation::None, Activation::Silu, Activation::GeluTanh, Activation::Softplus})
            for (bool gated : {false, true}) {
                SCOPED_TRACE(testing::Message() << dtype_name(dtype) << " activation " << static_cast<int>(activation)
                                                << " gated " << gated);
                const auto one = random_weights(dtype, Shape{kOut, kIn}, 1),
                           two = random_weights(DType::Q5_1, Shape{kOut, kIn}, 2);
                expect_conforming([&](OpsBench& bench) {
                    const View out = bench.random(Shape{kRows, kOut}, 3);
                    const LinearTarget targets[] = {
                        {bench.weight(dtype, Shape{kOut, kIn}, one), bench.random(Shape{kOut}, 4), out},
                        {bench.weight(DType::Q5_1, Shape{kOut, kIn}, two), {}, bench.zeros(Shape{kRows, kOut})}};
                    bench.ops().linear({.input = bench.random(Shape{9, kIn}, 5),
                                        .norm = bench.random(Shape{kIn}, 6),
                                        .epsilon = 1e-5f,
                                        .rows = bench.ints(Shape{kRows}, {8, 0, 3, 3, 1}),
                                        .targets = std::span(targets).first(gated ? 2 : 1),
                                        .activation = activation,
                                        .gated = gated,
                                        .residual = gated ? View{} : out});
                    return bench.read(out);
                });
                if (HasFatalFailure()) return;
            }
}

TEST_P(CpuLinear, SeveralMatricesOfDifferentTypes) {
    constexpr int64_t kIn = 512, kRows = 11;
    const auto q = random_weights(DType::Q4_K, Shape{70, kIn}, 1), k = random_weights(DType::Q5_0, Shape{16, kIn}, 2),
               v = random_weights(DType::F16, Shape{9, kIn}, 3);
    expect_conforming([&](OpsBench& bench) {
        const View outs[] = {bench.zeros(Shape{kRows, 70}), bench.zeros(Shape{kRows, 16}),
                             bench.zeros(Shape{kRows, 9})};
        const LinearTarget targets[] = {{bench.weight(DType::Q4_K, Shape{70, kIn}, q), {}, outs[0]},
                                        {bench.weight(DType::Q5_0, Shape{16, kIn}, k), {}, outs[1]},
                                        {bench.weight(DType::F16, Shape{9, kIn}, v), {}, outs[2]}};
        bench.ops().linear({.input = bench.random(Shape{kRows, kIn}, 4), .targets = targets});
        std::vector<float> all;
        for (const View& out : outs) {
            const auto values = bench.read(out);
            all.insert(all.end(), values.begin(), values.end());
        }
        return all;
    });
}

TEST_P(CpuLinear, ExpertsAndEmbedding) {
    for (DType dtype : kWeightTypes) {
        SCOPED_TRACE(dtype_name(dtype));
        const auto experts = random_weights(dtype, Shape{3, 21, 256}, 1),
                   table = random_weights(dtype, Shape{37, 256}, 2);
        expect_conforming([&](OpsBench& bench) {
            const View out = bench.zeros(Shape{7, 21}), rows = bench.zeros(Shape{4, 256});
            bench.ops().linear_experts(bench.random(Shape{7, 256}, 3), bench.weight(dtype, Shape{3, 21, 256}, experts),
                                       bench.ints(Shape{7}, {0, 0, 0, 2, 1, 1, 0}), out);
            bench.ops().embed(bench.weight(dtype, Shape{37, 256}, table), bench.ints(Shape{4}, {0, 36, 15, 16}), 1.5f,
                              rows);
            std::vector<float> all = bench.read(out);
            const std::vector<float> more = bench.read(rows);
            all.insert(all.end(), more.begin(), more.end());
            return all;
        });
        if (HasFatalFailure()) return;
    }
}

INSTANTIATE_TEST_SUITE_P(Tables, CpuLinear, testing::ValuesIn(tables_under_test()), table_name);

TEST(Packed, RowsComeBackAsTheyWere) {
    for (DType dtype : kWeightTypes) {
        if (!cpu::can_pack(dtype)) continue;
        SCOPED_TRACE(dtype_name(dtype));
        const int64_t columns = 2 * block(dtype) + (block(dtype) == 1 ? 5 : 0);
        const auto row_bytes = static_cast<int64_t>(tensor_bytes(dtype, Shape{columns}));
        for (int64_t rows : {1, 15, 16}) {
            const auto file = random_weights(dtype, Shape{rows, columns}, rows);
            std::vector<std::byte> panel(cpu::panel_bytes(dtype, columns), std::byte{0xee});
            cpu::pack_panel(dtype, file.data(), rows, columns, panel.data());
            for (int64_t lane = 0; lane < 16; ++lane) {
                std::vector<std::byte> row(row_bytes);
                cpu::unpack_row(dtype, panel.data(), lane, columns, row.data());
                std::vector<std::byte> want(row_bytes);
                if (lane < rows) want.assign(file.begin() + lane * row_bytes, file.begin() + (lane + 1) * row_bytes);
                EXPECT_EQ(row, want) << "row " << lane << " of " << rows;
            }
        }
    }
}

TEST(Packed, TakesNoMoreThanTheFileButForTheLastPanel) {
    EXPECT_EQ(cpu::packed_bytes(DType::Q4_0, Shape{32, 64}), 32 * 2 * sizeof(BlockQ4_0));
    EXPECT_EQ(cpu::packed_bytes(DType::Q6_K, Shape{33, 256}), 48 * sizeof(BlockQ6_K));
    EXPECT_EQ(cpu::packed_bytes(DType::Q6_K, Shape{3, 17, 256}), 3 * 32 * sizeof(BlockQ6_K));
}

}  // namespace
}  // namespace godwit
