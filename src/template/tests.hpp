// The tests of a template: `value is name(arguments)`.
#pragma once

#include <string_view>

#include "template/runtime.hpp"

namespace godwit::jinja {

using TestFunction = Result<bool> (*)(Runtime&, const Value& input, const Arguments&);

struct Test {
    std::string_view name;
    TestFunction apply;
};

/// nullptr: there is none of that name. Also by the operators that filters may name: `select('==', 3)`.
const Test* find_test(std::string_view name);

}  // namespace godwit::jinja
