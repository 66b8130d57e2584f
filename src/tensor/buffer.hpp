// Owned bytes on a device, and borrowed views of them. Ops take views, never host pointers: a buffer may live where the
// host cannot look.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/check.hpp"
#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"

namespace godwit {

/// Bytes on a device; freed with the object. Made by Device::allocate or Device::load_weight.
class Buffer {
public:
    Buffer(std::byte* host, uint64_t size) : host_(host), size_(size) {}
    virtual ~Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    uint64_t size() const { return size_; }
    /// Where the host sees the bytes; null for a device whose memory it cannot address. Only backends call this.
    std::byte* host() const { return host_; }

private:
    std::byte* host_;
    uint64_t size_;
};

/// Bytes that a dense tensor of this type and shape takes. Rows of quantised types are whole blocks (CHECKed).
inline uint64_t tensor_bytes(DType dtype, const Shape& shape) {
    const DTypeInfo& info = dtype_info(dtype);
    CHECK(shape.innermost() % info.block_elements == 0);
    return static_cast<uint64_t>(shape.elements()) / info.block_elements * info.block_bytes;
}

/// A dense tensor inside a buffer. A default-made view stands for "none" where an op has an optional argument.
struct View {
    Buffer* buffer = nullptr;
    uint64_t offset = 0;  // bytes
    DType dtype = DType::F32;
    Shape shape;

    explicit operator bool() const { return buffer != nullptr; }
    uint64_t bytes() const { return tensor_bytes(dtype, shape); }
    int64_t rows() const { return shape.rows(); }
    int64_t columns() const { return shape.innermost(); }

    /// The same bytes as another shape of equally many elements.
    View reshaped(Shape other) const {
        CHECK(other.elements() == shape.elements());
        return {buffer, offset, dtype, other};
    }
    /// The first `count` of the outermost extent: scratch is allocated for the longest step and used in part.
    View first(int64_t count) const { return slice(0, count); }
    /// `count` of the outermost extent from `begin` on.
    View slice(int64_t begin, int64_t count) const {
        CHECK(shape.rank() > 0 && begin >= 0 && count >= 0 && begin + count <= shape[0]);
        Shape inner{1};
        Shape part{count};
        for (int i = 1; i < shape.rank(); ++i) {
            inner.push_back(shape[i]);
            part.push_back(shape[i]);
        }
        return {buffer, offset + begin * tensor_bytes(dtype, inner), dtype, part};
    }
};

}  // namespace godwit
