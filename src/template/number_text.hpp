// Python's int(text, base) and float(text).
#pragma once

#include "template/runtime.hpp"

namespace godwit::jinja {

/// None if the text is no integer of that base (2 to 36, 0: as its prefix says); an error if it has more than 128 bits.
Result<std::optional<Integer>> parse_int(std::string_view text, int64_t base);
std::optional<double> parse_float(std::string_view text);

}  // namespace godwit::jinja
