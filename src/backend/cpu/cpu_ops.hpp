// The ops of the cpu backend: those with kernels of their own; the rest as the reference has them.
#pragma once

#include "backend/cpu/attention.hpp"
#include "backend/cpu/kernels.hpp"
#include "backend/cpu/linear.hpp"
#include "backend/reference/reference_device.hpp"

namespace godwit::cpu {

class CpuOps : public reference::ReferenceOps {
public:
    CpuOps(const Kernels& kernels, ThreadPool& pool)
        : ReferenceOps(pool),
          kernels_(kernels),
          pool_(pool),
          linear_(kernels, pool),
          attention_(kernels.attention, pool) {}

    void embed(const Weight& table, const View& ids, float scale, const View& out) override;
    void linear(const Linear& args) override;
    void linear_experts(const View& input, const Weight& weight, const View& experts, const View& out) override;

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

    void rope(const View& in, const View& table, RopePairing pairing, const View& out) override;
    void cache_write(const CacheWrite& args) override;
    void attention(const Attention& args) override { attention_.run(args); }

private:
    void linear_packed(const Linear& args);
    void linear_mixed(const Linear& args);

    const Kernels& kernels_;
    ThreadPool& pool_;
    LinearRunner linear_;
    std::vector<Product> products_;    // of a call
    std::vector<std::byte> file_row_;  // of embed
    AttentionRunner attention_;
};

}  // namespace godwit::cpu
