// Division of counts, rounded up.
#pragma once

#include <cstdint>

namespace godwit {

/// How many parts of `part` > 0 hold `count` ≥ 0. Their sum must fit into 63 bits.
constexpr int64_t ceil_div(int64_t count, int64_t part) { return (count + part - 1) / part; }

}  // namespace godwit
