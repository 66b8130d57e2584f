// Which Godwit this is.
#pragma once

#include <string_view>

namespace godwit {

/// "0.1.0"
std::string_view version();

}  // namespace godwit
