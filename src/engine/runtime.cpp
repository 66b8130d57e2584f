#include "engine/runtime.hpp"

#include <limits>

#include "backend/cpu/choose_kernels.hpp"
#include "backend/cpu/cpu_device.hpp"
#include "backend/reference/reference_device.hpp"
#include "base/thread_count.hpp"

namespace godwit {

RuntimeImpl::RuntimeImpl(const RuntimeOptions& options)
    : pool_(options.threads > 0 ? options.threads : default_thread_count()),
      memory_bytes_(options.memory_bytes > 0 ? options.memory_bytes : std::numeric_limits<uint64_t>::max()) {}

uint64_t RuntimeImpl::available() const {
    std::lock_guard lock(mutex_);
    return memory_bytes_ - taken_;
}

Result<std::unique_ptr<RuntimeImpl::Reservation>> RuntimeImpl::reserve(uint64_t bytes) {
    std::lock_guard lock(mutex_);
    if (bytes > memory_bytes_ - taken_)
        return error(
            "the plan needs {} bytes, but only {} of the memory budget are left (a smaller context or fewer "
            "sequences?)",
            bytes, memory_bytes_ - taken_);
    taken_ += bytes;
    return std::make_unique<Reservation>(shared_from_this(), bytes);
}

void RuntimeImpl::give_back(uint64_t bytes) {
    std::lock_guard lock(mutex_);
    taken_ -= bytes;
}

std::shared_ptr<Runtime> Runtime::make(const RuntimeOptions& options) { return std::make_shared<RuntimeImpl>(options); }

Result<std::unique_ptr<Device>> make_device(ThreadPool& pool) {
    const std::string_view isa = cpu::isa_from_environment();
    if (isa == "reference") return std::unique_ptr<Device>(std::make_unique<reference::ReferenceDevice>(pool));
    const cpu::Kernels* kernels = TRY(cpu::choose_kernels(isa));
    return std::unique_ptr<Device>(std::make_unique<cpu::CpuDevice>(*kernels, pool));
}

}  // namespace godwit
