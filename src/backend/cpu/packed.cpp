#include "backend/cpu/packed.hpp"

#include <cstring>

#include "base/ceil_div.hpp"
#include "base/check.hpp"
#include "tensor/blocks.hpp"

namespace godwit::cpu {
namespace {

/// `count` words of `unit` bytes from `offset` on in a file block.
struct Field {
    int offset, unit, count;
    bool fifth_bits = false;
};

struct Format {
    DType dtype;
    Field fields[5];  // in the order of the packed block; count 0: no more
};

constexpr Format kFormats[] = {
    {DType::F32, {{0, 4, 1}}},
    {DType::F16, {{0, 2, 1}}},
    {DType::BF16, {{0, 2, 1}}},
    {DType::Q4_0, {{offsetof(BlockQ4_0, qs), 4, 4}, {offsetof(BlockQ4_0, d), 2, 1}}},
    {DType::Q4_1, {{offsetof(BlockQ4_1, qs), 4, 4}, {offsetof(BlockQ4_1, d), 2, 1}, {offsetof(BlockQ4_1, m), 2, 1}}},
    {DType::Q5_0,
     {{offsetof(BlockQ5_0, qs), 4, 4}, {offsetof(BlockQ5_0, qh), 4, 1, true}, {offsetof(BlockQ5_0, d), 2, 1}}},
    {DType::Q5_1,
     {{offsetof(BlockQ5_1, qs), 4, 4},
      {offsetof(BlockQ5_1, qh), 4, 1, true},
      {offsetof(BlockQ5_1, d), 2, 1},
      {offsetof(BlockQ5_1, m), 2, 1}}},
    {DType::Q8_0, {{offsetof(BlockQ8_0, qs), 4, 8}, {offsetof(BlockQ8_0, d), 2, 1}}},
    {DType::Q4_K,
     {{offsetof(BlockQ4_K, qs), 4, 32},
      {offsetof(BlockQ4_K, scales), 4, 3},
      {offsetof(BlockQ4_K, d), 2, 1},
      {offsetof(BlockQ4_K, dmin), 2, 1}}},
    {DType::Q5_K,
     {{offsetof(BlockQ5_K, qs), 4, 32},
      {offsetof(BlockQ5_K, qh), 4, 8},
      {offsetof(BlockQ5_K, scales), 4, 3},
      {offsetof(BlockQ5_K, d), 2, 1},
      {offsetof(BlockQ5_K, dmin), 2, 1}}},
    {DType::Q6_K,
     {{offsetof(BlockQ6_K, ql), 4, 32},
      {offsetof(BlockQ6_K, qh), 4, 16},
      {offsetof(BlockQ6_K, scales), 4, 4},
      {offsetof(BlockQ6_K, d), 2, 1}}},
};

constexpr bool covers_its_block(const Format& format) {
    int bytes = 0;
    for (const Field& field : format.fields) bytes += field.unit * field.count;
    return bytes == static_cast<int>(dtype_info(format.dtype).block_bytes);
}
static_assert([] {
    for (const Format& format : kFormats)
        if (!covers_its_block(format)) return false;
    return true;
}());

const Format* find_format(DType dtype) {
    for (const Format& format : kFormats)
        if (format.dtype == dtype) return &format;
    return nullptr;
}

/// Bit 4 r + i to bit 8 i + r, and back.
uint32_t deal_out(uint32_t bits) {
    uint32_t out = 0;
    for (int r = 0; r < 8; ++r)
        for (int i = 0; i < 4; ++i) out |= (bits >> (4 * r + i) & 1) << (8 * i + r);
    return out;
}
uint32_t gather_in(uint32_t bits) {
    uint32_t out = 0;
    for (int r = 0; r < 8; ++r)
        for (int i = 0; i < 4; ++i) out |= (bits >> (8 * i + r) & 1) << (4 * r + i);
    return out;
}

template <class Word>
void pack_words(const std::byte* from, int64_t row_bytes, int64_t rows, int count, std::byte*& to) {
    for (int i = 0; i < count; ++i, from += sizeof(Word), to += kPanel * sizeof(Word))
        for (int64_t lane = 0; lane < rows; ++lane)
            std::memcpy(to + lane * sizeof(Word), from + lane * row_bytes, sizeof(Word));
}

/// One field of one block of all rows of a panel.
void pack_field(const Field& field, const std::byte* block, int64_t row_bytes, int64_t rows, std::byte*& to) {
    std::byte* first = to;
    if (field.unit == 4) pack_words<uint32_t>(block + field.offset, row_bytes, rows, field.count, to);
    else pack_words<uint16_t>(block + field.offset, row_bytes, rows, field.count, to);
    if (!field.fifth_bits) return;
    for (int64_t lane = 0; lane < rows; ++lane) {
        uint32_t bits;
        std::memcpy(&bits, first + 4 * lane, sizeof bits);
        bits = deal_out(bits);
        std::memcpy(first + 4 * lane, &bits, sizeof bits);
    }
}

}  // namespace

bool can_pack(DType dtype) { return find_format(dtype) != nullptr; }

uint64_t panel_bytes(DType dtype, int64_t columns) { return kPanel * tensor_bytes(dtype, Shape{columns}); }

uint64_t packed_bytes(DType dtype, const Shape& shape) {
    CHECK(shape.rank() == 2 || shape.rank() == 3);
    const int64_t outputs = shape[shape.rank() - 2];
    const int64_t panels = ceil_div(outputs, kPanel) * (shape.rank() == 3 ? shape[0] : 1);
    return static_cast<uint64_t>(panels) * panel_bytes(dtype, shape.innermost());
}

void pack_panel(DType dtype, const std::byte* file_rows, int64_t rows, int64_t columns, std::byte* panel) {
    const Format* format = find_format(dtype);
    CHECK(format != nullptr && rows >= 1 && rows <= kPanel);
    const DTypeInfo& info = dtype_info(dtype);
    const auto row_bytes = static_cast<int64_t>(tensor_bytes(dtype, Shape{columns}));
    if (rows < kPanel) std::memset(panel, 0, panel_bytes(dtype, columns));
    for (int64_t block = 0; block < columns / info.block_elements; ++block, file_rows += info.block_bytes)
        for (const Field& field : format->fields) pack_field(field, file_rows, row_bytes, rows, panel);
}

void unpack_row(DType dtype, const std::byte* panel, int64_t lane, int64_t columns, std::byte* file_row) {
    const Format* format = find_format(dtype);
    CHECK(format != nullptr && lane >= 0 && lane < kPanel);
    const DTypeInfo& info = dtype_info(dtype);
    for (int64_t block = 0; block < columns / info.block_elements; ++block, file_row += info.block_bytes)
        for (const Field& field : format->fields)
            for (int i = 0; i < field.count; ++i, panel += kPanel * field.unit) {
                std::byte* to = file_row + field.offset + i * field.unit;
                std::memcpy(to, panel + lane * field.unit, field.unit);
                if (!field.fifth_bits) continue;
                uint32_t bits;
                std::memcpy(&bits, to, sizeof bits);
                bits = gather_in(bits);
                std::memcpy(to, &bits, sizeof bits);
            }
}

}  // namespace godwit::cpu
