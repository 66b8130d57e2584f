#include "backend/cpu/cpu_device.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "backend/cpu/packed.hpp"
#include "base/ceil_div.hpp"

namespace godwit::cpu {

namespace {

/// Vectors stay as they are, but in memory of our own: ops read them as floats.
bool is_packed(DType dtype, const Shape& shape) { return shape.rank() >= 2 && can_pack(dtype); }

}  // namespace

uint64_t CpuDevice::weight_bytes(DType dtype, const Shape& shape) const {
    return is_packed(dtype, shape) ? packed_bytes(dtype, shape) : ReferenceDevice::weight_bytes(dtype, shape);
}

Result<std::unique_ptr<Buffer>> CpuDevice::load_weight(DType dtype, const Shape& shape,
                                                       std::span<const std::byte> bytes, DoneWith done_with) {
    CHECK(bytes.size() == tensor_bytes(dtype, shape));
    if (shape.rank() < 2) {
        std::unique_ptr<Buffer> copy = TRY(allocate(bytes.size()));
        std::copy(bytes.begin(), bytes.end(), copy->host());
        return copy;
    }
    if (!is_packed(dtype, shape)) return ReferenceDevice::load_weight(dtype, shape, bytes, done_with);
    std::unique_ptr<Buffer> buffer = TRY(allocate(packed_bytes(dtype, shape)));
    ::madvise(buffer->host(), buffer->size(), MADV_HUGEPAGE);  // fewer page walks; whether it is granted moves no bit

    CHECK(shape.rank() == 2 || shape.rank() == 3);
    const int64_t columns = shape.innermost(), outputs = shape[shape.rank() - 2];
    const int64_t matrices = shape.rank() == 3 ? shape[0] : 1, panels = ceil_div(outputs, kPanel);
    const auto row = static_cast<int64_t>(tensor_bytes(dtype, Shape{columns}));
    const auto panel = static_cast<int64_t>(panel_bytes(dtype, columns));
    const int64_t grain = std::max<int64_t>(1, (int64_t{1} << 20) / std::max<int64_t>(1, panel));
    pool_.parallel_for(matrices * panels, grain, [&](int64_t begin, int64_t end) {
        const auto first_row = [&](int64_t g) { return g / panels * outputs + std::min(g % panels * kPanel, outputs); };
        for (int64_t g = begin; g < end; ++g)
            pack_panel(dtype, bytes.data() + first_row(g) * row, std::min(kPanel, outputs - g % panels * kPanel),
                       columns, buffer->host() + g * panel);
        done_with(bytes.subspan(first_row(begin) * row, (first_row(end) - first_row(begin)) * row));
    });
    return buffer;
}

}  // namespace godwit::cpu
