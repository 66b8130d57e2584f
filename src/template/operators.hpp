// Arithmetic and comparison as Python's.
#pragma once

#include "template/runtime.hpp"
#include "template/tree.hpp"

namespace godwit::jinja {

Result<Value> calculate(Runtime& runtime, Operator op, const Value& left, const Value& right);
Result<Value> negate(const Value& value);
Result<bool> compare(Runtime& runtime, Comparison comparison, const Value& left, const Value& right);
/// left == right; never fails but for nesting.
Result<bool> equal(Runtime& runtime, const Value& left, const Value& right, int depth = 0);
/// left < right, or "'<' not supported between …".
Result<bool> less(Runtime& runtime, const Value& left, const Value& right, int depth = 0);
Result<bool> contains(Runtime& runtime, const Value& container, const Value& item);

}  // namespace godwit::jinja
