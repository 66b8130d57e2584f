// Attributes, subscripts and the methods of strings and containers.
#pragma once

#include "template/runtime.hpp"

namespace godwit::jinja {

using MethodFunction = Result<Value> (*)(Runtime&, const Value& self, const Arguments&);

/// What can be called: a builtin or a method. Macros and loops: interpreter.hpp.
struct MethodObject : Object {
    std::string_view name;
    MethodFunction call = nullptr;
    Value self;
};

/// nullptr: none of that name.
MethodFunction find_string_method(std::string_view name);
MethodFunction find_markup_method(std::string_view name);
MethodFunction find_number_method(const Value& self, std::string_view name);
/// real, imag, numerator and denominator.
std::optional<Value> number_attribute(const Value& value, std::string_view name);
MethodFunction find_container_method(const Value& self, std::string_view name);

/// container.name: method first, then entry, as jinja2. Undefined where there is neither; fails on undefined
/// containers.
Result<Value> attribute(Runtime& runtime, const Value& container, std::string_view name);
/// container[key]: entry first, then method.
Result<Value> item(Runtime& runtime, const Value& container, const Value& key);
/// container[start:stop:step]; nullptr or none where left out.
Result<Value> slice(Runtime& runtime, const Value& container, const Value* start, const Value* stop, const Value* step);
/// `path` as filters take it: "a.b", "0", an integer, or none for the container itself. `otherwise`: what stands for
/// what is undefined on the way.
Result<Value> attribute_path(Runtime& runtime, const Value& container, const Value& path,
                             const Value* otherwise = nullptr);

/// raise_exception, range, dict, namespace, cycler, joiner, strftime_now; nullptr: none of that name.
MethodFunction find_builtin(std::string_view name);
/// A call of a joiner: nothing at first, then what it joins with.
Value call_joiner(Runtime& runtime, const Value& joiner);
Result<Value> strftime_now(Runtime& runtime, const Value& self, const Arguments& arguments);
Value make_method(Runtime& runtime, std::string_view name, MethodFunction call, const Value& self);

}  // namespace godwit::jinja
