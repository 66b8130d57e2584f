// Text from outside, made safe for one line of a message: a hostile name must not forge a second line or drive a
// terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace godwit {

/// ASCII letters, digits and punctuation as they are, every other byte as \xNN; cut with "…" after `max_bytes` bytes.
std::string printable(std::string_view text, size_t max_bytes = 80);

}  // namespace godwit
