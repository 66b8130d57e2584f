// Python's two ways to format: '%s' % x and '{}'.format(x).
#pragma once

#include "template/runtime.hpp"

namespace godwit::jinja {

/// format % arguments; `arguments` is a tuple, a dict or one value.
Result<Value> format_percent(Runtime& runtime, const Value& format, const Value& arguments);
/// format.format(*positional, **named).
Result<Value> format_braces(Runtime& runtime, const Value& format, const Arguments& arguments);

}  // namespace godwit::jinja
