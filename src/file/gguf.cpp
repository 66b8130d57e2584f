#include "file/gguf.hpp"

#include <bit>
#include <limits>
#include <utility>

#include "base/printable.hpp"
#include "file/byte_cursor.hpp"

namespace godwit {

namespace {

// What the format allows or, where it sets no limit, far more than any model has: a file of lies costs bounded memory.
constexpr uint64_t kMaxKeys = uint64_t{1} << 16;
constexpr uint64_t kMaxTensors = uint64_t{1} << 18;
constexpr uint64_t kMaxArrayElements = uint64_t{1} << 24;
constexpr size_t kMaxKeyBytes = 65535;
constexpr size_t kMaxTensorNameBytes = 63;
constexpr uint32_t kMinAlignment = 8;

// The least that one of them takes in the file (empty names are refused later, by name): what a count can promise.
constexpr size_t kMinKeyBytes = 8 + 4 + 1;                 // name length, type, a one-byte value
constexpr size_t kMinTensorInfoBytes = 8 + 4 + 8 + 4 + 8;  // name length, rank, one dimension, type, offset

/// A tensor as its info tells it; where its data lies is known only after the last info.
struct PlacedTensor {
    TensorInfo info;
    uint64_t bytes = 0;
    uint64_t offset = 0;  // in the data section
};

Result<uint32_t> read_version(ByteCursor& cursor) {
    auto magic = TRY(cursor.take(4, "the magic number"));
    if (std::memcmp(magic.data(), "GGUF", 4) != 0)
        return error("not a GGUF file: the magic number is \"{}\", not \"GGUF\"",
                     printable({reinterpret_cast<const char*>(magic.data()), magic.size()}));
    auto version = TRY(cursor.read<uint32_t>("the version"));
    if (version != 0 && (version & 0xFFFF) == 0)
        return error(
            "big-endian GGUF (version bytes {:08x}): only little-endian files are read (convert the model again)",
            version);
    if (version < 2) return error("GGUF version {} is too old: 2 and 3 are read (convert the model again)", version);
    if (version > 3) return error("GGUF version {} is unknown: 2 and 3 are read (a newer Godwit may know it)", version);
    return version;
}

/// A count of things that take at least `min_bytes` each: refused before anything is reserved for them.
Result<uint64_t> read_count(ByteCursor& cursor, std::string_view things, size_t min_bytes, uint64_t limit) {
    auto count = TRY(cursor.read<uint64_t>("the header"));
    if (count > limit) return error("the count of {} is {}, the limit is {}", things, count, limit);
    if (count > cursor.remaining() / min_bytes)
        return error("the count of {} is {}, too many for the {} bytes that follow ({})", things, count,
                     cursor.remaining(), kTruncated);
    return count;
}

Result<ValueType> read_value_type(ByteCursor& cursor) {
    auto type = TRY(cursor.read<uint32_t>("the value type"));
    if (type >= kValueTypes) return error("value type {} does not exist (0 to {} do)", type, kValueTypes - 1);
    return static_cast<ValueType>(type);
}

Result<void> check_bools(std::span<const std::byte> bytes) {
    for (std::byte b : bytes)
        if (b > std::byte{1}) return error("a bool is stored as {}, must be 0 or 1", static_cast<int>(b));
    return done();
}

/// `cursor` stands behind the array's count; leaves it behind the last element.
Result<std::span<const std::byte>> read_elements(ByteCursor& cursor, ValueType type, uint64_t count) {
    if (type != ValueType::String) return cursor.take(count * value_type_size(type), "an array");
    ByteCursor start = cursor;
    for (uint64_t i = 0; i < count; ++i) TRY(cursor.read_string("a string of an array"));
    return start.take(cursor.position() - start.position(), "an array");
}

Result<Value> read_array(ByteCursor& cursor) {
    Value value{.type = ValueType::Array, .element_type = TRY(read_value_type(cursor))};
    if (value.element_type == ValueType::Array) return error("an array of arrays is not supported");
    value.count = TRY(cursor.read<uint64_t>("the array length"));
    if (value.count > kMaxArrayElements)
        return error("the array length is {}, the limit is {}", value.count, kMaxArrayElements);
    if (value.count > cursor.remaining() / value_type_size(value.element_type))
        return error("the array length is {}, too many for the {} bytes that follow ({})", value.count,
                     cursor.remaining(), kTruncated);
    value.bytes = TRY(read_elements(cursor, value.element_type, value.count));
    return value;
}

Result<Value> read_value(ByteCursor& cursor) {
    Value value{.type = TRY(read_value_type(cursor))};
    if (value.type == ValueType::Array) {
        value = TRY(read_array(cursor));
    } else if (value.type == ValueType::String) {
        value.bytes = std::as_bytes(std::span(TRY(cursor.read_string("a string"))));
    } else {
        value.bytes = TRY(cursor.take(value_type_size(value.type), "a value"));
    }
    ValueType scalar = value.type == ValueType::Array ? value.element_type : value.type;
    if (scalar == ValueType::Bool) TRY(check_bools(value.bytes));
    return value;
}

Result<Metadata> read_metadata(ByteCursor& cursor, uint64_t count) {
    Metadata metadata;
    for (uint64_t i = 0; i < count; ++i) {
        auto key = cursor.read_string("a key's name");
        if (!key.ok()) return error("key {} of {}: {}", i + 1, count, key.error().message);
        if (key.value().empty()) return error("key {} of {}: the name is empty", i + 1, count);
        if (key.value().size() > kMaxKeyBytes)
            return error("key {}: the name's length is {}, the limit is {}", printable(key.value()), key.value().size(),
                         kMaxKeyBytes);
        auto value = read_value(cursor);
        if (!value.ok()) return error("key {}: {}", printable(key.value()), value.error().message);
        if (!metadata.add(key.value(), value.value())) return error("key {} is there twice", printable(key.value()));
    }
    return metadata;
}

Result<uint32_t> read_alignment(const Metadata& metadata) {
    constexpr std::string_view kKey = "general.alignment";
    const Value* value = metadata.find(kKey);
    if (value == nullptr) return 32;
    if (value->type != ValueType::U32)
        return error("key {}: expected a u32, found type {}", kKey, value_type_name(value->type));
    uint64_t alignment = TRY(metadata.get_uint(kKey));
    if (alignment < kMinAlignment || !std::has_single_bit(alignment))
        return error("key {}: {} is not a power of two from {} up", kKey, alignment, kMinAlignment);
    return static_cast<uint32_t>(alignment);
}

/// Dimensions stand innermost first in the file. Their product fits an i64 afterwards.
Result<Shape> read_shape(ByteCursor& cursor) {
    auto rank = TRY(cursor.read<uint32_t>("the number of dimensions"));
    if (rank < 1 || rank > Shape::kMaxRank) return error("{} dimensions, must be 1 to {}", rank, Shape::kMaxRank);
    int64_t dims[Shape::kMaxRank];
    int64_t elements = 1;
    for (uint32_t i = 0; i < rank; ++i) {
        dims[i] = TRY(cursor.read<int64_t>("the dimensions"));
        if (dims[i] < 1) return error("dimension {} is {}, must be positive", i, dims[i]);
        if (__builtin_mul_overflow(elements, dims[i], &elements))
            return error("the dimensions are too large: their product overflows at dimension {} ({})", i, dims[i]);
    }
    Shape shape;
    for (uint32_t i = rank; i > 0; --i) shape.push_back(dims[i - 1]);
    return shape;
}

Result<DType> read_dtype(ByteCursor& cursor) {
    auto id = TRY(cursor.read<uint32_t>("the tensor type"));
    if (const DTypeInfo* known = find_ggml_type(id)) return known->dtype;
    if (ggml_type_was_removed(id))
        return error("tensor type {} was removed from the format (quantise the model again)", id);
    return error("tensor type {} is unknown (made by another program, or for a newer Godwit)", id);
}

Result<uint64_t> tensor_bytes(const Shape& shape, DType dtype) {
    const DTypeInfo& type = dtype_info(dtype);
    if (shape.innermost() % type.block_elements != 0)
        return error("rows of {} elements are not a multiple of {}'s block of {}", shape.innermost(), type.name,
                     type.block_elements);
    auto blocks = static_cast<uint64_t>(shape.elements()) / type.block_elements;
    uint64_t bytes = 0;
    if (__builtin_mul_overflow(blocks, uint64_t{type.block_bytes}, &bytes))
        return error("shape {} is too large: its size in bytes overflows", shape.to_string());
    return bytes;
}

Result<PlacedTensor> read_tensor_info(ByteCursor& cursor, std::string_view name) {
    PlacedTensor tensor{.info = {.name = name}};
    tensor.info.shape = TRY(read_shape(cursor));
    tensor.info.dtype = TRY(read_dtype(cursor));
    tensor.offset = TRY(cursor.read<uint64_t>("the tensor's offset"));
    tensor.bytes = TRY(tensor_bytes(tensor.info.shape, tensor.info.dtype));
    return tensor;
}

Result<std::vector<PlacedTensor>> read_tensor_infos(ByteCursor& cursor, uint64_t count) {
    std::vector<PlacedTensor> tensors;
    tensors.reserve(count);
    for (uint64_t i = 0; i < count; ++i) {
        auto name = cursor.read_string("a tensor's name");
        if (!name.ok()) return error("tensor {} of {}: {}", i + 1, count, name.error().message);
        if (name.value().empty()) return error("tensor {} of {}: the name is empty", i + 1, count);
        if (name.value().size() > kMaxTensorNameBytes)
            return error("tensor {}: the name's length is {}, the limit is {}", printable(name.value()),
                         name.value().size(), kMaxTensorNameBytes);
        auto tensor = read_tensor_info(cursor, name.value());
        if (!tensor.ok()) return error("tensor {}: {}", printable(name.value()), tensor.error().message);
        tensors.push_back(std::move(tensor).take());
    }
    return tensors;
}

uint64_t round_up(uint64_t n, uint32_t alignment) { return (n + alignment - 1) & ~uint64_t{alignment - 1}; }

/// Tensors lie one after the other, each padded to the alignment: offsets say nothing new and must agree.
Result<std::vector<TensorInfo>> place_tensors(std::span<const std::byte> data, uint32_t alignment,
                                              std::span<const PlacedTensor> placed) {
    std::vector<TensorInfo> tensors;
    tensors.reserve(placed.size());
    uint64_t expected = 0;
    for (const PlacedTensor& tensor : placed) {
        if (tensor.offset != expected)
            return error("tensor {}: offset {} {} (expected {})", printable(tensor.info.name), tensor.offset,
                         tensor.offset < expected ? "overlaps the tensor before it" : "leaves a gap", expected);
        // Before any rounding: `bytes` may be next to 2^64, after this line offset + bytes is within the file.
        if (expected > data.size() || tensor.bytes > data.size() - expected)
            return error("tensor {}: {} bytes at offset {} run past the end of the file's {} bytes of data ({})",
                         printable(tensor.info.name), tensor.bytes, expected, data.size(), kTruncated);
        tensors.push_back(tensor.info);
        tensors.back().data = data.subspan(expected, tensor.bytes);
        expected = round_up(expected + tensor.bytes, alignment);
    }
    return tensors;
}

}  // namespace

Result<Gguf> parse_gguf(std::span<const std::byte> bytes) {
    ByteCursor cursor(bytes);
    Gguf gguf;
    gguf.version = TRY(read_version(cursor));
    uint64_t tensors = TRY(read_count(cursor, "tensors", kMinTensorInfoBytes, kMaxTensors));
    uint64_t keys = TRY(read_count(cursor, "keys", kMinKeyBytes, kMaxKeys));
    gguf.metadata = TRY(read_metadata(cursor, keys));
    gguf.alignment = TRY(read_alignment(gguf.metadata));
    auto placed = TRY(read_tensor_infos(cursor, tensors));
    if (placed.empty()) return gguf;  // vocabularies, and first parts that hold metadata only
    uint64_t data_start = round_up(cursor.position(), gguf.alignment);
    if (data_start > bytes.size())
        return error("the data begin at {} (alignment {}), past the end of the file at {} ({})", data_start,
                     gguf.alignment, bytes.size(), kTruncated);
    gguf.tensors = TRY(place_tensors(bytes.subspan(data_start), gguf.alignment, placed));
    return gguf;
}

}  // namespace godwit
