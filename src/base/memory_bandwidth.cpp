#include "base/memory_bandwidth.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <new>

#include "base/check.hpp"
#include "base/clones.hpp"

namespace godwit {
namespace {

constexpr int kRounds = 8;
constexpr int64_t kBytes = 1 << 30;
constexpr int64_t kCount = kBytes / sizeof(uint64_t);
constexpr int64_t kChunk = (4 << 20) / sizeof(uint64_t);

/// In 32 sums, so that no addition waits for the one before it.
GODWIT_CLONES uint64_t sum_chunk(const uint64_t* values) {
    constexpr int64_t kLanes = 32;
    uint64_t lanes[kLanes] = {};
    for (int64_t i = 0; i < kChunk; i += kLanes)
        for (int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += values[i + lane];
    uint64_t total = 0;
    for (uint64_t lane : lanes) total += lane;
    return total;
}

}  // namespace

Result<double> measure_read_bandwidth(ThreadPool& pool) {
    std::unique_ptr<uint64_t[]> buffer(new (std::nothrow) uint64_t[kCount]);
    if (!buffer) return error("memory bandwidth: no {} bytes to measure with", kBytes);
    // Written first: all untouched pages are one and the same, which is in the cache.
    pool.parallel_for(kCount, kChunk, [&](int64_t begin, int64_t end) { std::fill(&buffer[begin], &buffer[end], 1); });
    double best = 0;
    for (int round = 0; round < kRounds; ++round) {
        std::atomic<uint64_t> total = 0;
        auto start = std::chrono::steady_clock::now();
        pool.parallel_for(kCount, kChunk, [&](int64_t begin, int64_t) { total += sum_chunk(&buffer[begin]); });
        std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        CHECK(total == static_cast<uint64_t>(kCount));  // it was all read
        best = std::max(best, static_cast<double>(kBytes) / seconds.count());
    }
    return best;
}

}  // namespace godwit
