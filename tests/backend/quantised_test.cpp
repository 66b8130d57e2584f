// Activations rounded to 8 bits, and products with them: the rules of docs/numerics.md on the specification itself.
#include "backend/reference/quantised.hpp"

#include <bit>
#include <limits>

#include "backend/ops_fixture.hpp"
#include "backend/reference/dequantise.hpp"
#include "backend/weight_maker.hpp"

namespace godwit {
namespace {

using reference::quantise;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class Block>
constexpr int kElements = sizeof(Block::q);

template <class Block>
Block quantised(const std::vector<float>& in) {
    Block block;
    quantise(in.data(), 1, &block);
    return block;
}

template <class Block>
void expect_zeros(const Block& block) {
    for (int8_t q : block.q) ASSERT_EQ(q, 0);
}

template <class Block>
void check_rounding() {
    for (uint32_t seed = 0; seed < 50; ++seed) {
        std::vector<float> in = random_floats(kElements<Block>, seed);
        float greatest = 0;
        for (float& x : in)
            x *= std::ldexp(1.0f, static_cast<int>(seed * 4) - 99), greatest = std::max(greatest, std::fabs(x));
        const auto block = quantised<Block>(in);
        ASSERT_EQ(block.d, greatest / 127.0f);
        int reached = 0;
        for (int i = 0; i < kElements<Block>; ++i) {
            ASSERT_LE(std::fabs(double{in[i]} - double{block.d} * block.q[i]), double{block.d} * 0.50001) << i;
            reached = std::max(reached, std::abs(int{block.q[i]}));
        }
        ASSERT_EQ(reached, 127);
    }
}

TEST(Quantise, RoundsToTheNearestStep) {
    check_rounding<Block32>();
    check_rounding<Block256>();
}

TEST(Quantise, TiesGoToEven) {
    std::vector<float> in(32, 0.0f);
    in[0] = 127, in[1] = 0.5f, in[2] = 1.5f, in[3] = -2.5f, in[4] = -126.5f;
    const auto block = quantised<Block32>(in);
    EXPECT_EQ(block.d, 1.0f);
    EXPECT_EQ(std::vector<int>(block.q, block.q + 5), (std::vector<int>{127, 0, 2, -2, -126}));
}

TEST(Quantise, KeepsTheSumsThatProductsNeed) {
    const std::vector<float> in = random_floats(256, 3);
    const auto wide = quantised<Block256>(in);
    const int order[] = {0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15};
    for (int at = 0; at < 16; ++at) {
        int sum16 = 0, sum32 = 0;
        for (int j = 0; j < 16; ++j) sum16 += wide.q[order[at] * 16 + j];
        EXPECT_EQ(wide.sums16[at], sum16) << at;
        if (at >= 8) continue;
        for (int j = 0; j < 32; ++j) sum32 += wide.q[order[at] * 32 + j];
        EXPECT_EQ(wide.sums32[at], sum32) << at;
    }
    const auto narrow = quantised<Block32>(in);
    int sum = 0;
    for (int8_t q : narrow.q) sum += q;
    EXPECT_EQ(narrow.offset, -8 * sum);
    EXPECT_EQ(narrow.d_sum, narrow.d * static_cast<float>(sum));
}

template <class Block>
void check_special_values() {
    std::vector<float> in(kElements<Block>, 0.0f);
    expect_zeros(quantised<Block>(in));
    EXPECT_EQ(std::bit_cast<uint32_t>(quantised<Block>(in).d), 0u);
    in[5] = 0x1.fffffep-101f, in[6] = -0x1p-149f;  // all below 2^-100 counts as zero
    expect_zeros(quantised<Block>(in));
    EXPECT_EQ(quantised<Block>(in).d, 0.0f);
    in[5] = 0x1p-100f;
    EXPECT_EQ(quantised<Block>(in).q[5], 127);
    in[5] = std::numeric_limits<float>::max();
    EXPECT_EQ(quantised<Block>(in).q[5], 127);
    for (float bad :
         {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(), std::bit_cast<float>(0xff800001u)}) {
        in[5] = bad;
        expect_zeros(quantised<Block>(in));
        EXPECT_TRUE(std::isnan(quantised<Block>(in).d));
    }
}

TEST(Quantise, ZerosSubnormalsAndWhatIsNotFinite) {
    check_special_values<Block32>();
    check_special_values<Block256>();
}

// Products in double of the dequantised weights with what the activations were rounded to.
TEST(QuantisedProduct, EqualsTheSumOfWhatWasRounded) {
    constexpr int64_t kIn = 768;
    for (DType dtype : test::kWeightTypes) {
        if (!reference::has_quantised_product(dtype)) continue;
        SCOPED_TRACE(dtype_name(dtype));
        for (uint32_t seed = 0; seed < 20; ++seed) {
            const std::string weights = test::WeightMaker(seed).weights(dtype, kIn);
            const auto* bytes = reinterpret_cast<const std::byte*>(weights.data());
            std::vector<float> w(kIn), x = random_floats(kIn, seed);
            dequantise_row(dtype, bytes, w.data(), kIn);
            const int64_t per_block = dtype_info(dtype).block_elements;
            std::vector<Block32> narrow(kIn / 32);
            std::vector<Block256> wide(kIn / 256);
            quantise(x.data(), kIn / 32, narrow.data());
            quantise(x.data(), kIn / 256, wide.data());
            double sum = 0, magnitude = 0;
            for (int64_t k = 0; k < kIn; ++k) {
                const double rounded = per_block == 32 ? double{narrow[k / 32].d} * narrow[k / 32].q[k % 32]
                                                       : double{wide[k / 256].d} * wide[k / 256].q[k % 256];
                sum += rounded * w[k], magnitude += std::fabs(rounded * w[k]);
            }
            ASSERT_NEAR(reference::QuantisedRow(dtype, x.data(), kIn).dot(dtype, bytes), sum, 4e-7 * magnitude);
        }
    }
}

}  // namespace
}  // namespace godwit
