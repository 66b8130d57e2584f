// The cpu backend: the host's memory, weights packed for its vector units (packed.hpp), kernels chosen once.
#pragma once

#include "backend/cpu/cpu_ops.hpp"

namespace godwit::cpu {

class CpuDevice final : public reference::ReferenceDevice {
public:
    /// Both must outlive the device.
    CpuDevice(const Kernels& kernels, ThreadPool& pool)
        : ReferenceDevice(pool), kernels_(kernels), pool_(pool), ops_(kernels, pool) {}

    /// "cpu (avx512)": the kernels are part of the name, since every figure must say which path made it.
    std::string_view name() const override { return name_; }
    uint64_t weight_bytes(DType dtype, const Shape& shape) const override;
    Result<std::unique_ptr<Buffer>> load_weight(DType dtype, const Shape& shape, std::span<const std::byte> bytes,
                                                DoneWith done_with) override;
    Ops& ops() override { return ops_; }

private:
    const Kernels& kernels_;
    ThreadPool& pool_;
    CpuOps ops_;
    std::string name_ = std::string("cpu (") + kernels_.name + ")";
};

}  // namespace godwit::cpu
