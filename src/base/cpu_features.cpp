#include "base/cpu_features.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "base/first_line.hpp"
#include "base/thread_count.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace godwit {
namespace {

namespace fs = std::filesystem;

/// "48K", as the kernel writes it; 0 where it is something else.
int64_t kibibytes(const std::string& text) {
    int64_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool good = status == std::errc() && std::string_view(end) == "K" && value >= 0 && value <= (1 << 30);
    return good ? value << 10 : 0;
}

void read_caches(const fs::path& folder, CpuFeatures& features) {
    for (int i = 0; i < 8; ++i) {
        const fs::path cache = folder / fmt::format("index{}", i);
        if (first_line(cache / "type") == "Instruction") continue;
        const std::string level = first_line(cache / "level");
        const int64_t bytes = kibibytes(first_line(cache / "size"));
        if (level == "1") features.l1d_bytes = bytes;
        if (level == "2") features.l2_bytes = bytes;
        if (level == "3") features.l3_bytes = bytes;
    }
}

#if defined(__x86_64__)

struct Leaf {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// All zero where the CPU has no such leaf.
Leaf cpuid(unsigned leaf, unsigned subleaf = 0) {
    Leaf r;
    if (!__get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx)) return {};
    return r;
}

bool bit(unsigned word, int index) { return (word >> index & 1) != 0; }

/// Registers that the operating system saves (XCR0), by component; 0 where it saves none.
uint64_t saved_registers() {
    if (!bit(cpuid(1).ecx, 27)) return 0;  // OSXSAVE: without it XGETBV faults
    unsigned low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return uint64_t{high} << 32 | low;
}

/// Whether Linux has let this process use the tile registers (component 18). Kernels before 5.16 do not know the
/// question.
bool has_tile_permission() {
    constexpr int kGetPermitted = 0x1022;  // ARCH_GET_XCOMP_PERM of asm/prctl.h
    uint64_t components = 0;
    return syscall(SYS_arch_prctl, kGetPermitted, &components) == 0 && (components >> 18 & 1) != 0;
}

std::string vendor() {
    const Leaf r = cpuid(0);
    char text[12];
    std::memcpy(text, &r.ebx, 4);
    std::memcpy(text + 4, &r.edx, 4);
    std::memcpy(text + 8, &r.ecx, 4);
    return std::string(text, sizeof text);
}

std::string model() {
    char text[48] = {};
    for (unsigned i = 0; i < 3; ++i) {
        const Leaf r = cpuid(0x80000002 + i);
        std::memcpy(text + 16 * i, &r, 16);
    }
    const std::string_view name(text, strnlen(text, sizeof text));  // padded with spaces on either side
    const size_t first = name.find_first_not_of(' ');
    if (first == name.npos) return "";
    return std::string(name.substr(first, name.find_last_not_of(' ') - first + 1));
}

/// Bits as in the Intel SDM, volume 2, CPUID.
void read_instruction_sets(CpuFeatures& features) {
    constexpr uint64_t kYmm = 0x6, kZmm = 0xe6,
                       kTiles = 0x60000;  // XCR0: SSE and AVX; and AVX-512; tile data and its shape
    const Leaf basic = cpuid(1), extended = cpuid(7), more = cpuid(7, 1);
    const uint64_t saved = saved_registers();
    const bool ymm = (saved & kYmm) == kYmm, zmm = (saved & kZmm) == kZmm, tiles = (saved & kTiles) == kTiles;
    features.avx2 = ymm && bit(extended.ebx, 5) && bit(basic.ecx, 12) && bit(basic.ecx, 29);
    features.avx512 = features.avx2 && zmm && bit(extended.ebx, 16) && bit(extended.ebx, 30) && bit(extended.ebx, 31) &&
                      bit(extended.ebx, 17);
    features.avx_vnni = features.avx2 && bit(more.eax, 4);
    features.avx512_vnni = features.avx512 && bit(extended.ecx, 11);
    features.avx512_bf16 = features.avx512 && bit(more.eax, 5);
    features.avx512_fp16 = features.avx512 && bit(extended.edx, 23);
    features.amx_tile = tiles && bit(extended.edx, 24);
    features.amx_int8 = features.amx_tile && bit(extended.edx, 25);
    features.amx_bf16 = features.amx_tile && bit(extended.edx, 22);
    features.amx_permitted = features.amx_tile && has_tile_permission();
}

void read_cpu(CpuFeatures& features) {
    features.vendor = vendor();
    features.model = model();
    read_instruction_sets(features);
}

#else

void read_cpu(CpuFeatures&) {}

#endif

std::string instruction_sets(const CpuFeatures& f) {
    std::string text;
    const auto add = [&text](bool has, const char* name) {
        if (has) text += fmt::format(" {}", name);
    };
    add(f.avx2, "avx2");
    add(f.avx512, "avx512");
    add(f.avx_vnni, "avx_vnni");
    add(f.avx512_vnni, "avx512_vnni");
    add(f.avx512_bf16, "avx512_bf16");
    add(f.avx512_fp16, "avx512_fp16");
    add(f.amx_tile, "amx_tile");
    add(f.amx_int8, "amx_int8");
    add(f.amx_bf16, "amx_bf16");
    add(f.amx_permitted, "amx_permitted");
    return text.empty() ? " none" : text;
}

}  // namespace

CpuFeatures detect_cpu_features(const std::string& root) {
    CpuFeatures features;
    features.physical_cores = physical_core_count(root);
    read_caches(fs::path(root) / "sys/devices/system/cpu/cpu0/cache", features);
    read_cpu(features);
    return features;
}

std::string describe(const CpuFeatures& f) {
    std::string text = f.model.empty() ? "unknown CPU" : f.model;
    if (!f.vendor.empty()) text += fmt::format(" ({})", f.vendor);
    text += fmt::format(", {} core{}", f.physical_cores, f.physical_cores == 1 ? "" : "s");
    const auto add = [&text](const char* name, int64_t bytes) {
        if (bytes > 0) text += fmt::format(", {} {} KiB", name, bytes >> 10);
    };
    add("L1d", f.l1d_bytes);
    add("L2", f.l2_bytes);
    add("L3", f.l3_bytes);
    return text + ":" + instruction_sets(f);
}

}  // namespace godwit
