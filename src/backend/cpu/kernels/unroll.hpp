// Loops whose index is a constant: shifts and shuffles need one.
#pragma once

#include "backend/cpu/isa/intrinsics.hpp"

namespace godwit::cpu {
namespace {

template <int n>
struct Index {
    static constexpr int value = n;
};

/// body(Index<begin>), …, body(Index<end − 1>).
template <int begin, int end, class Body>
GODWIT_INLINE void unroll(const Body& body) {
    if constexpr (begin < end) {
        body(Index<begin>());
        unroll<begin + 1, end>(body);
    }
}

}  // namespace
}  // namespace godwit::cpu
