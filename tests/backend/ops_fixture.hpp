// A device with a pool, tensors made from vectors, and their values read back.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "backend/cpu/cpu_device.hpp"
#include "backend/reference/reference_device.hpp"

namespace godwit {

/// Uniform in [−1, 1), the same numbers everywhere.
inline std::vector<float> random_floats(int64_t count, uint32_t seed) {
    std::mt19937 bits(seed);
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(static_cast<int32_t>(bits())) * 0x1p-31f;
    return values;
}

/// The device and the tensors on it; dies with the test.
class OpsBench {
public:
    /// The reference, or the cpu backend with these kernels.
    explicit OpsBench(int threads = 3, const cpu::Kernels* kernels = nullptr) : pool_(threads) {
        if (kernels == nullptr) device_ = std::make_unique<reference::ReferenceDevice>(pool_);
        else device_ = std::make_unique<cpu::CpuDevice>(*kernels, pool_);
    }

    Ops& ops() { return device_->ops(); }

    View zeros(Shape shape, DType dtype = DType::F32) {
        auto buffer = device_->allocate(tensor_bytes(dtype, shape));
        CHECK(buffer.ok());
        buffers_.push_back(std::move(buffer).take());
        return {buffers_.back().get(), 0, dtype, shape};
    }
    View floats(Shape shape, const std::vector<float>& values) {
        View view = zeros(shape);
        device_->upload(view, std::as_bytes(std::span(values)));
        return view;
    }
    View ints(Shape shape, const std::vector<int32_t>& values) {
        View view = zeros(shape, DType::I32);
        device_->upload(view, std::as_bytes(std::span(values)));
        return view;
    }
    View random(Shape shape, uint32_t seed) { return floats(shape, random_floats(shape.elements(), seed)); }
    /// `bytes` must outlive the bench.
    Weight weight(DType dtype, Shape shape, std::span<const std::byte> bytes) {
        auto buffer = device_->load_weight(dtype, shape, bytes, [](std::span<const std::byte>) {});
        CHECK(buffer.ok());
        buffers_.push_back(std::move(buffer).take());
        return {{buffers_.back().get(), 0, dtype, shape}};
    }

    std::vector<float> read(const View& view) { return download<float>(view, DType::F32); }
    std::vector<int32_t> read_ints(const View& view) { return download<int32_t>(view, DType::I32); }

private:
    template <class T>
    std::vector<T> download(const View& view, DType dtype) {
        CHECK(view.dtype == dtype);
        std::vector<T> values(view.shape.elements());
        device_->download(view, std::as_writable_bytes(std::span(values)));
        return values;
    }

    ThreadPool pool_;
    std::unique_ptr<Device> device_;
    std::vector<std::unique_ptr<Buffer>> buffers_;
};

class OpsTest : public testing::Test {
protected:
    OpsBench bench_;
    Ops& ops_ = bench_.ops();
};

/// |got − want| ≤ tolerance × max(1, |want|), element by element.
template <class Want>
void expect_close(const std::vector<float>& got, const std::vector<Want>& want, double tolerance) {
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i)
        EXPECT_NEAR(got[i], want[i], tolerance * std::max(1.0, std::abs(static_cast<double>(want[i])))) << "at " << i;
}

}  // namespace godwit
