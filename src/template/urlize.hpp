// The filter that makes links of the addresses in a text.
#pragma once

#include "template/runtime.hpp"

namespace godwit::jinja {

Result<Value> urlize(Runtime& runtime, const Value& input, const Arguments& arguments);

}  // namespace godwit::jinja
