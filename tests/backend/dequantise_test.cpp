// Oracle: golden/dequantise/<type>.blocks (rows of blocks) and .f32 (what PyPI gguf makes of them), bit for bit.
#include "backend/reference/dequantise.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace godwit {
namespace {

std::vector<std::byte> read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> chars(std::istreambuf_iterator<char>(file), {});
    std::vector<std::byte> bytes(chars.size());
    std::memcpy(bytes.data(), chars.data(), chars.size());
    return bytes;
}

std::string golden(DType dtype, const std::string& ending) {
    return std::string(GODWIT_TEST_DATA "/golden/dequantise/") + std::string(dtype_name(dtype)) + ending;
}

class Dequantise : public testing::TestWithParam<DType> {};

TEST_P(Dequantise, IsBitEqualToTheReference) {
    const DTypeInfo& info = dtype_info(GetParam());
    ASSERT_TRUE(can_dequantise(info.dtype));
    const std::vector<std::byte> blocks = read(golden(info.dtype, ".blocks"));
    const std::vector<std::byte> bytes = read(golden(info.dtype, ".f32"));
    const auto elements = static_cast<int64_t>(bytes.size() / sizeof(float));
    ASSERT_GE(elements, 8 * info.block_elements);
    ASSERT_EQ(blocks.size(), elements / info.block_elements * info.block_bytes);
    std::vector<float> expected(elements), actual(elements, NAN);
    std::memcpy(expected.data(), bytes.data(), bytes.size());

    std::vector<std::byte> unaligned(blocks.size() + 1);  // rows need no alignment
    std::memcpy(unaligned.data() + 1, blocks.data(), blocks.size());
    dequantise_row(info.dtype, unaligned.data() + 1, actual.data(), elements);
    for (int64_t i = 0; i < elements; ++i)
        ASSERT_EQ(std::bit_cast<uint32_t>(actual[i]), std::bit_cast<uint32_t>(expected[i]))
            << info.name << " element " << i << ": " << actual[i] << ", expected " << expected[i];
}

INSTANTIATE_TEST_SUITE_P(Types, Dequantise,
                         testing::Values(DType::F16, DType::BF16, DType::Q4_0, DType::Q4_1, DType::Q5_0, DType::Q5_1,
                                         DType::Q8_0, DType::Q2_K, DType::Q3_K, DType::Q4_K, DType::Q5_K, DType::Q6_K),
                         [](const auto& test) { return std::string(dtype_name(test.param)); });

TEST(DequantiseFloats, AreExact) {
    const uint16_t halves[] = {0x3c00, 0xc000, 0x0001, 0x7bff};
    float out[4];
    dequantise_row(DType::F16, reinterpret_cast<const std::byte*>(halves), out, 4);
    EXPECT_EQ(std::vector<float>(out, out + 4), (std::vector<float>{1.0f, -2.0f, 0x1p-24f, 65504.0f}));
    const uint16_t brains[] = {0x3f80, 0xc000, 0x0001, 0x7f7f};
    dequantise_row(DType::BF16, reinterpret_cast<const std::byte*>(brains), out, 4);
    EXPECT_EQ(std::vector<float>(out, out + 4), (std::vector<float>{1.0f, -2.0f, 0x1p-133f, 0x1.fep127f}));
    const float floats[] = {1.5f, -0.0f, 0x1p-149f, INFINITY};
    dequantise_row(DType::F32, reinterpret_cast<const std::byte*>(floats), out, 4);
    EXPECT_EQ(std::memcmp(floats, out, sizeof out), 0);
}

TEST(DequantiseFloats, OtherTypesAreRefused) {
    for (DType dtype : {DType::F64, DType::I8, DType::I32, DType::Q8_1, DType::Q8_K, DType::IQ4_NL, DType::MXFP4})
        EXPECT_FALSE(can_dequantise(dtype)) << dtype_name(dtype);
}

}  // namespace
}  // namespace godwit
