// Text from outside, made safe for one line of a message: a hostile name must not forge a second line or drive a
// terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace godwit {

/// Well-formed UTF-8 that shows as itself stays; controls, invisible and bidirectional marks and ill-formed bytes
/// become \xNN. Cut with "…" after the first code point that reaches `max_bytes`.
std::string printable(std::string_view text, size_t max_bytes = 80);

}  // namespace godwit
