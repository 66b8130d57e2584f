// Writes small GGUF files for tests: valid ones, and ones that lie. Every public field may be bent before bytes().
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "file/metadata.hpp"
#include "tensor/dtype.hpp"

namespace godwit::test {

template <class T>
std::string raw_bytes(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::string out(sizeof(T), '\0');
    std::memcpy(out.data(), &value, sizeof(T));
    return out;
}

inline std::string gguf_string(std::string_view text) { return raw_bytes<uint64_t>(text.size()) + std::string(text); }

/// The value type that stores a T.
template <class T>
constexpr ValueType value_type_of() {
    if constexpr (std::is_same_v<T, bool>) return ValueType::Bool;
    else if constexpr (std::is_same_v<T, uint8_t>) return ValueType::U8;
    else if constexpr (std::is_same_v<T, int8_t>) return ValueType::I8;
    else if constexpr (std::is_same_v<T, uint16_t>) return ValueType::U16;
    else if constexpr (std::is_same_v<T, int16_t>) return ValueType::I16;
    else if constexpr (std::is_same_v<T, uint32_t>) return ValueType::U32;
    else if constexpr (std::is_same_v<T, int32_t>) return ValueType::I32;
    else if constexpr (std::is_same_v<T, uint64_t>) return ValueType::U64;
    else if constexpr (std::is_same_v<T, int64_t>) return ValueType::I64;
    else if constexpr (std::is_same_v<T, float>) return ValueType::F32;
    else {
        static_assert(std::is_same_v<T, double>);
        return ValueType::F64;
    }
}

struct GgufWriter {
    struct Key {
        std::string name;
        uint32_t type;
        std::string payload;
    };
    struct Tensor {
        std::string name;
        std::vector<uint64_t> dims;  // innermost first, as in the file
        uint32_t type;               // ggml id
        std::string data;
        std::optional<uint64_t> offset;  // instead of the right one
        std::optional<uint32_t> rank;    // instead of dims.size()
    };

    std::string magic = "GGUF";
    uint32_t version = 3;
    std::optional<uint64_t> key_count, tensor_count;  // instead of the right ones
    uint64_t alignment = 32;                          // of the layout; the key general.alignment is written by set()
    bool pad_last = true;
    std::vector<Key> keys;
    std::vector<Tensor> tensors;

    GgufWriter& raw(std::string_view name, uint32_t type, std::string payload) {
        keys.push_back({std::string(name), type, std::move(payload)});
        return *this;
    }
    template <class T>
    GgufWriter& set(std::string_view name, T value) {
        return raw(name, static_cast<uint32_t>(value_type_of<T>()), raw_bytes(value));
    }
    GgufWriter& set(std::string_view name, const char* text) {
        return raw(name, static_cast<uint32_t>(ValueType::String), gguf_string(text));
    }
    template <class T>
    GgufWriter& array(std::string_view name, const std::vector<T>& values) {
        std::string payload;
        for (T value : values) payload += raw_bytes<T>(value);
        return raw_array(name, value_type_of<T>(), values.size(), payload);
    }
    GgufWriter& strings(std::string_view name, const std::vector<std::string>& values) {
        std::string payload;
        for (const auto& value : values) payload += gguf_string(value);
        return raw_array(name, ValueType::String, values.size(), payload);
    }
    GgufWriter& raw_array(std::string_view name, ValueType element_type, uint64_t count, const std::string& payload) {
        return raw(name, static_cast<uint32_t>(ValueType::Array),
                   raw_bytes(static_cast<uint32_t>(element_type)) + raw_bytes(count) + payload);
    }
    /// `dims` innermost first. Without `data`: bytes 1, 2, 3, … as many as the shape takes.
    Tensor& tensor(std::string_view name, std::vector<uint64_t> dims, DType dtype,
                   std::optional<std::string> data = {}) {
        const DTypeInfo& info = dtype_info(dtype);
        if (!data) {
            uint64_t elements = 1;
            for (uint64_t d : dims) elements *= d;
            data.emplace();
            for (uint64_t i = 0; i < elements / info.block_elements * info.block_bytes; ++i)
                *data += static_cast<char>(i % 127 + 1);
        }
        tensors.push_back({std::string(name), std::move(dims), info.ggml_id, std::move(*data), {}, {}});
        return tensors.back();
    }

    std::string bytes() const {
        std::string out = magic + raw_bytes(version) + raw_bytes(tensor_count.value_or(tensors.size())) +
                          raw_bytes(key_count.value_or(keys.size()));
        for (const Key& key : keys) out += gguf_string(key.name) + raw_bytes(key.type) + key.payload;
        uint64_t offset = 0;
        for (const Tensor& t : tensors) {
            out += gguf_string(t.name) + raw_bytes(t.rank.value_or(static_cast<uint32_t>(t.dims.size())));
            for (uint64_t d : t.dims) out += raw_bytes(d);
            out += raw_bytes(t.type) + raw_bytes(t.offset.value_or(offset));
            offset += padded(t.data.size());
        }
        if (tensors.empty()) return out;
        out.resize(padded(out.size()));
        for (const Tensor& t : tensors) {
            out += t.data;
            if (&t != &tensors.back() || pad_last) out.resize(out.size() + padded(t.data.size()) - t.data.size());
        }
        return out;
    }

    uint64_t padded(uint64_t n) const { return (n + alignment - 1) / alignment * alignment; }
};

/// For ModelFile::from_bytes and parse_gguf.
inline std::span<const std::byte> as_bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace godwit::test
