// The values of a template. A Value is a small trivially copyable handle; what it points to lives in the arena of the
// rendering (runtime.hpp) or, for literals, in the compiled template. So cycles leak nothing and nothing is destroyed
// recursively.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "template/traced_text.hpp"

namespace godwit::jinja {

/// Python's integers are unbounded; 128 bits hold every JSON integer and what is computed from them. Beyond: an error.
__extension__ using Integer = __int128;

enum class Type : uint8_t {
    Undefined,
    None,
    Bool,
    Int,
    Float,
    String,
    Bytes,  // what str.encode() gives; it can only be printed
    List,
    Tuple,
    Dict,
    Namespace,
    Range,
    View,       // dict.keys() and so on
    Generator,  // what map, select, … give: can be iterated, not measured or indexed
    Callable,
    Loop,
    Cycler,
    Joiner,
    Blocks,  // the variable `self`
};

struct Object {
    virtual ~Object() = default;
};

/// Containers nested deeper than this cannot be printed, compared or serialised.
inline constexpr int kNestingMax = 200;

struct Value {
    Type type = Type::Undefined;
    Origin origin = Origin::Value;  // of numbers, true, false and none when printed
    union {
        Integer integer = 0;  // Int, Bool
        double real;
        Object* object;
    };

    bool is(Type other) const { return type == other; }
    bool is_number() const { return type == Type::Bool || type == Type::Int || type == Type::Float; }
    bool is_integral() const { return type == Type::Bool || type == Type::Int; }
    bool is_sequence() const { return type == Type::List || type == Type::Tuple; }
};

inline Value none_value() {
    Value value;
    value.type = Type::None;
    return value;
}
inline Value bool_value(bool truth, Origin origin = Origin::Value) {
    Value value;
    value.type = Type::Bool;
    value.origin = origin;
    value.integer = truth ? 1 : 0;
    return value;
}
inline Value int_value(Integer number, Origin origin = Origin::Value) {
    Value value;
    value.type = Type::Int;
    value.origin = origin;
    value.integer = number;
    return value;
}
inline Value float_value(double number, Origin origin = Origin::Value) {
    Value value;
    value.type = Type::Float;
    value.origin = origin;
    value.real = number;
    return value;
}
inline Value object_value(Type type, Object* object) {
    Value value;
    value.type = type;
    value.object = object;
    return value;
}

struct UndefinedObject : Object {
    std::string message;  // "'nope' is undefined"
};

struct StringObject : Object {
    TracedText text;
    bool markup = false;  // markupsafe.Markup: what is added to it is escaped
};

/// List, Tuple, Generator, and the entries of a View.
struct ListObject : Object {
    std::vector<Value> items;
    std::string_view view_name;    // View: "dict_keys", "dict_values", "dict_items"
    bool group = false;            // a tuple of groupby: has .grouper and .list
    std::optional<Error> failure;  // Generator: what happens behind the items
};

/// Dict and Namespace. Keeps the order of insertion.
struct DictObject : Object {
    std::vector<std::pair<Value, Value>> entries;

    /// The entry of `key`, or nullptr. Keys that cannot be hashed are never there.
    const Value* find(const Value& key) const;
    const Value* find(std::string_view key) const;
    void set(const Value& key, const Value& value);

private:
    std::optional<size_t> position(const std::string& encoded) const;
    std::map<std::string, size_t, std::less<>> index_;  // encoded key -> entry
};

struct CyclerObject : Object {
    std::vector<Value> items;
    size_t position = 0;
};

struct JoinerObject : Object {
    Value separator;
    bool used = false;
};

struct RangeObject : Object {
    int64_t start = 0, stop = 0, step = 1, size = 0;
};

inline const TracedText& text_of(const Value& value) { return static_cast<StringObject*>(value.object)->text; }
inline std::string_view view_of(const Value& value) { return text_of(value).view(); }
inline bool is_markup(const Value& value) {
    return value.is(Type::String) && static_cast<StringObject*>(value.object)->markup;
}
inline ListObject& list_of(const Value& value) { return *static_cast<ListObject*>(value.object); }
inline DictObject& dict_of(const Value& value) { return *static_cast<DictObject*>(value.object); }
inline CyclerObject& cycler_of(const Value& value) { return *static_cast<CyclerObject*>(value.object); }
inline JoinerObject& joiner_of(const Value& value) { return *static_cast<JoinerObject*>(value.object); }
inline RangeObject& range_of(const Value& value) { return *static_cast<RangeObject*>(value.object); }
/// "'nope' is undefined", or what else left the value undefined.
std::string_view undefined_message(const Value& value);

/// Python's names: "str", "NoneType", "dict", "Undefined", …
std::string_view type_name(const Value& value);
bool truthy(const Value& value);
/// A text that is equal exactly for keys that are equal in Python (1, 1.0 and True are one key); none if unhashable.
std::optional<std::string> encode_key(const Value& key);

}  // namespace godwit::jinja
