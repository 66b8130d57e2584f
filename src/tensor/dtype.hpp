// Every element type that a GGUF file can name, in one table: name, ggml id, block size.
// Source: the GGUF specification; ids as in ggml. A quantised type stores rows of blocks; a row is a whole number of
// blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace godwit {

enum class DType : uint8_t {
    F32,
    F16,
    BF16,
    F64,
    I8,
    I16,
    I32,
    I64,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q8_1,
    Q2_K,
    Q3_K,
    Q4_K,
    Q5_K,
    Q6_K,
    Q8_K,
    IQ2_XXS,
    IQ2_XS,
    IQ2_S,
    IQ3_XXS,
    IQ3_S,
    IQ1_S,
    IQ1_M,
    IQ4_NL,
    IQ4_XS,
    TQ1_0,
    TQ2_0,
    MXFP4,
    NVFP4,
    Q1_0,
    Q2_0,
};

struct DTypeInfo {
    DType dtype;
    std::string_view name;
    uint32_t ggml_id;
    uint32_t block_elements;  // weights per block
    uint32_t block_bytes;     // bytes per block
};

inline constexpr std::array kDTypes = {
    DTypeInfo{DType::F32, "F32", 0, 1, 4},
    DTypeInfo{DType::F16, "F16", 1, 1, 2},
    DTypeInfo{DType::BF16, "BF16", 30, 1, 2},
    DTypeInfo{DType::F64, "F64", 28, 1, 8},
    DTypeInfo{DType::I8, "I8", 24, 1, 1},
    DTypeInfo{DType::I16, "I16", 25, 1, 2},
    DTypeInfo{DType::I32, "I32", 26, 1, 4},
    DTypeInfo{DType::I64, "I64", 27, 1, 8},
    DTypeInfo{DType::Q4_0, "Q4_0", 2, 32, 18},
    DTypeInfo{DType::Q4_1, "Q4_1", 3, 32, 20},
    DTypeInfo{DType::Q5_0, "Q5_0", 6, 32, 22},
    DTypeInfo{DType::Q5_1, "Q5_1", 7, 32, 24},
    DTypeInfo{DType::Q8_0, "Q8_0", 8, 32, 34},
    DTypeInfo{DType::Q8_1, "Q8_1", 9, 32, 36},
    DTypeInfo{DType::Q2_K, "Q2_K", 10, 256, 84},
    DTypeInfo{DType::Q3_K, "Q3_K", 11, 256, 110},
    DTypeInfo{DType::Q4_K, "Q4_K", 12, 256, 144},
    DTypeInfo{DType::Q5_K, "Q5_K", 13, 256, 176},
    DTypeInfo{DType::Q6_K, "Q6_K", 14, 256, 210},
    DTypeInfo{DType::Q8_K, "Q8_K", 15, 256, 292},
    DTypeInfo{DType::IQ2_XXS, "IQ2_XXS", 16, 256, 66},
    DTypeInfo{DType::IQ2_XS, "IQ2_XS", 17, 256, 74},
    DTypeInfo{DType::IQ2_S, "IQ2_S", 22, 256, 82},
    DTypeInfo{DType::IQ3_XXS, "IQ3_XXS", 18, 256, 98},
    DTypeInfo{DType::IQ3_S, "IQ3_S", 21, 256, 110},
    DTypeInfo{DType::IQ1_S, "IQ1_S", 19, 256, 50},
    DTypeInfo{DType::IQ1_M, "IQ1_M", 29, 256, 56},
    DTypeInfo{DType::IQ4_NL, "IQ4_NL", 20, 32, 18},
    DTypeInfo{DType::IQ4_XS, "IQ4_XS", 23, 256, 136},
    DTypeInfo{DType::TQ1_0, "TQ1_0", 34, 256, 54},
    DTypeInfo{DType::TQ2_0, "TQ2_0", 35, 256, 66},
    DTypeInfo{DType::MXFP4, "MXFP4", 39, 32, 17},
    DTypeInfo{DType::NVFP4, "NVFP4", 40, 64, 36},
    DTypeInfo{DType::Q1_0, "Q1_0", 41, 128, 18},
    DTypeInfo{DType::Q2_0, "Q2_0", 42, 64, 18},
};

/// The row of the table; the table's order is the enum's (checked below).
constexpr const DTypeInfo& dtype_info(DType dtype) { return kDTypes[static_cast<size_t>(dtype)]; }
constexpr std::string_view dtype_name(DType dtype) { return dtype_info(dtype).name; }

/// The type with this ggml id, or null if unknown (or removed from the format: 4, 5, 31–33, 36–38).
constexpr const DTypeInfo* find_ggml_type(uint32_t ggml_id) {
    for (const auto& info : kDTypes)
        if (info.ggml_id == ggml_id) return &info;
    return nullptr;
}

/// True for ids that ggml once had and dropped; the files must be made again.
constexpr bool ggml_type_was_removed(uint32_t id) {
    return id == 4 || id == 5 || (id >= 31 && id <= 33) || (id >= 36 && id <= 38);
}

static_assert(
    [] {
        for (size_t i = 0; i < kDTypes.size(); ++i)
            if (static_cast<size_t>(kDTypes[i].dtype) != i) return false;
        return kDTypes.size() == static_cast<size_t>(DType::Q2_0) + 1;
    }(),
    "kDTypes lists every DType once, in the enum's order");

}  // namespace godwit
