#include "base/version.hpp"

namespace godwit {

std::string_view version() { return GODWIT_VERSION; }

}  // namespace godwit
