// attention and cache_write of the cpu backend against the reference: equal bits for every instruction set, any shape,
// any number of threads, however the rows are put together. Whatever no row sees holds NaN, and its blocks are not in
// the table.
#include "backend/conformance.hpp"
#include "backend/cpu/cpu_ops.hpp"

namespace godwit {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Case {
    int64_t kv_heads, group, head_dim, value_dim;
    DType format = DType::F16;
    int32_t window = 0;
    float softcap = 0;
    bool sinks = false;
    int64_t block_tokens = 32;
};

/// Rows of a sequence, side by side: places [first, first + count).
struct Rows {
    int32_t sequence, first, count;
};

/// Planes, a table and queries for some runs.
class Problem {
public:
    Problem(const Case& c, const std::vector<Rows>& runs, uint32_t seed) : case_(c), seed_(seed) {
        int32_t sequences = 0, longest = 0;
        for (const Rows& run : runs) {
            sequences = std::max(sequences, run.sequence + 1);
            longest = std::max(longest, run.first + run.count);
            for (int32_t i = 0; i < run.count; ++i) sequence_.push_back(run.sequence), index_.push_back(run.first + i);
        }
        fill_planes(sequences, longest);
        args_.query = bench_.random({rows(), heads(), c.head_dim}, seed + 1);
        args_.sequence = bench_.ints({rows()}, sequence_);
        args_.index = bench_.ints({rows()}, index_);
        args_.window = c.window;
        args_.scale = 3 / std::sqrt(static_cast<float>(c.head_dim));
        args_.softcap = c.softcap;
        if (c.sinks) args_.sinks = bench_.random({heads()}, seed + 2);
    }

    int64_t rows() const { return static_cast<int64_t>(index_.size()); }
    int64_t heads() const { return case_.kv_heads * case_.group; }

    /// Rows [begin, begin + count) by these ops.
    std::vector<float> run(Ops& ops, int64_t begin, int64_t count) {
        Attention args = args_;
        args.query = args.query.slice(begin, count);
        args.sequence = args.sequence.slice(begin, count);
        args.index = args.index.slice(begin, count);
        args.out = bench_.floats({count, heads(), case_.value_dim},
                                 std::vector<float>(count * heads() * case_.value_dim, kNan));
        ops.attention(args);
        return bench_.read(args.out);
    }
    std::vector<float> run(Ops& ops) { return run(ops, 0, rows()); }
    std::vector<float> reference() { return run(bench_.ops()); }

    /// Overwrites what one place of a sequence holds.
    void write(int32_t sequence, int64_t place, float value) {
        const int32_t slot = slot_of(sequence, place);
        write({slot},
              bench_.floats({1, case_.kv_heads, case_.head_dim},
                            std::vector<float>(case_.kv_heads * case_.head_dim, value)),
              bench_.floats({1, case_.kv_heads, case_.value_dim},
                            std::vector<float>(case_.kv_heads * case_.value_dim, value)));
    }

private:
    bool seen(int32_t sequence, int64_t place) const {
        for (size_t r = 0; r < index_.size(); ++r)
            if (sequence_[r] == sequence && place <= index_[r] &&
                (case_.window == 0 || place > index_[r] - case_.window))
                return true;
        return false;
    }
    int32_t slot_of(int32_t sequence, int64_t place) const {
        return static_cast<int32_t>(table_[sequence * width_ + place / case_.block_tokens] * case_.block_tokens +
                                    place % case_.block_tokens);
    }
    void write(const std::vector<int32_t>& slots, const View& key, const View& value) {
        bench_.ops().cache_write({.key = key,
                                  .value = value,
                                  .slot_mapping = bench_.ints({static_cast<int64_t>(slots.size())}, slots),
                                  .keys = args_.keys,
                                  .values = args_.values});
    }
    View poisoned(const Shape& shape) {
        View plane = bench_.zeros(shape, case_.format);
        bench_.ops().copy(bench_.floats(shape, std::vector<float>(shape.elements(), kNan)), plane);
        return plane;
    }
    void fill_planes(int32_t sequences, int32_t longest) {
        const int64_t tokens = case_.block_tokens;
        width_ = (longest + tokens - 1) / tokens;
        std::vector<int32_t> ids(sequences * width_ + 3);
        for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i);
        std::shuffle(ids.begin(), ids.end(), std::mt19937(seed_));
        table_.assign(sequences * width_, -1);
        std::vector<std::pair<int32_t, int64_t>> places;
        for (int32_t s = 0; s < sequences; ++s)
            for (int64_t place = 0; place < longest; ++place)
                if (seen(s, place)) {
                    places.emplace_back(s, place);
                    table_[s * width_ + place / tokens] = ids[s * width_ + place / tokens];
                }
        const auto blocks = static_cast<int64_t>(ids.size()), count = static_cast<int64_t>(places.size());
        args_.keys = poisoned({blocks, case_.kv_heads, case_.head_dim, tokens});
        args_.values = poisoned({blocks, case_.kv_heads, tokens, case_.value_dim});
        args_.block_table = bench_.ints({sequences, width_}, table_);
        std::vector<int32_t> slots;
        for (auto [s, place] : places) slots.push_back(slot_of(s, place));
        write(slots, bench_.random({count, case_.kv_heads, case_.head_dim}, seed_ + 3),
              bench_.random({count, case_.kv_heads, case_.value_dim}, seed_ + 4));
    }

    Case case_;
    uint32_t seed_;
    OpsBench bench_;
    int64_t width_ = 0;
    std::vector<int32_t> table_, sequence_, index_;
    Attention args_;
};

class CpuAttention : public testing::TestWithParam<TableUnderTest> {
protected:
    /// All rows at once, with these numbers of threads.
    void expect_equal(Problem& problem, std::initializer_list<int> threads) {
        const std::vector<float> want = problem.reference();
        for (float x : want) ASSERT_TRUE(std::isfinite(x));
        for (int n : threads) {
            SCOPED_TRACE(testing::Message() << n << " threads");
            ThreadPool pool(n);
            cpu::CpuOps ops(kernels(), pool);
            expect_same_bits(problem.run(ops), want);
            if (GetParam().slow) break;
        }
    }
    const cpu::Kernels& kernels() const { return *GetParam().kernels; }
};

TEST_P(CpuAttention, Shapes) {
    const std::vector<Rows> runs = {{0, 0, 70},  {1, 250, 9}, {2, 31, 1}, {3, 32, 1},
                                    {1, 511, 2}, {4, 600, 1}, {0, 255, 3}};
    for (DType format : {DType::F16, DType::F32})
        for (Case c : {Case{1, 1, 1, 1}, Case{2, 1, 5, 7}, Case{3, 3, 64, 64}, Case{2, 7, 64, 64}, Case{1, 4, 256, 256},
                       Case{2, 2, 80, 80}, Case{1, 8, 96, 33}, Case{2, 4, 128, 128}, Case{1, 50, 17, 48},
                       Case{1, 1, 576, 512}}) {
            SCOPED_TRACE(testing::Message() << dtype_name(format) << ' ' << c.kv_heads << " × " << c.group
                                            << " heads, dim " << c.head_dim << ", " << c.value_dim);
            c.format = format;
            Problem problem(c, runs, 1);
            expect_equal(problem, {1, 3});
        }
}

TEST_P(CpuAttention, WindowsSoftcapsSinksAndBlocks) {
    const std::vector<Rows> runs = {{0, 0, 40}, {1, 300, 40}, {2, 3000, 1}, {0, 1000, 20}, {3, 511, 3}};
    for (int32_t window : {0, 1, 31, 32, 33, 256, 512, 600})
        for (int64_t block_tokens : {32, 64, 256}) {
            SCOPED_TRACE(testing::Message() << "window " << window << ", blocks of " << block_tokens);
            Problem problem({2, 3, 12, 20, block_tokens == 64 ? DType::F32 : DType::F16, window,
                             window % 2 == 1 ? 0.9f : 0.0f, window > 200, block_tokens},
                            runs, static_cast<uint32_t>(window));
            expect_equal(problem, {1, 2, 4, 8});
        }
}

/// Rows of one sequence side by side, whatever their order and distance: what lies between them may be gone.
TEST_P(CpuAttention, RowsInAnyOrder) {
    const std::vector<Rows> runs = {{0, 900, 1}, {0, 3, 1},  {0, 257, 2}, {0, 255, 1},
                                    {0, 900, 1}, {1, 63, 1}, {1, 31, 1},  {1, 64, 2}};
    for (int32_t window : {0, 40}) {
        Problem problem({1, 2, 8, 40, DType::F16, window}, runs, 5);
        expect_equal(problem, {1, 2});
    }
}

/// More sums than are kept at once: summed in rounds. (For slow tables a shorter one: how work is cut is not theirs.)
TEST_P(CpuAttention, LongContextsInRounds) {
    Problem problem({4, 12, 3, 256, DType::F16, 0, 0, true}, {{0, GetParam().slow ? 700 : 25000, 1}, {1, 40, 1}}, 7);
    expect_equal(problem, {1, 2, 3});
}

TEST_P(CpuAttention, RandomBatches) {
    std::mt19937 random(11);
    const auto pick = [&](std::initializer_list<int> from) { return from.begin()[random() % from.size()]; };
    for (uint32_t seed = 0; seed < (GetParam().slow ? 8 : 40); ++seed) {
        Case c{pick({1, 2, 3}), pick({1, 2, 3, 5, 7, 9}), pick({1, 5, 16, 40, 64}), pick({1, 5, 16, 31, 64, 80})};
        c.format = seed % 3 == 0 ? DType::F32 : DType::F16;
        c.window = pick({0, 0, 7, 64, 300});
        c.softcap = static_cast<float>(pick({0, 0, 0, 2}));
        c.sinks = seed % 5 == 0;
        std::vector<Rows> runs;
        for (int i = pick({1, 2, 6}); i > 0; --i)
            runs.push_back({pick({0, 1, 2, 3}), pick({0, 1, 31, 32, 100, 240, 255, 256, 500, 511, 1000}),
                            pick({1, 1, 2, 17, 50})});
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Problem problem(c, runs, seed);
        expect_equal(problem, {pick({1, 2, 8})});
    }
}

/// I1: a row alone has the bits that it has among others.
TEST_P(CpuAttention, RowsAlone) {
    Problem problem({2, 3, 16, 24}, {{0, 230, 50}, {1, 700, 1}, {2, 0, 5}}, 3);
    ThreadPool pool(2);
    cpu::CpuOps ops(kernels(), pool);
    const std::vector<float> all = problem.run(ops);
    const auto row = static_cast<std::ptrdiff_t>(all.size()) / problem.rows();
    for (int64_t count : {1, 3, 20})
        for (int64_t begin = 0; begin < problem.rows(); begin += count) {
            const int64_t n = std::min(count, problem.rows() - begin);
            expect_same_bits(problem.run(ops, begin, n), {all.begin() + begin * row, all.begin() + (begin + n) * row});
        }
}

/// What a row of the same tile sees and another does not: NaN and infinity stay with those that see them.
TEST_P(CpuAttention, NanStaysWithItsRows) {
    for (int32_t window : {0, 9}) {
        Problem problem({1, 2, 32, 32, DType::F16, window}, {{0, 0, 64}}, 4);
        ThreadPool pool(1);
        cpu::CpuOps ops(kernels(), pool);
        const std::vector<float> before = problem.run(ops);
        problem.write(0, 20, kNan);
        problem.write(0, 40, INFINITY);
        const std::vector<float> after = problem.run(ops);
        expect_same_bits(after, problem.reference());
        for (size_t i = 0; i < after.size(); ++i) {
            const auto place = static_cast<int32_t>(i / 64);
            const bool hit = window == 0 ? place >= 20 : (place >= 20 && place < 29) || (place >= 40 && place < 49);
            ASSERT_EQ(std::isnan(after[i]), hit) << "place " << place;
            ASSERT_TRUE(hit || after[i] == before[i]) << "place " << place;
        }
    }
}

TEST_P(CpuAttention, NoRows) {
    Problem problem({1, 1, 8, 8}, {{0, 5, 1}}, 1);
    ThreadPool pool(2);
    cpu::CpuOps ops(kernels(), pool);
    EXPECT_TRUE(problem.run(ops, 0, 0).empty());
}

TEST_P(CpuAttention, CacheWrite) {
    for (DType format : {DType::F16, DType::F32})
        for (auto [heads, key_dim, value_dim] : {std::tuple{1, 1, 1}, {3, 64, 64}, {2, 17, 300}, {1, 576, 5}}) {
            constexpr int64_t kRows = 77, kBlocks = 5, kTokens = 32;
            OpsBench bench;
            std::vector<float> key = random_floats(kRows * heads * key_dim, 1),
                               value = random_floats(kRows * heads * value_dim, 2);
            const float special[] = {kNan,  INFINITY, -INFINITY, 65519, 65520,
                                     1e-8f, 0x1p-24f, 0x1p-25f,  -0.0f, 1 + 0x1p-11f};
            for (size_t i = 0; i < key.size(); i += 7) key[i] = special[i % 10];
            for (size_t i = 0; i < value.size(); i += 3) value[i] *= 0x1p-14f;
            std::vector<int32_t> slots(kBlocks * kTokens);
            for (size_t i = 0; i < slots.size(); ++i)
                slots[i] = static_cast<int32_t>(i * 3 % slots.size());  // 3 and 160: all different
            slots.resize(kRows);
            CacheWrite args{.key = bench.floats({kRows, heads, key_dim}, key),
                            .value = bench.floats({kRows, heads, value_dim}, value),
                            .slot_mapping = bench.ints({kRows}, slots)};
            const auto written = [&](Ops& ops) {
                args.keys = bench.zeros({kBlocks, heads, key_dim, kTokens}, format);
                args.values = bench.zeros({kBlocks, heads, kTokens, value_dim}, format);
                ops.cache_write(args);
                const auto bytes = [](const View& v) {
                    return std::vector(v.buffer->host(), v.buffer->host() + v.bytes());
                };
                return std::pair{bytes(args.keys), bytes(args.values)};
            };
            const auto want = written(bench.ops());
            for (int threads : {1, 3}) {
                ThreadPool pool(threads);
                cpu::CpuOps ops(kernels(), pool);
                EXPECT_TRUE(written(ops) == want) << dtype_name(format) << ' ' << key_dim;
            }
        }
}

INSTANTIATE_TEST_SUITE_P(Tables, CpuAttention, testing::ValuesIn(tables_under_test()), table_name);

}  // namespace
}  // namespace godwit
