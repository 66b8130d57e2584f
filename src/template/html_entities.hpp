// HTML's character references, as Python's html.unescape reads them.
#pragma once

#include <string>
#include <string_view>

namespace godwit::jinja {

/// What the reference that `text` begins with (at an &) stands for, and its bytes; 0: it is none.
size_t read_entity(std::string_view text, std::string& meaning);

}  // namespace godwit::jinja
