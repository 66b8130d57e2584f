// Strings and bytes: str.encode, bytes.decode, and the tables of str.translate.
#pragma once

#include "template/methods.hpp"

namespace godwit::jinja {

/// UTF-8, ASCII and Latin-1, with the error handlers strict, ignore, replace, xmlcharrefreplace and backslashreplace.
Result<Value> encode(Runtime& runtime, const Value& self, const Arguments& arguments);
Result<Value> translate(Runtime& runtime, const Value& self, const Arguments& arguments);
/// str.maketrans.
Result<Value> make_translation(Runtime& runtime, const Value& self, const Arguments& arguments);
/// decode and hex; nullptr: none of that name.
MethodFunction find_bytes_method(std::string_view name);

}  // namespace godwit::jinja
