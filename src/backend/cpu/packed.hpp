// How weights lie in memory for every ISA: groups of 16 outputs, whose blocks stand side by side word by word, so that
// 16 lanes hold the same word of 16 rows. A packed block is the 16 file blocks, field by field (the quantised weights
// first): of each field word 0 of all 16, word 1 of all 16, …; words have 4 bytes, in 16-bit fields 2. No byte more
// than the file has, but for the missing rows of the last group. The fifth bits of Q5_0 and Q5_1 are dealt out anew:
// bit r of byte i belongs to weight 4 r + i.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/buffer.hpp"

namespace godwit::cpu {

inline constexpr int64_t kGroup = 16;  // outputs

/// True for the types that have a packed form: F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K.
bool can_pack(DType dtype);

/// Bytes of one group of rows with `columns` weights each.
uint64_t group_bytes(DType dtype, int64_t columns);

/// Bytes of a matrix [outputs, in], or of matrices [experts, outputs, in], each of which starts a group of its own.
uint64_t packed_bytes(DType dtype, const Shape& shape);

/// Packs one group: `rows` (1 … 16) rows of a file, one after the other, into group_bytes bytes. Missing rows become
/// zeros.
void pack_group(DType dtype, const std::byte* file_rows, int64_t rows, int64_t columns, std::byte* group);

/// The way back for one row of a group: the bytes as the file has them.
void unpack_row(DType dtype, const std::byte* group, int64_t lane, int64_t columns, std::byte* file_row);

}  // namespace godwit::cpu
