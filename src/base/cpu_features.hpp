// What the processor and the operating system offer: what kernels are chosen by, and what reports print.
#pragma once

#include <cstdint>
#include <string>

namespace godwit {

/// Instruction sets are true where the CPU has the instructions and the operating system saves their registers.
/// All false on other architectures than x86-64.
struct CpuFeatures {
    std::string vendor;      // as CPUID spells it ("GenuineIntel"); empty: not known
    std::string model;       // the CPU's name for itself; empty: not known
    int physical_cores = 1;  // those of this process (thread_count.hpp)
    int64_t l1d_bytes = 0;   // the caches that CPU 0 uses, perhaps shared with others; 0: none or not known
    int64_t l2_bytes = 0;
    int64_t l3_bytes = 0;

    bool avx2 = false;    // with FMA and F16C
    bool avx512 = false;  // F, BW, VL and DQ
    bool avx_vnni = false;
    bool avx512_vnni = false;
    bool avx512_bf16 = false;
    bool avx512_fp16 = false;
    bool amx_tile = false;
    bool amx_int8 = false;
    bool amx_bf16 = false;
    bool amx_permitted = false;  // Linux grants tiles to a process that asks: this one has
};

/// `root` is the folder under which sys/ is looked up. Asks Linux for no permission.
CpuFeatures detect_cpu_features(const std::string& root = "/");

/// One line: "AMD EPYC (AuthenticAMD), 2 cores, L1d 48 KiB, L2 1024 KiB, L3 32768 KiB: avx2 avx512". What is not known
/// is left out; without any of the instruction sets the line ends in "none".
std::string describe(const CpuFeatures& features);

}  // namespace godwit
