// The key–value half of a model file, typed and checked. Views point into the file's mapping.
// Errors name the key: `key llama.block_count: expected an integer, found a string`.
// Threads: immutable after the file is opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace godwit {

/// GGUF's value types; the numbers are those of the file.
enum class ValueType : uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, String, Array, U64, I64, F64 };
inline constexpr uint32_t kValueTypes = 13;

/// As in the format's documentation: "u8", "string", ….
std::string_view value_type_name(ValueType type);
/// Bytes of one value; of a string, the 8 bytes of its length. 0 for an array.
size_t value_type_size(ValueType type);

/// One value: its type and where its bytes lie. Bounds, booleans and string lengths were checked when the file was
/// opened.
struct Value {
    ValueType type{};
    ValueType element_type{};          // of an array (never Array: nested arrays are refused at open)
    uint64_t count = 1;                // elements of an array
    std::span<const std::byte> bytes;  // scalars and elements back to back; a string's text;
                                       // the strings of an array as u64 length + text
};

/// For people, in one line: numbers in their shortest form, strings quoted and made printable, long ones and arrays of
/// more than `max_elements` cut with "…" (and the array's length told).
std::string value_text(const Value& value, size_t max_elements = 8);

class Metadata {
public:
    /// In the file's order (inspect prints them so).
    struct Entry {
        std::string_view key;
        Value value;
    };

    /// False if the key is there already.
    bool add(std::string_view key, const Value& value);

    std::span<const Entry> entries() const { return entries_; }
    const Value* find(std::string_view key) const;

    // find_*: nothing when the key is absent, an error when the type does not fit.
    Result<std::optional<std::string_view>> find_string(std::string_view key) const;
    Result<std::optional<uint64_t>> find_uint(std::string_view key) const;  // any integer type, not negative
    Result<std::optional<double>> find_float(std::string_view key) const;   // F32 or F64, finite
    Result<std::optional<bool>> find_bool(std::string_view key) const;
    Result<std::optional<std::vector<std::string_view>>> find_strings(std::string_view key) const;
    Result<std::optional<std::vector<int64_t>>> find_ints(std::string_view key) const;  // array of any integer type
    Result<std::optional<std::vector<float>>> find_floats(std::string_view key) const;  // array of F32, finite
    Result<std::optional<std::vector<bool>>> find_bools(std::string_view key) const;

    // get_*: the key must exist.
    Result<std::string_view> get_string(std::string_view key) const;
    Result<uint64_t> get_uint(std::string_view key) const;
    Result<double> get_float(std::string_view key) const;

private:
    std::vector<Entry> entries_;
    std::map<std::string_view, size_t> index_;  // a tree: no file can make it slow by colliding hashes
};

}  // namespace godwit
