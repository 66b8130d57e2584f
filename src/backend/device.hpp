// A place where tensors live and ops run: memory, weights, and the ops themselves. One object per model load;
// used by one thread at a time (the engine's), which it may help with a thread pool of its own choosing.
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

/// A weight matrix [out, in] (or [experts, out, in]) as the device laid it out; the view's shape is the logical one.
/// Its bytes mean something only to the device that made it.
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
    /// Can matrices of this type be multiplied here? Asked of every tensor before a model loads (invariant I4).
    virtual bool supports_weight(DType dtype) const = 0;

    /// Zeroed memory, 64-byte aligned. Error: out of memory, with the amount.
    virtual Result<std::unique_ptr<Buffer>> allocate(uint64_t bytes) = 0;
    /// Bytes of memory that a matrix will take, for planning.
    virtual uint64_t weight_bytes(DType dtype, const Shape& shape) const = 0;
    /// Called, by any thread, with parts of the bytes that will not be read again.
    using DoneWith = FunctionRef<void(std::span<const std::byte> part)>;
    /// Takes a matrix from a file's mapping, which must outlive the buffer: what done_with is not told of may be read
    /// in place for ever. Never expands it (invariant I3).
    virtual Result<std::unique_ptr<Buffer>> load_weight(DType dtype, const Shape& shape,
                                                        std::span<const std::byte> bytes, DoneWith done_with) = 0;

    /// Host → device, in order with the ops.
    virtual void upload(const View& to, std::span<const std::byte> from) = 0;
    /// Device → host; waits until the ops before it are done.
    virtual void download(const View& from, std::span<std::byte> to) = 0;

    virtual Ops& ops() = 0;
};

}  // namespace godwit
