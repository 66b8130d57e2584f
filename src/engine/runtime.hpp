// What engines of one process share, behind godwit/engine.hpp: the thread pool and the memory budget.
#pragma once

#include <memory>
#include <mutex>

#include "backend/device.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "godwit/engine.hpp"

namespace godwit {

class RuntimeImpl final : public Runtime, public std::enable_shared_from_this<RuntimeImpl> {
public:
    explicit RuntimeImpl(const RuntimeOptions& options);

    int threads() const override { return pool_.size(); }
    ThreadPool& pool() { return pool_; }

    /// Bytes of the budget that nobody has taken; all there are without a limit.
    uint64_t available() const;

    /// Part of the budget, given back when it dies.
    class Reservation {
    public:
        Reservation(std::shared_ptr<RuntimeImpl> runtime, uint64_t bytes)
            : runtime_(std::move(runtime)), bytes_(bytes) {}
        ~Reservation() { runtime_->give_back(bytes_); }
        Reservation(const Reservation&) = delete;
        Reservation& operator=(const Reservation&) = delete;

    private:
        std::shared_ptr<RuntimeImpl> runtime_;
        uint64_t bytes_;
    };
    /// Error: what is asked for and what is left.
    Result<std::unique_ptr<Reservation>> reserve(uint64_t bytes);

private:
    void give_back(uint64_t bytes);

    ThreadPool pool_;
    uint64_t memory_bytes_;
    mutable std::mutex mutex_;
    uint64_t taken_ = 0;
};

/// The backend for this machine: the cpu's with the fastest kernels it can run, or what GODWIT_ISA names: scalar, avx2,
/// avx512, or reference for the plain loops of the reference backend. Error: GODWIT_ISA names something else, or what
/// this machine cannot run.
Result<std::unique_ptr<Device>> make_device(ThreadPool& pool);

}  // namespace godwit
