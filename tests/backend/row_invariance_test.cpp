// Invariant I1 for every op that works on rows: however the rows are cut into calls, and whatever the threads, each row
// has the same bits. Ops with a state are cut in order, and the state carries over. Zero rows are one of the pieces.
#include <algorithm>
#include <bit>
#include <functional>

#include "backend/ops_fixture.hpp"

namespace godwit {
namespace {

constexpr int64_t kRows = 11, kColumns = 37;

/// Runs the op on rows [begin, begin + count) and returns what it wrote for them.
using RunRows = std::function<std::vector<float>(int64_t begin, int64_t count)>;

struct RowOp {
    const char* name;
    std::function<RunRows(OpsBench&)> prepare;  // makes the inputs, the same for every bench
};

/// An op on [rows, columns] inputs a and b with an output of the same shape.
RowOp plain(const char* name, std::function<void(Ops&, const View& a, const View& b, const View& out)> op) {
    return {name, [op](OpsBench& bench) -> RunRows {
                const View a = bench.random(Shape{kRows, kColumns}, 1), b = bench.random(Shape{kRows, kColumns}, 2);
                return [=, &bench](int64_t begin, int64_t count) {
                    View out = bench.zeros(Shape{count, kColumns});
                    op(bench.ops(), a.slice(begin, count), b.slice(begin, count), out);
                    return bench.read(out);
                };
            }};
}

/// [columns] of weights, made where an op needs them.
View vector_of(OpsBench& bench, int64_t columns = kColumns) { return bench.random(Shape{columns}, 9); }

std::vector<std::byte> q8_0_bytes(const Shape& shape) {
    std::vector<std::byte> bytes(tensor_bytes(DType::Q8_0, shape));
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i % 34 < 2 ? 0x2c : i * 37 % 251);
    return bytes;
}

/// Chosen rows, norm, bias, activation, and either a second, gated target or a residual.
RunRows linear(OpsBench& bench, bool gated) {
    static const auto bytes = q8_0_bytes(Shape{19, 64});
    const View input = bench.random(Shape{kRows, 64}, 1), residual = bench.random(Shape{kRows, 19}, 2);
    const View rows = bench.ints(Shape{kRows}, {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 10});
    const View norm = vector_of(bench, 64), bias = vector_of(bench, 19);
    const Weight weight = bench.weight(DType::Q8_0, Shape{19, 64}, bytes);
    return [=, &bench](int64_t begin, int64_t count) {
        const View out = bench.zeros(Shape{count, 19});
        const LinearTarget targets[] = {{weight, bias, out}, {weight, {}, bench.zeros(Shape{count, 19})}};
        bench.ops().linear({.input = input,
                            .norm = norm,
                            .epsilon = 1e-5f,
                            .rows = rows.slice(begin, count),
                            .targets = std::span(targets).first(gated ? 2 : 1),
                            .activation = Activation::Silu,
                            .gated = gated,
                            .residual = gated ? View{} : residual.slice(begin, count)});
        return bench.read(out);
    };
}

RunRows linear_experts(OpsBench& bench) {
    static const auto bytes = q8_0_bytes(Shape{3, 19, 64});
    const View input = bench.random(Shape{kRows, 64}, 1);
    const View experts = bench.ints(Shape{kRows}, {2, 2, 0, 1, 1, 1, 0, 2, 0, 0, 1});
    const Weight weight = bench.weight(DType::Q8_0, Shape{3, 19, 64}, bytes);
    return [=, &bench](int64_t begin, int64_t count) {
        const View out = bench.zeros(Shape{count, 19});
        bench.ops().linear_experts(input.slice(begin, count), weight, experts.slice(begin, count), out);
        return bench.read(out);
    };
}

RunRows embed(OpsBench& bench) {
    static const auto bytes = q8_0_bytes(Shape{8, 64});
    const Weight table = bench.weight(DType::Q8_0, Shape{8, 64}, bytes);
    const View ids = bench.ints(Shape{kRows}, {3, 1, 4, 1, 5, 7, 2, 6, 5, 3, 0});
    return [=, &bench](int64_t begin, int64_t count) {
        const View out = bench.zeros(Shape{count, 64});
        bench.ops().embed(table, ids.slice(begin, count), 1.7f, out);
        return bench.read(out);
    };
}

RunRows gather_rows(OpsBench& bench) {
    const View in = bench.random(Shape{5, kColumns}, 1);
    const View index = bench.ints(Shape{kRows}, {4, 0, 3, 3, 1, 2, 4, 4, 0, 1, 2});
    return [=, &bench](int64_t begin, int64_t count) {
        const View out = bench.zeros(Shape{count, kColumns});
        bench.ops().gather_rows(in, index.slice(begin, count), out);
        return bench.read(out);
    };
}

RunRows argmax_and_top_k(OpsBench& bench) {
    const View in = bench.random(Shape{kRows, kColumns}, 1);
    return [=, &bench](int64_t begin, int64_t count) {
        const View values = bench.zeros(Shape{count, 4}), places = bench.zeros(Shape{count, 4}, DType::I32);
        const View best = bench.zeros(Shape{count}, DType::I32);
        bench.ops().top_k(in.slice(begin, count), values, places);
        bench.ops().argmax(in.slice(begin, count), best);
        std::vector<float> rows;  // value, place and argmax of a row side by side
        for (int64_t r = 0; r < count; ++r) {
            for (int64_t i = 4 * r; i < 4 * r + 4; ++i) {
                rows.push_back(bench.read(values)[i]);
                rows.push_back(static_cast<float>(bench.read_ints(places)[i]));
            }
            rows.push_back(static_cast<float>(bench.read_ints(best)[r]));
        }
        return rows;
    };
}

RunRows route(OpsBench& bench) {
    const View logits = bench.random(Shape{kRows, 12}, 1), bias = vector_of(bench, 12);
    return [=, &bench](int64_t begin, int64_t count) {
        const View experts = bench.zeros(Shape{count, 1}, DType::I32), weights = bench.zeros(Shape{count, 1});
        bench.ops().route({.logits = logits.slice(begin, count),
                           .bias = bias,
                           .score = Route::Score::Softmax,
                           .groups = 3,
                           .groups_used = 2,
                           .experts = experts,
                           .weights = weights});
        auto rows = bench.read(weights);  // weight + id, one number a row
        for (size_t r = 0; r < rows.size(); ++r) rows[r] += static_cast<float>(bench.read_ints(experts)[r]);
        return rows;
    };
}

RunRows rope(OpsBench& bench) {
    const View in = bench.random(Shape{kRows, 2, 10}, 1), frequencies = bench.floats(Shape{3}, {1, 0.1f, 0.001f});
    const View positions = bench.ints(Shape{kRows}, {0, 1, 2, 3, 100, 101, 7, 9999, 131072, 5, 6});
    return [=, &bench](int64_t begin, int64_t count) {
        const View table = bench.zeros(Shape{count, 3, 2}), out = bench.zeros(Shape{count, 2, 10});
        bench.ops().rope_table(positions.slice(begin, count), frequencies, 1.1f, table);
        bench.ops().rope(in.slice(begin, count), table, RopePairing::HalfSplit, out);
        return bench.read(out);
    };
}

RunRows attention(OpsBench& bench) {
    const View query = bench.random(Shape{kRows, 4, 8}, 1), sinks = vector_of(bench, 4);
    const View keys = bench.random(Shape{40, 2, 8, 32}, 2), values = bench.random(Shape{40, 2, 32, 6}, 3);
    std::vector<int32_t> blocks(2 * 20);
    for (size_t i = 0; i < blocks.size(); ++i) blocks[i] = static_cast<int32_t>(i * 37 % 40);
    const View table = bench.ints(Shape{2, 20}, blocks);
    const View sequence = bench.ints(Shape{kRows}, {0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0});
    const View index = bench.ints(Shape{kRows}, {0, 1, 255, 256, 257, 511, 512, 639, 3, 15, 16});
    return [=, &bench](int64_t begin, int64_t count) {
        const View out = bench.zeros(Shape{count, 4, 6});
        bench.ops().attention({.query = query.slice(begin, count),
                               .keys = keys,
                               .values = values,
                               .block_table = table,
                               .sequence = sequence.slice(begin, count),
                               .index = index.slice(begin, count),
                               .window = 300,
                               .scale = 0.4f,
                               .softcap = 5,
                               .sinks = sinks,
                               .out = out});
        return bench.read(out);
    };
}

View mixed_sequences(OpsBench& bench) { return bench.ints(Shape{kRows}, {0, 1, 0, 0, 2, 1, 0, 2, 2, 0, 1}); }

RunRows delta_rule(OpsBench& bench) {
    const View query = bench.random(Shape{kRows, 2, 5}, 1), key = bench.random(Shape{kRows, 2, 5}, 2);
    const View value = bench.random(Shape{kRows, 2, 7}, 3), decay = bench.random(Shape{kRows, 2, 5}, 4);
    const View beta = bench.random(Shape{kRows, 2}, 5), state = bench.random(Shape{3, 2, 5, 7}, 6);
    const View sequence = mixed_sequences(bench);
    return [=, &bench](int64_t begin, int64_t count) {
        const View out = bench.zeros(Shape{count, 2, 7});
        bench.ops().delta_rule({query.slice(begin, count), key.slice(begin, count), value.slice(begin, count),
                                decay.slice(begin, count), beta.slice(begin, count), state,
                                sequence.slice(begin, count), out});
        return bench.read(out);
    };
}

RunRows selective_scan(OpsBench& bench) {
    const View input = bench.random(Shape{kRows, 4, 3}, 1), dt = bench.random(Shape{kRows, 4}, 2);
    const View b = bench.random(Shape{kRows, 2, 5}, 3), c = bench.random(Shape{kRows, 2, 5}, 4);
    const View a = vector_of(bench, 4), state = bench.random(Shape{3, 4, 3, 5}, 6), sequence = mixed_sequences(bench);
    return [=, &bench](int64_t begin, int64_t count) {
        const View out = bench.zeros(Shape{count, 4, 3});
        bench.ops().selective_scan({input.slice(begin, count), dt.slice(begin, count), a, a, b.slice(begin, count),
                                    c.slice(begin, count), state, sequence.slice(begin, count), out});
        return bench.read(out);
    };
}

RunRows causal_conv(OpsBench& bench) {
    const View input = bench.random(Shape{kRows, 70}, 1), weight = bench.random(Shape{70, 4}, 2);
    const View state = bench.random(Shape{3, 3, 70}, 3), bias = vector_of(bench, 70), sequence = mixed_sequences(bench);
    return [=, &bench](int64_t begin, int64_t count) {
        const View out = bench.zeros(Shape{count, 70});
        bench.ops().causal_conv(
            {input.slice(begin, count), weight, bias, state, sequence.slice(begin, count), Activation::Silu, out});
        return bench.read(out);
    };
}

std::vector<RowOp> row_ops() {
    return {
        plain("add", [](Ops& ops, auto& a, auto& b, auto& out) { ops.add(a, b, out); }),
        plain("multiply", [](Ops& ops, auto& a, auto& b, auto& out) { ops.multiply(a, b, out); }),
        plain("scale", [](Ops& ops, auto& a, auto&, auto& out) { ops.scale(a, 0.3f, out); }),
        plain("copy", [](Ops& ops, auto& a, auto&, auto& out) { ops.copy(a, out); }),
        plain("activate", [](Ops& ops, auto& a, auto&, auto& out) { ops.activate(Activation::GeluErf, a, out); }),
        plain("gate", [](Ops& ops, auto& a, auto& b, auto& out) { ops.gate(Activation::Silu, a, b, out); }),
        plain("softcap", [](Ops& ops, auto& a, auto&, auto& out) { ops.softcap(a, 2, out); }),
        plain("rms_norm", [](Ops& ops, auto& a, auto& b, auto& out) { ops.rms_norm(a, {}, 1e-5f, b, out); }),
        plain("l2_norm", [](Ops& ops, auto& a, auto&, auto& out) { ops.l2_norm(a, 1e-5f, out); }),
        plain("softmax", [](Ops& ops, auto& a, auto&, auto& out) { ops.softmax(a, out); }),
        {"layer_norm",
         [](OpsBench& bench) -> RunRows {
             const View in = bench.random(Shape{kRows, kColumns}, 1), weight = vector_of(bench);
             return [=, &bench](int64_t begin, int64_t count) {
                 const View out = bench.zeros(Shape{count, kColumns});
                 bench.ops().layer_norm(in.slice(begin, count), weight, weight, 1e-5f, out);
                 return bench.read(out);
             };
         }},
        {"linear", [](OpsBench& bench) { return linear(bench, false); }},
        {"linear_gated", [](OpsBench& bench) { return linear(bench, true); }},
        {"linear_experts", linear_experts},
        {"embed", embed},
        {"gather_rows", gather_rows},
        {"argmax_and_top_k", argmax_and_top_k},
        {"route", route},
        {"rope", rope},
        {"attention", attention},
        {"delta_rule", delta_rule},
        {"selective_scan", selective_scan},
        {"causal_conv", causal_conv},
    };
}

/// The bits of all rows, computed in calls of these many rows.
std::vector<uint32_t> run_in_pieces(const RowOp& op, int threads, const std::vector<int64_t>& pieces) {
    OpsBench bench(threads);
    RunRows run = op.prepare(bench);
    std::vector<uint32_t> bits;
    int64_t begin = 0;
    for (int64_t count : pieces) {
        for (float value : run(begin, count)) bits.push_back(std::bit_cast<uint32_t>(value));
        begin += count;
    }
    CHECK(begin == kRows);
    return bits;
}

class RowInvarianceTest : public testing::TestWithParam<RowOp> {};

TEST_P(RowInvarianceTest, ARowHasTheSameBitsInEveryCall) {
    const auto want = run_in_pieces(GetParam(), 3, {kRows});
    EXPECT_GT(std::count_if(want.begin(), want.end(), [](uint32_t bits) { return bits != 0; }), kRows / 2);
    EXPECT_EQ(run_in_pieces(GetParam(), 1, {kRows}), want);
    EXPECT_EQ(run_in_pieces(GetParam(), 3, std::vector<int64_t>(kRows, 1)), want);
    EXPECT_EQ(run_in_pieces(GetParam(), 2, {0, 5, 0, 6}), want);
    EXPECT_EQ(run_in_pieces(GetParam(), 4, {1, 7, 3, 0}), want);
}

INSTANTIATE_TEST_SUITE_P(Ops, RowInvarianceTest, testing::ValuesIn(row_ops()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace godwit
