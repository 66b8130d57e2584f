// The name that was probably meant.
#pragma once

#include <string_view>
#include <vector>

namespace godwit {

/// The one of `names` that `word` begins, or that is a letter or a few from it (more in long words); "" if none is
/// near. Of several equally near ones the first.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& names);

}  // namespace godwit
