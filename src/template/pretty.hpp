// The filter pprint.
#pragma once

#include "template/runtime.hpp"

namespace godwit::jinja {

Result<Value> pprint(Runtime& runtime, const Value& input, const Arguments& arguments);

}  // namespace godwit::jinja
