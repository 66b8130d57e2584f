// A device holds tensors and runs ops on them. There is one Device for each loaded model. One thread at a time calls it
// (the engine's); inside, it may use a thread pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "tensor/buffer.hpp"

namespace godwit {

class Ops;

/// A weight matrix [out, in] (or [experts, out, in]). The view has the shape of the matrix, but its bytes are laid out
/// in the device's own way.
struct Weight {
    View view;

    explicit operator bool() const { return static_cast<bool>(view); }
    int64_t outputs() const { return view.shape[view.shape.rank() - 2]; }
    int64_t inputs() const { return view.shape.innermost(); }
};

class Device {
public:
    virtual ~Device() = default;

    virtual std::string_view name() const = 0;
    /// Whether the device multiplies matrices of this type. Checked for every tensor before a model loads (invariant
    /// I4).
    virtual bool supports_weight(DType dtype) const = 0;

    /// Zeroed memory, aligned to 64 bytes. Error: out of memory; the message says how much was asked for.
    virtual Result<std::unique_ptr<Buffer>> allocate(uint64_t bytes) = 0;
    /// Bytes that load_weight() will take for a matrix; for the memory plan.
    virtual uint64_t weight_bytes(DType dtype, const Shape& shape) const = 0;
    /// Called from any thread with parts of a file's bytes that will not be read again.
    using DoneWith = FunctionRef<void(std::span<const std::byte> part)>;
    /// Lays out a matrix from the mapped `bytes` of a file, without expanding it (invariant I3). Bytes that done_with
    /// is not called for may be read as long as the buffer lives, so the mapping must outlive it.
    virtual Result<std::unique_ptr<Buffer>> load_weight(DType dtype, const Shape& shape,
                                                        std::span<const std::byte> bytes, DoneWith done_with) = 0;

    /// Copies from host to device, in order with the ops.
    virtual void upload(const View& to, std::span<const std::byte> from) = 0;
    /// Copies from device to host, after waiting for all ops called before.
    virtual void download(const View& from, std::span<std::byte> to) = 0;

    virtual Ops& ops() = 0;
};

}  // namespace godwit
