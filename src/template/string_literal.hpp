// Spellings of strings and numbers in a template.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace godwit::jinja {

/// The text between the quotes with Python's escapes (\n, \x41, \u00e9, …) replaced; unknown ones stay.
Result<std::string> unescape_literal(std::string_view text);
/// A decimal number, correctly rounded; too large is infinite, too small is zero. `text` must be well-formed.
double parse_decimal(std::string_view text);

}  // namespace godwit::jinja
