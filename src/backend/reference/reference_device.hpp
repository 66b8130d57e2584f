// The reference backend: every op of ops.hpp in plain loops, on the host. It is the specification that other backends
// are compared with, and what one reads to learn what an op does. Weights stay in the file's mapping and are
// dequantised row by row. Files: moving, elementwise, rows, linear, experts, attention, rope, recurrence: one group of
// ops each.
#pragma once

#include <vector>

#include "backend/device.hpp"
#include "backend/ops.hpp"
#include "base/thread_pool.hpp"

namespace godwit::reference {

class ReferenceOps : public Ops {
public:
    explicit ReferenceOps(ThreadPool& pool) : pool_(pool) {}

    void zero(const View& out) override;
    void copy(const View& in, const View& out) override;
    void embed(const Weight& table, const View& ids, float scale, const View& out) override;
    void gather_rows(const View& in, const View& index, const View& out) override;

    void add(const View& a, const View& b, const View& out) override;
    void multiply(const View& a, const View& b, const View& out) override;
    void scale(const View& in, float factor, const View& out) override;
    void activate(Activation activation, const View& in, const View& out) override;
    void gate(Activation activation, const View& gate, const View& up, const View& out) override;
    void softcap(const View& in, float cap, const View& out) override;

    void rms_norm(const View& in, const View& weight, float epsilon, const View& residual, const View& out) override;
    void layer_norm(const View& in, const View& weight, const View& bias, float epsilon, const View& out) override;
    void l2_norm(const View& in, float epsilon, const View& out) override;
    void softmax(const View& in, const View& out) override;
    void argmax(const View& in, const View& out) override;
    void top_k(const View& in, const View& values, const View& places) override;
    void mean_rows(const View& in, const View& sequence, const View& out) override;

    void linear(const Linear& args) override;
    void linear_experts(const View& input, const Weight& weight, const View& experts, const View& out) override;
    void route(const Route& args) override;

    void rope_table(const View& positions, const View& frequencies, float magnitude, const View& out) override;
    void rope(const View& in, const View& table, RopePairing pairing, const View& out) override;
    void cache_write(const CacheWrite& args) override;
    void attention(const Attention& args) override;

    void delta_rule(const DeltaRule& args) override;
    void selective_scan(const SelectiveScan& args) override;
    void causal_conv(const CausalConv& args) override;

private:
    ThreadPool& pool_;
    std::vector<float> rows_;  // scratch of linear: the input rows after choice and norm
};

class ReferenceDevice : public Device {
public:
    explicit ReferenceDevice(ThreadPool& pool) : ops_(pool) {}

    std::string_view name() const override { return "reference"; }
    bool supports_weight(DType dtype) const override;
    Result<std::unique_ptr<Buffer>> allocate(uint64_t bytes) override;
    uint64_t weight_bytes(DType dtype, const Shape& shape) const override { return tensor_bytes(dtype, shape); }
    Result<std::unique_ptr<Buffer>> load_weight(DType dtype, const Shape& shape, std::span<const std::byte> bytes,
                                                DoneWith done_with) override;
    void upload(const View& to, std::span<const std::byte> from) override;
    void download(const View& from, std::span<std::byte> to) override;
    Ops& ops() override { return ops_; }

private:
    ReferenceOps ops_;
};

}  // namespace godwit::reference
