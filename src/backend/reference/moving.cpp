// Ops that move and convert: zero, copy, embed. (gather and scatter stand with the experts that use them.)
#include <cstring>

#include "backend/reference/dequantise.hpp"
#include "backend/reference/host_view.hpp"
#include "backend/reference/reference_device.hpp"
#include "base/half.hpp"

namespace godwit::reference {
namespace {

/// `count` elements from f32 into a view of F32, F16 or BF16.
void store_row(const float* in, DType dtype, std::byte* out, int64_t count) {
    if (dtype == DType::F32) {
        std::memcpy(out, in, count * sizeof(float));
        return;
    }
    CHECK(dtype == DType::F16 || dtype == DType::BF16);
    auto* halves = reinterpret_cast<uint16_t*>(out);
    for (int64_t i = 0; i < count; ++i) halves[i] = dtype == DType::F16 ? f32_to_f16(in[i]) : f32_to_bf16(in[i]);
}

}  // namespace

void ReferenceOps::zero(const View& out) { std::memset(host_bytes(out), 0, out.bytes()); }

void ReferenceOps::copy(const View& in, const View& out) {
    CHECK(in.shape == out.shape);
    if (in.shape.elements() == 0) return;
    if (in.dtype == out.dtype) {
        std::memmove(host_bytes(out), host_bytes(in), in.bytes());
        return;
    }
    std::vector<float> row(in.shape.elements());
    dequantise_row(in.dtype, host_bytes(in), row.data(), in.shape.elements());
    store_row(row.data(), out.dtype, host_bytes(out), in.shape.elements());
}

void ReferenceOps::embed(const Weight& table, const View& ids, float scale, const View& out) {
    int64_t columns = table.inputs();
    CHECK(out.columns() == columns && out.rows() == ids.shape.elements());
    const int32_t* id = i32(ids);
    float* to = f32(out);
    uint64_t row_bytes = tensor_bytes(table.view.dtype, Shape{columns});
    for (int64_t r = 0; r < out.rows(); ++r, to += columns) {
        CHECK(id[r] >= 0 && id[r] < table.outputs());
        dequantise_row(table.view.dtype, host_bytes(table.view) + id[r] * row_bytes, to, columns);
        if (scale != 1)
            for (int64_t i = 0; i < columns; ++i) to[i] *= scale;
    }
}

}  // namespace godwit::reference
