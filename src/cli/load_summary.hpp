// The figures of a load test on a server, from what was seen of each request; defined as in vLLM's serving benchmark.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace godwit {

/// What was seen of one request. Times in seconds, all on one clock.
struct RequestRecord {
    double start = 0;
    std::vector<double> tokens;  // when each event with text came; a server may put several tokens into one
    int64_t prompt_tokens = 0, output_tokens = 0;  // as the server counts
    std::string failure;                           // empty: it succeeded, and `tokens` is not empty
};

/// Limits that a request must keep to count as good, in milliseconds.
struct Goodput {
    std::optional<double> ttft, tpot, e2el;

    /// "ttft:200,tpot:50,e2el:3000", any of them. Errors: another name, no positive number.
    static Result<Goodput> parse(const std::string& text);
};

/// Percentiles interpolate linearly between the two nearest values.
struct Distribution {
    double mean = 0, median = 0, p90 = 0, p99 = 0;
};
/// Nothing of nothing.
std::optional<Distribution> distribution(std::vector<double> values);

struct LoadSummary {
    int64_t requests = 0, completed = 0;
    double seconds = 0;                           // from the first start to the last end
    int64_t input_tokens = 0, output_tokens = 0;  // of completed requests, as all that follows
    // Milliseconds. TTFT: start to first token. ITL: between neighbours of `tokens`, of all requests together. E2EL:
    // start to last token. TPOT: (E2EL - TTFT) / (output tokens - 1), of requests with more than one.
    std::optional<Distribution> ttft, itl, tpot, e2el;
    std::optional<int64_t> good;                            // requests within the limits
    std::vector<std::pair<std::string, int64_t>> failures;  // different texts in the order they came, and how often

    double per_second(int64_t count) const { return seconds > 0 ? static_cast<double>(count) / seconds : 0; }
};
LoadSummary summarise(std::span<const RequestRecord> records, double seconds, const std::optional<Goodput>& goodput);

}  // namespace godwit
