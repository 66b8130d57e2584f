// The GGUF container, versions 2 and 3, little-endian: one file's bytes to metadata and tensors.
// Specification: ggml/docs/gguf.md. Nothing is used before it is checked; nothing is allocated from an unchecked
// number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "file/metadata.hpp"
#include "file/tensor_info.hpp"

namespace godwit {

/// One file; of a split model, one part. Every view points into the bytes it was parsed from.
struct Gguf {
    uint32_t version = 0;
    uint32_t alignment = 32;
    Metadata metadata;
    std::vector<TensorInfo> tensors;  // in the file's order; names may still repeat (ModelFile checks over all parts)
};

/// Parses and validates `bytes` (which must outlive the result). Errors name the key or the tensor, not the file.
Result<Gguf> parse_gguf(std::span<const std::byte> bytes);

}  // namespace godwit
