// Conformance of the cpu backend: the same calls on a bench of the reference and on one of each kernel table must write
// the same bits (or both NaN, whose sign and payload nothing fixes).
#pragma once

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <string>

#include "backend/cpu/choose_kernels.hpp"
#include "backend/ops_fixture.hpp"
#include "backend/simde/tables.hpp"

namespace godwit {

struct TableUnderTest {
    std::string name;
    const cpu::Kernels* kernels;
    bool slow;  // not what users run: few shapes are enough
};

/// What this machine can run; and the vector instruction sets emulated, on every machine (not in sanitizers' builds).
inline std::vector<TableUnderTest> tables_under_test() {
    std::vector<TableUnderTest> tables;
    for (const cpu::Kernels* kernels : cpu::runnable_kernels())
        tables.push_back({kernels->name, kernels, kernels == &cpu::kScalarKernels});
#if defined(GODWIT_EMULATED_KERNELS)
    tables.push_back({"simde_avx2", &cpu::kAvx2KernelsSimde, true});
    tables.push_back({"simde_avx512", &cpu::kAvx512KernelsSimde, true});
#endif
    return tables;
}

/// Floats of all kinds: any bits, ordinary numbers, numbers far apart; NaN, infinities, zeros and subnormals among
/// them.
inline std::vector<float> wild_floats(int64_t count, uint32_t seed) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const float special[] = {0.0f,      -0.0f,      kInfinity,       -kInfinity,       NAN,
                             0x1p-149f, -0x1p-130f, 0x1.fffffep127f, -0x1.fffffep127f, 1};
    std::mt19937 random(seed);
    std::vector<float> values(count);
    for (float& value : values) {
        const auto bits = static_cast<uint32_t>(random());
        const float ordinary = static_cast<float>(static_cast<int32_t>(random())) * 0x1p-29f;
        switch (random() % 8) {
            case 0:
                value = std::bit_cast<float>(bits);
                break;
            case 1:
                value = special[bits % std::size(special)];
                break;
            case 2:
                value = ordinary * 0x1p-20f;
                break;
            case 3:
                value = ordinary * 0x1p5f;
                break;
            default:
                value = ordinary;
        }
    }
    return values;
}

/// Rows for ops that mix a row's elements: most are ordinary, every third is large or tiny as a whole, every fifth is
/// wild.
inline std::vector<float> row_floats(int64_t rows, int64_t columns, uint32_t seed) {
    std::vector<float> values = random_floats(rows * columns, seed);
    const std::vector<float> wild = wild_floats(rows * columns, seed + 1);
    const float scales[] = {0x1p60f, 0x1p-70f, 0x1p-140f, 30, 0};
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t i = r * columns; i < (r + 1) * columns; ++i) {
            if (r % 3 == 2) values[i] *= scales[r % 5];
            if (r % 5 == 4) values[i] = wild[i];
        }
    return values;
}

/// A tensor at an odd address: `shift` floats into a buffer whose rest holds a pattern.
class Guarded {
public:
    Guarded(OpsBench& bench, const Shape& shape, int64_t shift) : bench_(bench) {
        const int64_t count = shift + shape.elements() + 32;
        whole_ = bench.floats(Shape{count}, std::vector<float>(count, 7.0f));
        view_ = View{whole_.buffer, static_cast<uint64_t>(4 * shift), DType::F32, shape};
    }
    Guarded(OpsBench& bench, const Shape& shape, int64_t shift, const std::vector<float>& values)
        : Guarded(bench, shape, shift) {
        std::copy(values.begin(), values.end(), reinterpret_cast<float*>(whole_.buffer->host() + view_.offset));
    }
    operator const View&() const { return view_; }
    /// With what stands around it.
    std::vector<float> read_all() const { return bench_.read(whole_); }

private:
    OpsBench& bench_;
    View whole_, view_;
};

/// Equal, or both NaN.
inline void expect_same_bits(const std::vector<float>& got, const std::vector<float>& want) {
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) {
        if (std::isnan(got[i]) && std::isnan(want[i])) continue;
        ASSERT_EQ(std::bit_cast<uint32_t>(got[i]), std::bit_cast<uint32_t>(want[i]))
            << "at " << i << ": " << got[i] << ", not " << want[i];
    }
}

class ConformanceTest : public testing::TestWithParam<TableUnderTest> {
protected:
    /// Makes its inputs on the bench, calls ops, and returns what they wrote.
    using Run = std::function<std::vector<float>(OpsBench&)>;

    /// The same bits with any number of threads.
    void expect_conforming(const Run& run) {
        OpsBench reference(1);
        const std::vector<float> want = run(reference);
        const std::vector<int> threads = GetParam().slow ? std::vector{2} : std::vector{1, 2, 3, 8};
        for (int n : threads) {
            SCOPED_TRACE(testing::Message() << n << " threads");
            OpsBench bench(n, GetParam().kernels);
            expect_same_bits(run(bench), want);
            if (HasFatalFailure()) return;
        }
    }

    /// [rows, columns]: none, one, and many; around the lanes of every instruction set; enough for several threads.
    std::vector<Shape> shapes() const {
        if (GetParam().slow) return {{0, 5}, {1, 1}, {3, 17}, {5, 40}, {2, 9000}};
        std::vector<Shape> shapes = {{0, 5}, {0, 0}, {300, 5}, {300, 70}, {2, 9000}, {1, 50257}, {17, 2048}};
        for (int64_t rows : {1, 2, 5})
            for (int64_t columns : {1, 2, 7, 8, 9, 15, 16, 17, 23, 24, 31, 32, 33, 47, 48, 49, 64, 100, 576})
                shapes.push_back({rows, columns});
        return shapes;
    }
};

/// The name that INSTANTIATE_TEST_SUITE_P wants.
inline std::string table_name(const testing::TestParamInfo<TableUnderTest>& info) { return info.param.name; }

}  // namespace godwit
