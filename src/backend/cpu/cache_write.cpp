// cache_write: values go in as rows; keys dimension by dimension, beside those of the block's other tokens.
#include <algorithm>
#include <cstring>

#include "backend/cpu/cpu_ops.hpp"
#include "backend/reference/host_view.hpp"

namespace godwit::cpu {
namespace {

using reference::f32;
using reference::host_bytes;
using reference::i32;

constexpr int64_t kRowsAtOnce = 32;  // for one thread: about a block, whose cache lines they share

/// out[i · stride] = in[i].
template <class Element>
void spread(const Element* in, int64_t count, Element* out, int64_t stride) {
    if (stride == 1) std::memcpy(out, in, count * sizeof(Element));
    else
        for (int64_t i = 0; i < count; ++i) out[i * stride] = in[i];
}

struct Plane {
    explicit Plane(const View& view) : half(view.dtype == DType::F16), bytes(host_bytes(view)) {
        CHECK(half || view.dtype == DType::F32);
    }
    bool half;
    std::byte* bytes;
};

/// `count` elements of one head, rounded to the plane's type, from its element `at` on.
void write(const RowKernels& kernels, const float* in, int64_t count, const Plane& plane, int64_t at, int64_t stride) {
    if (!plane.half) return spread(in, count, reinterpret_cast<float*>(plane.bytes) + at, stride);
    auto* out = reinterpret_cast<uint16_t*>(plane.bytes) + at;
    constexpr int64_t kPiece = 256;
    uint16_t halves[kPiece];
    for (int64_t i = 0; i < count; i += kPiece) {
        const int64_t piece = std::min(kPiece, count - i);
        kernels.to_f16(in + i, piece, halves);
        spread(halves, piece, out + i * stride, stride);
    }
}

}  // namespace

void CpuOps::cache_write(const CacheWrite& args) {
    const int64_t blocks = args.keys.shape[0], heads = args.keys.shape[1], tokens = args.keys.shape[3];
    const int64_t key_dim = args.keys.shape[2], value_dim = args.values.shape[3], rows = args.key.shape[0];
    CHECK(args.values.shape == (Shape{blocks, heads, tokens, value_dim}));
    CHECK(args.key.shape == (Shape{rows, heads, key_dim}) && args.value.shape == (Shape{rows, heads, value_dim}));
    const float *key = f32(args.key), *value = f32(args.value);
    const int32_t* slots = i32(args.slot_mapping);
    const Plane keys(args.keys), values(args.values);
    pool_.parallel_for(rows, kRowsAtOnce, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
            const int64_t block = slots[r] / tokens, place = slots[r] % tokens;
            CHECK(place >= 0 && block < blocks);
            for (int64_t head = 0; head < heads; ++head) {
                const int64_t from = r * heads + head, to = block * heads + head;
                write(kernels_.rows, key + from * key_dim, key_dim, keys, to * key_dim * tokens + place, tokens);
                write(kernels_.rows, value + from * value_dim, value_dim, values, (to * tokens + place) * value_dim, 1);
            }
        }
    });
}

}  // namespace godwit::cpu
