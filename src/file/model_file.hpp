// A model container: metadata plus named tensors, whatever the format. Opened = fully validated as a container
// (counts, lengths, offsets, overlaps, types); what the numbers mean is the model's business.
// Owns the mappings; every view of it (metadata strings, tensor bytes) dies with it. Immutable, so any thread may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.hpp"
#include "base/result.hpp"
#include "file/gguf.hpp"
#include "file/metadata.hpp"
#include "file/tensor_info.hpp"

namespace godwit {

class ModelFile {
public:
    /// Opens a GGUF v2 or v3 file; of a split model give the first part, the others are found beside it.
    /// Of the parts after the first only the tensors and the keys split.* and general.alignment count.
    /// Errors: one line, `path: what: where (fix)`.
    static Result<ModelFile> open(const std::string& path);

    /// The same over bytes in memory, which must outlive it; a split model is refused. Errors have no path.
    static Result<ModelFile> from_bytes(std::span<const std::byte> bytes);

    const std::string& path() const { return path_; }
    const Metadata& metadata() const { return metadata_; }
    /// In the files' order.
    std::span<const TensorInfo> tensors() const { return tensors_; }
    const TensorInfo* find(std::string_view name) const;
    /// Lets go of the memory of a part of a tensor's bytes, if they are mapped from a file: it will not be read again
    /// soon.
    void drop(std::span<const std::byte> part) const;
    void drop_all() const;
    uint32_t version() const { return version_; }
    /// Of the first part.
    uint32_t alignment() const { return alignment_; }
    size_t parts() const { return parts_.size(); }
    /// Bytes of all tensors, without padding.
    uint64_t tensor_bytes() const;

private:
    ModelFile() = default;
    Result<Gguf> map_part(const std::string& path);
    Result<void> add_first(Gguf part);
    Result<void> add_tensors(std::span<const TensorInfo> tensors);
    Result<void> open_other_parts(uint64_t count);

    std::string path_;
    uint32_t version_ = 0;
    uint32_t alignment_ = 0;
    std::vector<MappedFile> parts_;
    Metadata metadata_;
    std::vector<TensorInfo> tensors_;
    std::map<std::string_view, size_t> index_;  // a tree: no file can make it slow by colliding hashes
};

/// Refuses what is no model by its own word: general.type "adapter", "mmproj", "imatrix", ….
/// Not part of open(), so that `inspect` can show such files.
Result<void> check_is_model(const Metadata& metadata);

}  // namespace godwit
