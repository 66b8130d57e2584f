#include "file/metadata.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/check.hpp"
#include "base/printable.hpp"

namespace godwit {

namespace {

struct ValueTypeInfo {
    std::string_view described;  // with its article, for messages
    size_t bytes;
};

constexpr std::array<ValueTypeInfo, kValueTypes> kValueTypeInfos = {{
    {"a u8", 1},
    {"an i8", 1},
    {"a u16", 2},
    {"an i16", 2},
    {"a u32", 4},
    {"an i32", 4},
    {"an f32", 4},
    {"a bool", 1},
    {"a string", sizeof(uint64_t)},
    {"an array", 0},
    {"a u64", 8},
    {"an i64", 8},
    {"an f64", 8},
}};

const ValueTypeInfo& info(ValueType type) { return kValueTypeInfos[static_cast<size_t>(type)]; }

template <class T>
T load(std::span<const std::byte> bytes, size_t i) {
    CHECK(i < bytes.size() / sizeof(T));
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    return value;
}

std::string_view as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool is_integer(ValueType type) {
    switch (type) {
        case ValueType::U8:
        case ValueType::I8:
        case ValueType::U16:
        case ValueType::I16:
        case ValueType::U32:
        case ValueType::I32:
        case ValueType::U64:
        case ValueType::I64:
            return true;
        default:
            return false;
    }
}

/// Wide enough for every u64 and i64.
using Integer = __int128;

Integer load_integer(ValueType type, std::span<const std::byte> bytes, size_t i) {
    switch (type) {
        case ValueType::U8:
            return load<uint8_t>(bytes, i);
        case ValueType::I8:
            return load<int8_t>(bytes, i);
        case ValueType::U16:
            return load<uint16_t>(bytes, i);
        case ValueType::I16:
            return load<int16_t>(bytes, i);
        case ValueType::U32:
            return load<uint32_t>(bytes, i);
        case ValueType::I32:
            return load<int32_t>(bytes, i);
        case ValueType::U64:
            return load<uint64_t>(bytes, i);
        case ValueType::I64:
            return load<int64_t>(bytes, i);
        default:
            CHECK(false);
    }
}

double load_float(ValueType type, std::span<const std::byte> bytes, size_t i) {
    return type == ValueType::F32 ? double{load<float>(bytes, i)} : load<double>(bytes, i);
}

/// Takes the first string off an array's bytes; their lengths were checked when the file was opened.
std::string_view next_string(std::span<const std::byte>& bytes) {
    auto length = load<uint64_t>(bytes, 0);
    bytes = bytes.subspan(sizeof(uint64_t));
    CHECK(length <= bytes.size());
    std::string_view text = as_text(bytes.first(length));
    bytes = bytes.subspan(length);
    return text;
}

std::string describe(const Value& value) {
    if (value.type != ValueType::Array) return std::string(info(value.type).described);
    return fmt::format("an array of {}", value_type_name(value.element_type));
}

Error wrong_type(std::string_view key, std::string_view expected, const Value& value) {
    return error("key {}: expected {}, found {}", printable(key), expected, describe(value));
}

bool is_array_of(const Value& value, ValueType element_type) {
    return value.type == ValueType::Array && value.element_type == element_type;
}

std::string scalar_text(ValueType type, std::span<const std::byte> bytes, size_t i) {
    if (type == ValueType::Bool) return load<uint8_t>(bytes, i) != 0 ? "true" : "false";
    if (type == ValueType::F32) return fmt::format("{}", load<float>(bytes, i));
    if (type == ValueType::F64) return fmt::format("{}", load<double>(bytes, i));
    return fmt::format("{}", load_integer(type, bytes, i));
}

std::string string_text(std::string_view text) { return fmt::format("\"{}\"", printable(text)); }

template <class T>
Result<T> required(std::string_view key, Result<std::optional<T>> found) {
    std::optional<T> value = TRY(std::move(found));
    if (!value) return error("key {} is missing", printable(key));
    return *value;
}

}  // namespace

std::string_view value_type_name(ValueType type) {
    std::string_view described = info(type).described;
    return described.substr(described.find(' ') + 1);
}

size_t value_type_size(ValueType type) { return info(type).bytes; }

std::string value_text(const Value& value, size_t max_elements) {
    if (value.type == ValueType::String) return string_text(as_text(value.bytes));
    if (value.type != ValueType::Array) return scalar_text(value.type, value.bytes, 0);
    std::string out = "[";
    auto rest = value.bytes;
    for (size_t i = 0; i < value.count && i < max_elements; ++i) {
        if (i > 0) out += ", ";
        out += value.element_type == ValueType::String ? string_text(next_string(rest))
                                                       : scalar_text(value.element_type, value.bytes, i);
    }
    if (value.count > max_elements) out += fmt::format(", …] ({} elements)", value.count);
    else out += "]";
    return out;
}

bool Metadata::add(std::string_view key, const Value& value) {
    if (!index_.emplace(key, entries_.size()).second) return false;
    entries_.push_back({key, value});
    return true;
}

const Value* Metadata::find(std::string_view key) const {
    auto it = index_.find(key);
    return it == index_.end() ? nullptr : &entries_[it->second].value;
}

Result<std::optional<std::string_view>> Metadata::find_string(std::string_view key) const {
    const Value* value = find(key);
    if (value == nullptr) return std::optional<std::string_view>();
    if (value->type != ValueType::String) return wrong_type(key, "a string", *value);
    return std::optional(as_text(value->bytes));
}

Result<std::optional<uint64_t>> Metadata::find_uint(std::string_view key) const {
    const Value* value = find(key);
    if (value == nullptr) return std::optional<uint64_t>();
    if (!is_integer(value->type)) return wrong_type(key, "an integer", *value);
    Integer number = load_integer(value->type, value->bytes, 0);
    if (number < 0) return error("key {}: {} is negative", printable(key), number);
    return std::optional(static_cast<uint64_t>(number));
}

Result<std::optional<double>> Metadata::find_float(std::string_view key) const {
    const Value* value = find(key);
    if (value == nullptr) return std::optional<double>();
    if (value->type != ValueType::F32 && value->type != ValueType::F64) return wrong_type(key, "a float", *value);
    double number = load_float(value->type, value->bytes, 0);
    if (!std::isfinite(number)) return error("key {}: {} is not a finite number", printable(key), number);
    return std::optional(number);
}

Result<std::optional<bool>> Metadata::find_bool(std::string_view key) const {
    const Value* value = find(key);
    if (value == nullptr) return std::optional<bool>();
    if (value->type != ValueType::Bool) return wrong_type(key, "a bool", *value);
    return std::optional(load<uint8_t>(value->bytes, 0) != 0);
}

Result<std::optional<std::vector<std::string_view>>> Metadata::find_strings(std::string_view key) const {
    const Value* value = find(key);
    if (value == nullptr) return std::optional<std::vector<std::string_view>>();
    if (!is_array_of(*value, ValueType::String)) return wrong_type(key, "an array of strings", *value);
    std::vector<std::string_view> out;
    out.reserve(value->count);
    auto rest = value->bytes;
    for (size_t i = 0; i < value->count; ++i) out.push_back(next_string(rest));
    return std::optional(std::move(out));
}

Result<std::optional<std::vector<int64_t>>> Metadata::find_ints(std::string_view key) const {
    const Value* value = find(key);
    if (value == nullptr) return std::optional<std::vector<int64_t>>();
    if (value->type != ValueType::Array || !is_integer(value->element_type))
        return wrong_type(key, "an array of integers", *value);
    std::vector<int64_t> out(value->count);
    for (size_t i = 0; i < out.size(); ++i) {
        Integer number = load_integer(value->element_type, value->bytes, i);
        if (number > std::numeric_limits<int64_t>::max())
            return error("key {}: element {} is out of range ({})", printable(key), i, number);
        out[i] = static_cast<int64_t>(number);
    }
    return std::optional(std::move(out));
}

Result<std::optional<std::vector<float>>> Metadata::find_floats(std::string_view key) const {
    const Value* value = find(key);
    if (value == nullptr) return std::optional<std::vector<float>>();
    if (!is_array_of(*value, ValueType::F32)) return wrong_type(key, "an array of f32 (floats)", *value);
    std::vector<float> out(value->count);
    for (size_t i = 0; i < out.size(); ++i) {
        out[i] = load<float>(value->bytes, i);
        if (!std::isfinite(out[i]))
            return error("key {}: element {} is not a finite number ({})", printable(key), i, out[i]);
    }
    return std::optional(std::move(out));
}

Result<std::optional<std::vector<bool>>> Metadata::find_bools(std::string_view key) const {
    const Value* value = find(key);
    if (value == nullptr) return std::optional<std::vector<bool>>();
    if (!is_array_of(*value, ValueType::Bool)) return wrong_type(key, "an array of bools", *value);
    std::vector<bool> out(value->count);
    for (size_t i = 0; i < out.size(); ++i) out[i] = load<uint8_t>(value->bytes, i) != 0;
    return std::optional(std::move(out));
}

Result<std::string_view> Metadata::get_string(std::string_view key) const { return required(key, find_string(key)); }
Result<uint64_t> Metadata::get_uint(std::string_view key) const { return required(key, find_uint(key)); }
Result<double> Metadata::get_float(std::string_view key) const { return required(key, find_float(key)); }

}  // namespace godwit
