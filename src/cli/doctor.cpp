// godwit doctor: what this machine has, which kernel serves which type of weights, and how fast memory and kernels are.
#include <chrono>

#include "backend/cpu/choose_kernels.hpp"
#include "backend/cpu/cpu_device.hpp"
#include "backend/cpu/packed.hpp"
#include "backend/reference/dequantise.hpp"
#include "base/cpu_features.hpp"
#include "base/memory_bandwidth.hpp"
#include "base/thread_count.hpp"
#include "base/thread_pool.hpp"
#include "cli/cli.hpp"
#include "cli/common.hpp"
#include "cli/progress.hpp"
#include "text/json.hpp"

namespace godwit {
namespace {

using Clock = std::chrono::steady_clock;

struct DoctorOptions {
    int threads = 0;
    bool json = false;
};

/// Weights that stay in a core's own cache, and as many rows as fill every tile.
constexpr int64_t kOutputs = 64, kInputs = 1024, kManyRows = 48;
constexpr auto kLongEnough = std::chrono::milliseconds(20);

struct TypeReport {
    DType dtype;
    bool has_kernel;
    double one_row = 0, many_rows = 0;  // multiplications a second on one core
};

/// Products of one matrix that lies in the cache, on one thread.
double multiplications_per_second(cpu::CpuDevice& device, DType dtype, int64_t rows) {
    const Shape shape{kOutputs, kInputs};
    const std::vector<std::byte> zeros(tensor_bytes(dtype, shape));
    std::unique_ptr<Buffer> weights, activations;
    if (auto made = device.load_weight(dtype, shape, zeros, [](std::span<const std::byte>) {}); made.ok())
        weights = std::move(made).take();
    if (auto made = device.allocate(rows * (kInputs + kOutputs) * sizeof(float)); made.ok())
        activations = std::move(made).take();
    if (!weights || !activations) return 0;
    const View input{activations.get(), 0, DType::F32, {rows, kInputs}};
    const View out{activations.get(), input.bytes(), DType::F32, {rows, kOutputs}};
    const LinearTarget target{{{weights.get(), 0, dtype, shape}}, {}, out};
    double best = 0;
    for (int round = 0; round < 3; ++round) {
        int64_t calls = 0;
        const Clock::time_point start = Clock::now();
        while (Clock::now() - start < kLongEnough) {
            for (int i = 0; i < 20; ++i, ++calls) device.ops().linear({.input = input, .targets = {&target, 1}});
        }
        const std::chrono::duration<double> seconds = Clock::now() - start;
        best = std::max(best, static_cast<double>(calls * rows * shape.elements()) / seconds.count());
    }
    return best;
}

std::vector<TypeReport> examine_types(const cpu::Kernels& kernels) {
    std::vector<DTypeInfo> known;
    for (const DTypeInfo& info : kDTypes)
        if (can_dequantise(info.dtype)) known.push_back(info);
    ThreadPool one(1);
    cpu::CpuDevice device(kernels, one);
    Progress progress("doctor");
    std::vector<TypeReport> reports;
    for (const DTypeInfo& info : known) {
        TypeReport report{info.dtype, cpu::can_pack(info.dtype)};
        if (report.has_kernel) {
            report.one_row = multiplications_per_second(device, info.dtype, 1);
            report.many_rows = multiplications_per_second(device, info.dtype, kManyRows);
        }
        reports.push_back(report);
        progress.update(static_cast<int64_t>(reports.size()), static_cast<int64_t>(known.size()),
                        std::string(info.name));
    }
    progress.finish();
    return reports;
}

Result<int> doctor(const DoctorOptions& options) {
    const CpuFeatures features = detect_cpu_features();
    const cpu::Kernels* kernels = TRY(cpu::choose_kernels(cpu::isa_from_environment()));
    ThreadPool pool(options.threads > 0 ? options.threads : default_thread_count());
    const double bandwidth = TRY(measure_read_bandwidth(pool));
    const std::vector<TypeReport> types = examine_types(*kernels);
    std::vector<std::string> runnable;
    for (const cpu::Kernels* each : cpu::runnable_kernels()) runnable.emplace_back(each->name);
    if (options.json) {
        Json list = Json::array();
        for (const TypeReport& type : types)
            list.push_back({{"type", std::string(dtype_name(type.dtype))},
                            {"kernels", type.has_kernel ? kernels->name : "reference"},
                            {"one_row_multiplications_per_second", type.one_row},
                            {"many_rows_multiplications_per_second", type.many_rows}});
        print_json({{"cpu", describe(features)},
                    {"threads", pool.size()},
                    {"kernels", kernels->name},
                    {"runnable", runnable},
                    {"numerics", {{"version", kNumericsVersion}, {"class", "base"}}},
                    {"read_bytes_per_second", bandwidth},
                    {"types", list}});
        return 0;
    }
    fmt::print("{}\n", describe(features));
    fmt::print("kernels {} (this machine runs {}; GODWIT_ISA chooses); numerics version {}, class base\n",
               kernels->name, fmt::join(runnable, ", "), kNumericsVersion);
    fmt::print("{} threads read {:.1f} GB/s of memory\n\n", pool.size(), bandwidth / 1e9);
    fmt::print(
        "  weights   kernel      one row   {} rows   (thousand million multiplications a second, one core, weights in "
        "its cache)\n",
        kManyRows);
    for (const TypeReport& type : types) {
        if (type.has_kernel)
            fmt::print("  {:<8}  {:<9} {:>9.1f} {:>9.1f}\n", dtype_name(type.dtype), kernels->name, type.one_row / 1e9,
                       type.many_rows / 1e9);
        else fmt::print("  {:<8}  {:<9} {:>9} {:>9}\n", dtype_name(type.dtype), "reference", "-", "-");
    }
    return 0;
}

}  // namespace

Command doctor_command() {
    auto options = std::make_shared<DoctorOptions>();
    Command command{.name = "doctor", .purpose = "what this machine has, which kernels run here, and how fast"};
    command.add(threads_option(options->threads));
    command.add({.name = "--json",
                 .target = &options->json,
                 .help = R"({"cpu", "threads", "kernels", "read_bytes_per_second", "types":[…], …})"});
    command.notes = "Examples\n  godwit doctor\n  GODWIT_ISA=avx2 godwit doctor --json";
    command.action = [options] { return doctor(*options); };
    return command;
}

}  // namespace godwit
