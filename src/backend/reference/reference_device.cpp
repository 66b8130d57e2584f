#include "backend/reference/reference_device.hpp"

#include <sys/mman.h>

#include <cstring>

#include "backend/reference/dequantise.hpp"
#include "backend/reference/host_view.hpp"

namespace godwit::reference {
namespace {

/// Anonymous zeroed pages.
class HostBuffer final : public Buffer {
public:
    HostBuffer(void* pages, uint64_t size) : Buffer(static_cast<std::byte*>(pages), size) {}
    ~HostBuffer() override { ::munmap(host(), size()); }
};

/// A weight where it lies in the file's mapping: nothing to free.
class MappedBuffer final : public Buffer {
public:
    // Ops never write to weights; the cast lets one Buffer type serve both.
    explicit MappedBuffer(std::span<const std::byte> bytes)
        : Buffer(const_cast<std::byte*>(bytes.data()), bytes.size()) {}
};

}  // namespace

bool ReferenceDevice::supports_weight(DType dtype) const { return can_dequantise(dtype); }

Result<std::unique_ptr<Buffer>> ReferenceDevice::allocate(uint64_t bytes) {
    uint64_t size = bytes == 0 ? 1 : bytes;
    void* pages = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return error("out of memory: cannot allocate {} bytes", bytes);
    return std::unique_ptr<Buffer>(new HostBuffer(pages, size));
}

Result<std::unique_ptr<Buffer>> ReferenceDevice::load_weight(DType dtype, const Shape& shape,
                                                             std::span<const std::byte> bytes, DoneWith) {
    CHECK(bytes.size() == tensor_bytes(dtype, shape));
    return std::unique_ptr<Buffer>(new MappedBuffer(bytes));
}

void ReferenceDevice::upload(const View& to, std::span<const std::byte> from) {
    CHECK(from.size() == to.bytes());
    if (!from.empty()) std::memcpy(host_bytes(to), from.data(), from.size());
}

void ReferenceDevice::download(const View& from, std::span<std::byte> to) {
    CHECK(to.size() == from.bytes());
    if (!to.empty()) std::memcpy(to.data(), host_bytes(from), to.size());
}

}  // namespace godwit::reference
