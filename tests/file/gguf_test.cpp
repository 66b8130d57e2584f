// Every way in which a GGUF container can lie. The ids M… are those of the bug list these cases come from: defects that
// other loaders had or have.
#include "file/gguf.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "file/gguf_writer.hpp"
#include "file/model_file.hpp"

namespace godwit {
namespace {

using test::GgufWriter;

constexpr uint64_t kTwo62 = uint64_t{1} << 62;

/// A small valid file: keys of several types, three tensors of three dtypes, the last one with padding behind it.
GgufWriter small() {
    GgufWriter w;
    w.set("general.architecture", "llama").set<uint32_t>("llama.block_count", 1).set("a.flag", true);
    w.strings("tokens", {"<unk>", "a", "bc"}).array<float>("scores", {0.0f, -1.0f, -2.0f});
    w.tensor("embd", {4, 3}, DType::F32);
    w.tensor("q", {32, 2, 3}, DType::Q8_0);
    w.tensor("norm", {5}, DType::F16);
    return w;
}

/// The error over a copy of the bytes in a buffer of exactly their size, so that the sanitizer sees any read past the
/// end.
std::string error_of_bytes(const std::string& bytes) {
    auto view = test::as_bytes(bytes);
    std::vector<std::byte> exact(view.begin(), view.end());
    auto file = ModelFile::from_bytes(exact);
    return file.ok() ? "" : file.error().message;
}

std::string error_of(const GgufWriter& writer) { return error_of_bytes(writer.bytes()); }

TEST(Gguf, ReadsKeysAndTensors) {
    std::string bytes = small().bytes();
    auto opened = ModelFile::from_bytes(test::as_bytes(bytes));
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    const ModelFile& file = opened.value();
    EXPECT_EQ(file.version(), 3u);
    EXPECT_EQ(file.alignment(), 32u);
    EXPECT_EQ(file.metadata().get_string("general.architecture").value(), "llama");
    ASSERT_EQ(file.tensors().size(), 3u);
    const TensorInfo* q = file.find("q");
    ASSERT_NE(q, nullptr);
    EXPECT_EQ(q->dtype, DType::Q8_0);
    EXPECT_EQ(q->shape, (Shape{3, 2, 32}));  // outermost first
    EXPECT_EQ(q->data.size(), 6u * 34);
    EXPECT_EQ(q->data.front(), std::byte{1});
    EXPECT_EQ(q->data.back(), std::byte{(6 * 34 - 1) % 127 + 1});
    EXPECT_EQ(file.find("norm")->data.size(), 10u);
    EXPECT_EQ(file.find("nothing"), nullptr);
    EXPECT_EQ(file.tensor_bytes(), 48u + 6 * 34 + 10);
}

TEST(Gguf, Version2IsTheSameInLittleEndian) {
    GgufWriter w = small();
    w.version = 2;
    std::string bytes = w.bytes();
    auto file = ModelFile::from_bytes(test::as_bytes(bytes));
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_EQ(file.value().version(), 2u);
    EXPECT_EQ(file.value().tensors().size(), 3u);
}

TEST(Gguf, EveryDtypeOfTheTable) {
    GgufWriter w;
    for (const DTypeInfo& info : kDTypes) w.tensor(info.name, {info.block_elements * 2, 3}, info.dtype);
    std::string bytes = w.bytes();
    auto file = ModelFile::from_bytes(test::as_bytes(bytes));
    ASSERT_TRUE(file.ok()) << file.error().message;
    for (const DTypeInfo& info : kDTypes) {
        EXPECT_EQ(file.value().find(info.name)->dtype, info.dtype);
        EXPECT_EQ(file.value().find(info.name)->data.size(), 6u * info.block_bytes);
    }
}

TEST(Gguf, AlignmentOfTheKeyIsUsed) {
    for (uint32_t alignment : {8u, 64u, 4096u}) {
        GgufWriter w = small();
        w.set("general.alignment", alignment);
        w.alignment = alignment;
        std::string bytes = w.bytes();
        auto file = ModelFile::from_bytes(test::as_bytes(bytes));
        ASSERT_TRUE(file.ok()) << file.error().message;
        EXPECT_EQ(file.value().alignment(), alignment);
        EXPECT_EQ((file.value().find("q")->data.data() - test::as_bytes(bytes).data()) % alignment, 0);
    }
}

TEST(Gguf, FilesWithoutTensorsAreFine) {
    EXPECT_EQ(error_of(GgufWriter().set("a", "vocabulary")), "");
    EXPECT_EQ(error_of(GgufWriter()), "");
}

TEST(Gguf, TheLastTensorMayLackPaddingTheOthersNot) {
    GgufWriter w = small();
    w.pad_last = false;
    EXPECT_EQ(error_of(w), "");
    std::string bytes = w.bytes();
    bytes.pop_back();
    EXPECT_EQ(error_of_bytes(bytes),
              "tensor norm: 10 bytes at offset 288 run past the end of the file's 297 bytes of data "
              "(truncated download? re-run the download)");
}

TEST(Gguf, EveryTruncationIsRefused) {
    std::string whole = small().bytes();
    size_t padding = 32 - 10;
    for (size_t n = 0; n < whole.size(); ++n) {
        std::string message = error_of_bytes(whole.substr(0, n));
        EXPECT_EQ(message.empty(), n >= whole.size() - padding) << n << ": " << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        if (message.empty()) continue;
        EXPECT_NE(message.find("truncated download?"), std::string::npos) << n << ": " << message;
    }
}

TEST(Gguf, EveryFlippedBitOfTheHeaderIsReadOrRefused) {
    GgufWriter w = small();
    std::string whole = w.bytes();
    size_t header = whole.size() - (64 + 224 + 32);  // the three padded tensors
    size_t refused = 0;
    for (size_t i = 0; i < header; ++i) {
        for (int flip : {0x01, 0x80, 0xff}) {
            std::string bytes = whole;
            bytes[i] = static_cast<char>(bytes[i] ^ flip);
            refused += !error_of_bytes(bytes).empty();
        }
    }
    EXPECT_GT(refused, header);  // most of it cannot be bent without notice; names and values can
}

TEST(Gguf, MagicAndVersions) {
    auto with = [](std::string magic, uint32_t version) {
        GgufWriter w = small();
        w.magic = std::move(magic);
        w.version = version;
        return error_of(w);
    };
    EXPECT_EQ(with("gguf", 3), "not a GGUF file: the magic number is \"gguf\", not \"GGUF\"");
    EXPECT_EQ(with("PK\x03\x04", 3), "not a GGUF file: the magic number is \"PK\\x03\\x04\", not \"GGUF\"");
    EXPECT_EQ(with("GGUF", 0), "GGUF version 0 is too old: 2 and 3 are read (convert the model again)");
    EXPECT_EQ(with("GGUF", 1), "GGUF version 1 is too old: 2 and 3 are read (convert the model again)");
    EXPECT_EQ(with("GGUF", 4), "GGUF version 4 is unknown: 2 and 3 are read (a newer Godwit may know it)");
    EXPECT_EQ(with("GGUF", 0x03000000),
              "big-endian GGUF (version bytes 03000000): only little-endian files are read (convert the model again)");
    EXPECT_EQ(error_of_bytes("GGUF"),
              "the file ends inside the version: its length is 4, of which 0 are there, at offset 4 "
              "(truncated download? re-run the download)");
}

TEST(Gguf, M1ZeroDimensions) {
    GgufWriter w = small();
    w.tensor("x", {64, 0}, DType::F32, "");
    EXPECT_EQ(error_of(w), "tensor x: dimension 1 is 0, must be positive");
    w = small();
    w.tensors[0].dims = {0, 3};
    EXPECT_EQ(error_of(w), "tensor embd: dimension 0 is 0, must be positive");
}

TEST(Gguf, M5AlignmentOfAnotherType) {
    EXPECT_EQ(error_of(small().set<uint64_t>("general.alignment", 32)),
              "key general.alignment: expected a u32, found type u64");
    EXPECT_EQ(error_of(small().set("general.alignment", "32")),
              "key general.alignment: expected a u32, found type string");
}

TEST(Gguf, M6BoolsAreZeroOrOne) {
    EXPECT_EQ(error_of(small().raw("a.b", 7, "\x07")), "key a.b: a bool is stored as 7, must be 0 or 1");
    EXPECT_EQ(error_of(small().raw_array("a.b", ValueType::Bool, 3, std::string("\0\1\2", 3))),
              "key a.b: a bool is stored as 2, must be 0 or 1");
}

TEST(Gguf, M7EmptyAndRepeatedKeys) {
    EXPECT_EQ(error_of(GgufWriter().set("", uint8_t{1})), "key 1 of 1: the name is empty");
    EXPECT_EQ(error_of(GgufWriter().set("a", 1).set("b", 2).set("a", 3)), "key a is there twice");
    std::string tiny = GgufWriter().set("", uint8_t{1}).bytes();
    EXPECT_EQ(tiny.size(), 37u);
}

TEST(Gguf, M8CountsAreCheckedBeforeAnythingIsReserved) {
    GgufWriter w = small();
    w.key_count = kTwo62;
    EXPECT_EQ(error_of(w), "the count of keys is 4611686018427387904, the limit is 65536");
    w.key_count = 60'000;
    EXPECT_NE(error_of(w).find("the count of keys is 60000, too many for the "), std::string::npos);
    w = small();
    w.tensor_count = uint64_t{1} << 63;
    EXPECT_EQ(error_of(w), "the count of tensors is 9223372036854775808, the limit is 262144");
    w.tensor_count = 200'000;
    EXPECT_NE(error_of(w).find("the count of tensors is 200000, too many for the "), std::string::npos);
    EXPECT_EQ(error_of(small().raw_array("a.b", ValueType::U32, uint64_t{1} << 61, "")),
              "key a.b: the array length is 2305843009213693952, the limit is 16777216");
    EXPECT_EQ(error_of(small().raw_array("a.b", ValueType::U64, (uint64_t{1} << 61) + 2, std::string(16, '\0'))),
              "key a.b: the array length is 2305843009213693954, the limit is 16777216");
    EXPECT_NE(error_of(small().raw_array("a.b", ValueType::String, 10'000'000, test::gguf_string("x")))
                  .find("key a.b: the array length is 10000000, too many for the "),
              std::string::npos);
}

TEST(Gguf, M8StringLengths) {
    for (uint64_t length : {uint64_t(-1), uint64_t(-40), uint64_t(-200)}) {  // position + length wraps around
        EXPECT_NE(error_of(small().raw("a.b", 8, test::raw_bytes(length)))
                      .find(fmt::format("key a.b: the file ends inside a string: its length is {}", length)),
                  std::string::npos);
    }
    EXPECT_NE(error_of(small().raw("a.b", 8, test::raw_bytes(uint64_t{1} << 63)))
                  .find("key a.b: the file ends inside a string: its length is 9223372036854775808"),
              std::string::npos);
    EXPECT_NE(error_of(small().raw_array("a.b", ValueType::String, 2,
                                         test::gguf_string("x") + test::raw_bytes(uint64_t{1} << 40)))
                  .find("key a.b: the file ends inside a string of an array: its length is 1099511627776"),
              std::string::npos);
    EXPECT_EQ(error_of(small().set(std::string(65536, 'k'), 1)),
              "key " + std::string(80, 'k') + "…: the name's length is 65536, the limit is 65535");
    EXPECT_EQ(error_of(small().set(std::string(65535, 'k'), 1)), "");
}

TEST(Gguf, M9NegativeAndOverflowingDimensions) {
    GgufWriter w = small();
    w.tensors[0].dims = {4, static_cast<uint64_t>(-1)};
    EXPECT_EQ(error_of(w), "tensor embd: dimension 1 is -1, must be positive");
    w.tensors[0].dims = {uint64_t{1} << 31, uint64_t{1} << 31, 4, 1};
    EXPECT_EQ(error_of(w), "tensor embd: the dimensions are too large: their product overflows at dimension 2 (4)");
    w.tensors[0].dims = {uint64_t{1} << 32, uint64_t{1} << 32};
    EXPECT_EQ(error_of(w),
              "tensor embd: the dimensions are too large: their product overflows at dimension 1 (4294967296)");
    w.tensors[0].dims = {uint64_t{1} << 31, uint64_t{1} << 31};
    EXPECT_EQ(error_of(w), "tensor embd: shape [2147483648, 2147483648] is too large: its size in bytes overflows");
    w.tensors[0].dims = {uint64_t{1} << 30, uint64_t{1} << 30};
    EXPECT_NE(error_of(w).find("tensor embd: 4611686018427387904 bytes at offset 0 run past the end of the file"),
              std::string::npos);
}

TEST(Gguf, M10NestedArraysAndTensorTypes) {
    std::string nested;
    for (int i = 0; i < 7500; ++i) nested += test::raw_bytes(uint32_t{9}) + test::raw_bytes(uint64_t{1});
    EXPECT_EQ(error_of(small().raw("a.b", 9, nested)), "key a.b: an array of arrays is not supported");
    EXPECT_EQ(error_of(small().raw("a.b", 13, std::string(4, '\0'))),
              "key a.b: value type 13 does not exist (0 to 12 do)");
    EXPECT_EQ(error_of(small().raw_array("a.b", ValueType{77}, 0, "")),
              "key a.b: value type 77 does not exist (0 to 12 do)");
    GgufWriter w = small();
    for (uint32_t id : {4u, 5u, 31u, 32u, 33u, 36u, 37u, 38u}) {
        w.tensors[1].type = id;
        EXPECT_EQ(error_of(w),
                  fmt::format("tensor q: tensor type {} was removed from the format (quantise the model again)", id));
    }
    for (uint32_t id : {43u, 200u, 0xFFFFFFFFu}) {
        w.tensors[1].type = id;
        EXPECT_EQ(
            error_of(w),
            fmt::format("tensor q: tensor type {} is unknown (made by another program, or for a newer Godwit)", id));
    }
}

TEST(Gguf, M11OffsetsAreTheRunningSum) {
    auto with = [](size_t tensor, uint64_t offset) {
        GgufWriter w = small();
        w.tensors[tensor].offset = offset;
        return error_of(w);
    };
    EXPECT_EQ(with(1, 0), "tensor q: offset 0 overlaps the tensor before it (expected 64)");
    EXPECT_EQ(with(1, 32), "tensor q: offset 32 overlaps the tensor before it (expected 64)");
    EXPECT_EQ(with(1, 65), "tensor q: offset 65 leaves a gap (expected 64)");
    EXPECT_EQ(with(1, 96), "tensor q: offset 96 leaves a gap (expected 64)");
    EXPECT_EQ(with(0, 32), "tensor embd: offset 32 leaves a gap (expected 0)");
    EXPECT_EQ(with(2, uint64_t(-32)), "tensor norm: offset 18446744073709551584 leaves a gap (expected 288)");
}

TEST(Gguf, M11Alignments) {
    for (uint32_t alignment : {0u, 1u, 4u, 24u, 33u, 0xFFFFFFFFu}) {
        EXPECT_EQ(error_of(small().set("general.alignment", alignment)),
                  fmt::format("key general.alignment: {} is not a power of two from 8 up", alignment));
    }
    EXPECT_NE(error_of(small().set<uint32_t>("general.alignment", 1u << 31))
                  .find("the data begin at 2147483648 (alignment 2147483648), past the end of the file"),
              std::string::npos);
}

TEST(Gguf, M14SizesThatWrapWhenRoundedUp) {
    GgufWriter w;
    w.tensor("a", {64}, DType::F32);
    w.tensor("b", {4, (1u << 30) - 1, (1u << 30) + 1}, DType::F32, "");
    w.tensor("c", {64}, DType::F32).offset = 256;  // where it lies if b's 2^64 − 16 bytes round to none
    EXPECT_NE(error_of(w).find("tensor b: 18446744073709551600 bytes at offset 256 run past the end of the file"),
              std::string::npos)
        << error_of(w);
}

TEST(Gguf, TensorInfos) {
    GgufWriter w = small();
    w.tensors[0].dims = {};
    EXPECT_EQ(error_of(w), "tensor embd: 0 dimensions, must be 1 to 4");
    w.tensors[0].dims = {4, 3, 1, 1, 1};
    EXPECT_EQ(error_of(w), "tensor embd: 5 dimensions, must be 1 to 4");
    w.tensors[0].rank = 0xFFFFFFFF;
    EXPECT_EQ(error_of(w), "tensor embd: 4294967295 dimensions, must be 1 to 4");
    w = small();
    w.tensor("x", {33, 4}, DType::Q8_0, std::string(170, '\0'));
    EXPECT_EQ(error_of(w), "tensor x: rows of 33 elements are not a multiple of Q8_0's block of 32");
    w = small();
    w.tensor("norm", {4, 4}, DType::F32);
    EXPECT_EQ(error_of(w), "tensor norm is there twice");
}

TEST(Gguf, TensorNames) {
    GgufWriter w = small();
    w.tensor(std::string(63, 'n'), {4}, DType::F32);
    EXPECT_EQ(error_of(w), "");
    w.tensor(std::string(64, 'm'), {4}, DType::F32);
    EXPECT_EQ(error_of(w), "tensor " + std::string(64, 'm') + ": the name's length is 64, the limit is 63");
    w = small();
    w.tensors[1].name = "";
    EXPECT_EQ(error_of(w), "tensor 2 of 3: the name is empty");
    w.tensors[1].name = std::string("a\0\n\xff", 4);
    EXPECT_EQ(error_of(w), "");
    w.tensors[1].dims = {};
    EXPECT_EQ(error_of(w), "tensor a\\x00\\x0A\\xFF: 0 dimensions, must be 1 to 4");
}

TEST(Gguf, ManyKeysTakeLinearTime) {
    GgufWriter w;
    for (int i = 0; i < 65536; ++i) w.set(std::string(200, 'k') + std::to_string(i), uint8_t{1});
    EXPECT_EQ(error_of(w), "");
}

TEST(CheckIsModel, RefusesWhatSaysThatItIsNone) {
    auto check = [](const GgufWriter& w) {
        std::string bytes = w.bytes();
        auto file = ModelFile::from_bytes(test::as_bytes(bytes));
        auto result = check_is_model(file.value().metadata());
        return result.ok() ? "" : result.error().message;
    };
    EXPECT_EQ(check(small()), "");
    EXPECT_EQ(check(small().set("general.type", "model")), "");
    EXPECT_EQ(check(small().set("general.type", "adapter")),
              "key general.type: \"adapter\" is not a model by itself (give it beside the model it belongs to)");
    EXPECT_EQ(check(small().set("general.type", 1)), "key general.type: expected a string, found an i32");
}

}  // namespace
}  // namespace godwit
