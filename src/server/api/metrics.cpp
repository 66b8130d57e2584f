#include "server/api/metrics.hpp"

#include <fmt/format.h>

#include <functional>

namespace godwit::api {
namespace {

// vLLM's buckets.
constexpr double kFirstTokenBounds[] = {0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75,
                                        1,     2.5,   5,    7.5,  10,   20,   40,   80,  160,  640, 2560};
constexpr double kTokenBounds[] = {0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5,
                                   0.75, 1,     2.5,  5,     7.5, 10,   20,  40,  80};
constexpr double kLatencyBounds[] = {0.3, 0.5, 0.8, 1,  1.5, 2,   2.5, 5,   10,   15,  20,
                                     30,  40,  50,  60, 120, 240, 480, 960, 1920, 7680};
constexpr double kCountBounds[] = {1,    2,    5,    10,    20,    50,    100,    200,    500,
                                   1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000};

constexpr const char* kFinishNames[] = {"stop", "length", "cancelled", "error"};

/// A label's value in quotes: backslash, quote and newline escaped.
std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (char c : text)
        if (c == '\n') out += "\\n";
        else if (c == '"' || c == '\\') out += {'\\', c};
        else out += c;
    return out + "\"";
}

}  // namespace

Metrics::Metrics()
    : time_to_first_token_(kFirstTokenBounds),
      inter_token_latency_(kTokenBounds),
      request_latency_(kLatencyBounds),
      queue_time_(kLatencyBounds),
      prompt_tokens_(kCountBounds),
      generation_tokens_(kCountBounds) {}

void Metrics::first_token(double seconds) {
    std::lock_guard lock(mutex_);
    time_to_first_token_.observe(seconds);
}

void Metrics::next_token(double seconds) {
    std::lock_guard lock(mutex_);
    inter_token_latency_.observe(seconds);
}

void Metrics::finished(const RequestRecord& record) {
    std::lock_guard lock(mutex_);
    request_latency_.observe(record.seconds);
    queue_time_.observe(record.queue_seconds);
    prompt_tokens_.observe(static_cast<double>(record.prompt_tokens));
    generation_tokens_.observe(static_cast<double>(record.output_tokens));
    for (size_t i = 0; i < finished_.size(); ++i) finished_[i] += record.finish == kFinishNames[i];
}

/// All samples of a name stand together, whatever the model: the format asks for it.
class MetricsWriter {
public:
    explicit MetricsWriter(std::span<const ModelMetrics> models) {
        for (const ModelMetrics& each : models) models_.push_back({"model_name=" + quoted(each.model), &each});
    }

    void value(const char* name, const char* type, const char* help,
               const std::function<double(const EngineStats&)>& of) {
        head(name, type, help);
        for (const auto& [label, model] : models_) append("{}{{{}}} {}\n", name, label, of(model->engine));
    }
    void histogram(const char* name, const char* help, Histogram Metrics::* member) {
        head(name, "histogram", help);
        for (const auto& [label, model] : models_) {
            std::lock_guard lock(model->metrics->mutex_);
            (model->metrics->*member).write(out_, name, label);
        }
    }
    void finished() {
        head("vllm:request_success_total", "counter", "Requests that ended, by how they ended.");
        for (const auto& [label, model] : models_) {
            std::lock_guard lock(model->metrics->mutex_);
            for (size_t i = 0; i < model->metrics->finished_.size(); ++i)
                append("vllm:request_success_total{{{},finished_reason=\"{}\"}} {}\n", label, kFinishNames[i],
                       model->metrics->finished_[i]);
        }
    }
    void connections(int count) {
        head("godwit:connections", "gauge", "Open connections.");
        append("godwit:connections {}\n", count);
    }
    std::string all() {
        histogram("vllm:time_to_first_token_seconds", "From a request's arrival to its first token.",
                  &Metrics::time_to_first_token_);
        histogram("vllm:inter_token_latency_seconds", "Between tokens of an answer.", &Metrics::inter_token_latency_);
        histogram("vllm:e2e_request_latency_seconds", "From a request's arrival to its end.",
                  &Metrics::request_latency_);
        histogram("vllm:request_queue_time_seconds", "From submission to the first step.", &Metrics::queue_time_);
        histogram("vllm:request_prompt_tokens", "Tokens of a request's prompt.", &Metrics::prompt_tokens_);
        histogram("vllm:request_generation_tokens", "Tokens of a request's answer.", &Metrics::generation_tokens_);
        return std::move(out_);
    }

private:
    void head(const char* name, const char* type, const char* help) {
        append("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
    }
    template <class... Args>
    void append(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    }

    std::vector<std::pair<std::string, const ModelMetrics*>> models_;
    std::string out_;
};

std::string metrics_page(std::span<const ModelMetrics> models, int connections) {
    using Stats = const EngineStats&;
    auto number = [](auto value) { return static_cast<double>(value); };
    MetricsWriter page(models);
    page.value("vllm:num_requests_running", "gauge", "Sequences that run.", [&](Stats s) { return number(s.running); });
    page.value("vllm:num_requests_waiting", "gauge", "Sequences that wait.",
               [&](Stats s) { return number(s.waiting); });
    page.value("vllm:kv_cache_usage_perc", "gauge", "Share of the cache in use, 0 to 1.",
               [](Stats s) { return s.cache_share; });
    page.value("vllm:num_preemptions_total", "counter", "Sequences that lost their blocks.",
               [&](Stats s) { return number(s.preemptions); });
    page.value("vllm:prompt_tokens_total", "counter", "Tokens of prompts.",
               [&](Stats s) { return number(s.prompt_tokens); });
    page.value("vllm:generation_tokens_total", "counter", "Tokens generated.",
               [&](Stats s) { return number(s.generated_tokens); });
    page.value("godwit:steps_total", "counter", "Steps of the engine.", [&](Stats s) { return number(s.steps); });
    page.value("godwit:compute_seconds_total", "counter", "Time in forward passes.",
               [](Stats s) { return s.compute_seconds; });
    page.value("godwit:sampling_seconds_total", "counter", "Time in sampling.",
               [](Stats s) { return s.sampling_seconds; });
    page.value("godwit:bookkeeping_seconds_total", "counter", "Time in planning, packing and committing.",
               [](Stats s) { return s.bookkeeping_seconds; });
    page.finished();
    page.connections(connections);
    return page.all();
}

}  // namespace godwit::api
