#include "file/model_file.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/printable.hpp"

namespace godwit {

namespace {

constexpr uint64_t kMaxParts = 9999;

/// The keys of a split model. Parts are numbered from 0 in the file, from 1 in file names and messages.
struct Split {
    uint64_t number = 0;
    uint64_t count = 1;
    uint64_t tensors = 0;  // in all parts together
};

Result<Split> read_split(const Metadata& metadata) {
    Split split;
    split.count = TRY(metadata.find_uint("split.count")).value_or(1);
    if (split.count <= 1) return Split{};  // a whole file; 0 is what the usual tool writes when it merges parts
    if (split.count > kMaxParts) return error("key split.count: {} parts, the limit is {}", split.count, kMaxParts);
    split.number = TRY(metadata.get_uint("split.no"));
    if (split.number >= split.count)
        return error("key split.no: part {} of {} does not exist", split.number, split.count);
    split.tensors = TRY(metadata.get_uint("split.tensors.count"));
    return split;
}

std::string part_suffix(uint64_t number, uint64_t count) {
    return fmt::format("-{:05}-of-{:05}.gguf", number + 1, count);
}

}  // namespace

Result<ModelFile> ModelFile::open(const std::string& path) {
    ModelFile model;
    model.path_ = path;
    auto first = TRY(model.map_part(path));
    auto split = read_split(first.metadata);
    if (!split.ok()) return error("{}: {}", path, split.error().message);
    auto [number, count, tensors] = split.value();
    if (number != 0)
        return error("{}: this is part {} of {} of a split model (open the part whose name ends with {})", path,
                     number + 1, count, part_suffix(0, count));
    auto added = model.add_first(std::move(first));
    if (!added.ok()) return error("{}: {}", path, added.error().message);
    if (count == 1) return model;
    TRY(model.open_other_parts(count));
    if (model.tensors_.size() != tensors)
        return error("{}: the {} parts hold {} tensors, key split.tensors.count says {}", path, count,
                     model.tensors_.size(), tensors);
    return model;
}

Result<ModelFile> ModelFile::from_bytes(std::span<const std::byte> bytes) {
    auto gguf = TRY(parse_gguf(bytes));
    auto split = TRY(read_split(gguf.metadata));
    if (split.count > 1) return error("a part of a split model (one of {})", split.count);
    ModelFile model;
    TRY(model.add_first(std::move(gguf)));
    return model;
}

Result<Gguf> ModelFile::map_part(const std::string& path) {
    auto file = TRY(MappedFile::open(path));
    auto part = parse_gguf(file.bytes());
    if (!part.ok()) return error("{}: {}", path, part.error().message);
    parts_.push_back(std::move(file));
    return part;
}

Result<void> ModelFile::add_first(Gguf part) {
    version_ = part.version;
    alignment_ = part.alignment;
    metadata_ = std::move(part.metadata);
    return add_tensors(part.tensors);
}

Result<void> ModelFile::add_tensors(std::span<const TensorInfo> tensors) {
    for (const TensorInfo& tensor : tensors) {
        if (!index_.emplace(tensor.name, tensors_.size()).second)
            return error("tensor {} is there twice", printable(tensor.name));
        tensors_.push_back(tensor);
    }
    return done();
}

Result<void> ModelFile::open_other_parts(uint64_t count) {
    std::string suffix = part_suffix(0, count);
    if (!path_.ends_with(suffix))
        return error("{}: the first of the {} parts of a split model, but its name does not end with {} (rename it)",
                     path_, count, suffix);
    std::string stem = path_.substr(0, path_.size() - suffix.size());
    for (uint64_t number = 1; number < count; ++number) {
        std::string path = stem + part_suffix(number, count);
        auto mapped = map_part(path);
        if (!mapped.ok()) return error("{} (part {} of {} of the model)", mapped.error().message, number + 1, count);
        const Gguf& part = mapped.value();
        auto split = read_split(part.metadata);
        if (!split.ok()) return error("{}: {}", path, split.error().message);
        if (split.value().number != number || split.value().count != count)
            return error("{}: its keys say part {} of {} of a split model (mixed downloads?)", path,
                         split.value().number + 1, split.value().count);
        if (part.version != version_)
            return error("{}: GGUF version {}, the first part has {} (mixed downloads?)", path, part.version, version_);
        auto added = add_tensors(part.tensors);
        if (!added.ok()) return error("{}: {}", path, added.error().message);
    }
    return done();
}

const TensorInfo* ModelFile::find(std::string_view name) const {
    auto it = index_.find(name);
    return it == index_.end() ? nullptr : &tensors_[it->second];
}

void ModelFile::drop(std::span<const std::byte> part) const {
    for (const MappedFile& file : parts_) {
        std::span<const std::byte> all = file.bytes();
        if (part.data() >= all.data() && part.data() < all.data() + all.size()) file.drop(part);
    }
}

void ModelFile::drop_all() const {
    for (const MappedFile& file : parts_) file.drop(file.bytes());
}

uint64_t ModelFile::tensor_bytes() const {
    uint64_t bytes = 0;  // cannot overflow: each part's tensors lie in its file without overlap
    for (const TensorInfo& tensor : tensors_) bytes += tensor.data.size();
    return bytes;
}

Result<void> check_is_model(const Metadata& metadata) {
    auto type = TRY(metadata.find_string("general.type")).value_or("model");
    if (type == "model") return done();
    return error("key general.type: \"{}\" is not a model by itself (give it beside the model it belongs to)",
                 printable(type));
}

}  // namespace godwit
