// The speed of the machine's memory: what decoding is measured against, since every step reads all weights.
#pragma once

#include "base/result.hpp"
#include "base/thread_pool.hpp"

namespace godwit {

/// Bytes a second that the pool's threads together read from main memory: the best of a few sums over 1 GiB, which is
/// much more than the caches hold. Takes about a second. Error: out of memory.
Result<double> measure_read_bandwidth(ThreadPool& pool);

}  // namespace godwit
