// What /metrics tells. Names are vLLM's where the meaning is the same, so that its dashboards work; others begin with
// "godwit:".
#pragma once

#include <array>
#include <mutex>
#include <span>
#include <string>

#include "godwit/engine.hpp"
#include "server/api/histogram.hpp"
#include "server/api/request_log.hpp"

namespace godwit::api {

/// What is counted of one model. Thread-safe.
class Metrics {
public:
    Metrics();

    void first_token(double seconds);
    /// Since the one before it, of the same choice.
    void next_token(double seconds);
    void finished(const RequestRecord& record);

private:
    friend class MetricsWriter;

    mutable std::mutex mutex_;
    Histogram time_to_first_token_, inter_token_latency_, request_latency_, queue_time_, prompt_tokens_,
        generation_tokens_;
    std::array<int64_t, 4> finished_{};  // stop, length, cancelled, error
};

struct ModelMetrics {
    std::string model;
    const Metrics* metrics;
    EngineStats engine;
};

/// The whole page in Prometheus's text form (version 0.0.4).
std::string metrics_page(std::span<const ModelMetrics> models, int connections);

}  // namespace godwit::api
