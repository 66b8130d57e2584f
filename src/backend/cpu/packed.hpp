// How weight matrices lie in memory, for every ISA: in panels of 16 outputs (rows of the matrix). A panel goes along
// its rows block by block; each packed block holds the blocks of all 16 rows, field by field, quantised weights first.
// Of a field, word 0 of all 16 rows comes first, then word 1 of all 16, and so on, so that one load gives 16 lanes the
// same word of 16 rows. Words have 4 bytes, in 16-bit fields 2. Packed weights take as many bytes as the file's, plus
// the padding of the last panel. Of Q5_0 and Q5_1 the fifth bits are reordered: bit r of byte i belongs to weight 4 r +
// i.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/buffer.hpp"

namespace godwit::cpu {

inline constexpr int64_t kPanel = 16;  // outputs of a panel

/// True for the types that have a packed form: F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K.
bool can_pack(DType dtype);

/// Bytes of one panel of rows with `columns` weights each.
uint64_t panel_bytes(DType dtype, int64_t columns);

/// Bytes of a matrix [outputs, in], or of matrices [experts, outputs, in], each of which starts a panel of its own.
uint64_t packed_bytes(DType dtype, const Shape& shape);

/// Packs one panel: `rows` (1 … 16) rows of a file, one after the other, into panel_bytes bytes. Missing rows become
/// zeros.
void pack_panel(DType dtype, const std::byte* file_rows, int64_t rows, int64_t columns, std::byte* panel);

/// Unpacks row `lane` of a panel into the bytes that the file has.
void unpack_row(DType dtype, const std::byte* panel, int64_t lane, int64_t columns, std::byte* file_row);

}  // namespace godwit::cpu
