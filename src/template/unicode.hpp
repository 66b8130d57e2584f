// Properties of code points that Python's str methods use.
#pragma once

#include <optional>
#include <string>

namespace godwit::jinja {

/// str.isspace() of one character: White_Space and the separators U+001C to U+001F.
bool is_space(char32_t c);
/// str.isprintable().
bool is_printable(char32_t c);
bool is_alpha(char32_t c);
/// The value of a decimal digit of any script (category Nd).
std::optional<int> decimal_digit(char32_t c);
bool is_upper(char32_t c);
bool is_lower(char32_t c);

enum class Case { Upper, Lower, Title };
/// The full mapping (ß to SS); final sigma is left to the caller.
void append_case(std::string& out, char32_t c, Case to);
void append_utf8(std::string& out, char32_t c);

}  // namespace godwit::jinja
