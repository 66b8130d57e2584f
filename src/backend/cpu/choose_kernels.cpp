#include "backend/cpu/choose_kernels.hpp"

#include <cstdlib>
#include <string>

#include "base/cpu_features.hpp"

namespace godwit::cpu {

std::vector<const Kernels*> runnable_kernels() {
    std::vector<const Kernels*> tables;
#if defined(__x86_64__)
    const CpuFeatures cpu = detect_cpu_features();
    if (cpu.avx2 && cpu.avx512 && cpu.avx512_vnni) tables.push_back(&kAvx512Kernels);
    if (cpu.avx2) tables.push_back(&kAvx2Kernels);
#endif
    tables.push_back(&kScalarKernels);
    return tables;
}

Result<const Kernels*> choose_kernels(std::string_view isa) {
    std::string names;
    for (const Kernels* kernels : runnable_kernels()) {
        if (isa.empty() || isa == kernels->name) return kernels;
        names += std::string(names.empty() ? "" : ", ") + kernels->name;
    }
    return error("GODWIT_ISA={}: not an instruction set that this machine can run (it has {})", isa, names);
}

std::string_view isa_from_environment() {
    const char* isa = std::getenv("GODWIT_ISA");
    return isa == nullptr ? "" : isa;
}

}  // namespace godwit::cpu
