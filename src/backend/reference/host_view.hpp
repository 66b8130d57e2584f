// How reference ops look into views: typed pointers, and the two orders of summation that ops.hpp promises.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/check.hpp"
#include "tensor/buffer.hpp"

namespace godwit::reference {

inline std::byte* host_bytes(const View& view) {
    CHECK(view.buffer != nullptr && view.offset + view.bytes() <= view.buffer->size());
    return view.buffer->host() + view.offset;
}

inline float* f32(const View& view) {
    CHECK(view.dtype == DType::F32);
    return reinterpret_cast<float*>(host_bytes(view));
}

inline int32_t* i32(const View& view) {
    CHECK(view.dtype == DType::I32);
    return reinterpret_cast<int32_t*>(host_bytes(view));
}

/// Optional arguments: null for "none".
inline const float* f32_or_null(const View& view) { return view ? f32(view) : nullptr; }

/// 16 lanes, then a fixed tree: the order in which all backends sum (ops.hpp, "sum").
template <class Term>
float sum_of(int64_t count, Term term) {
    float lanes[16] = {};
    int64_t i = 0;
    for (; i + 16 <= count; i += 16)
        for (int lane = 0; lane < 16; ++lane) lanes[lane] += term(i + lane);
    for (int lane = 0; i < count; ++i, ++lane) lanes[lane] += term(i);
    for (int width = 8; width > 0; width /= 2)
        for (int lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
    return lanes[0];
}

}  // namespace godwit::reference
