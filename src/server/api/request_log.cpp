#include "server/api/request_log.hpp"

#include <ctime>

#include "base/printable.hpp"
#include "text/json.hpp"

namespace godwit::api {
namespace {

using std::chrono::system_clock;

std::string time_text(system_clock::time_point now, const char* format) {
    std::time_t time = system_clock::to_time_t(now);
    std::tm parts{};
    ::gmtime_r(&time, &parts);
    char text[40];
    return {text, std::strftime(text, sizeof(text), format, &parts)};
}

/// Of the answer, its first token not counted: that one came with the prompt.
double tokens_per_second(const RequestRecord& record) {
    double seconds = record.seconds - record.first_token_seconds;
    return record.output_tokens > 1 && seconds > 0 ? static_cast<double>(record.output_tokens - 1) / seconds : 0;
}

bool is_probe(const RequestRecord& record) {
    return record.status == 200 && (record.path == "/health" || record.path == "/metrics" || record.path == "/");
}

bool wanted(const RequestRecord& record, const LogOptions& options) {
    if (options.quiet) return record.status >= 500;
    return options.verbose || !is_probe(record);
}

}  // namespace

std::string text_row(const RequestRecord& record, const LogOptions& options, system_clock::time_point now) {
    std::string row = fmt::format("{} {} {} {}", time_text(now, "%H:%M:%S"), record.status,
                                  printable(record.method, 20), printable(record.path, 120));
    if (!record.model.empty()) row += "  " + record.model;
    if (record.prompt_tokens > 0)
        row += fmt::format("  prompt {} ({} % cached)", record.prompt_tokens,
                           100 * record.cached_tokens / record.prompt_tokens);
    if (record.first_token_seconds > 0) row += fmt::format("  first token {:.0f} ms", 1e3 * record.first_token_seconds);
    if (!record.finish.empty()) row += fmt::format("  output {}", record.output_tokens);
    if (double rate = tokens_per_second(record); rate > 0) row += fmt::format(" ({:.1f} tokens/s)", rate);
    if (!record.finish.empty()) row += "  " + record.finish;
    if (!record.error.empty()) row += "  " + printable(record.error, 300);
    if (options.verbose)
        row += fmt::format("  [{} from {}, {:.1f} ms in all, {:.1f} ms queued]", record.id, record.peer,
                           1e3 * record.seconds, 1e3 * record.queue_seconds);
    if (!record.prompt.empty()) row += "  prompt: " + printable(record.prompt, 4000);
    return row;
}

std::string json_row(const RequestRecord& record, const LogOptions&, system_clock::time_point now) {
    Json row = {{"time", time_text(now, "%Y-%m-%dT%H:%M:%SZ")},
                {"id", record.id},
                {"peer", record.peer},
                {"method", record.method},
                {"path", record.path},
                {"status", record.status},
                {"seconds", record.seconds}};
    if (!record.model.empty()) row["model"] = record.model;
    if (record.prompt_tokens > 0) {
        row["prompt_tokens"] = record.prompt_tokens;
        row["cached_tokens"] = record.cached_tokens;
    }
    if (!record.finish.empty()) {
        row["queue_seconds"] = record.queue_seconds;
        row["first_token_seconds"] = record.first_token_seconds;
        row["output_tokens"] = record.output_tokens;
        row["tokens_per_second"] = tokens_per_second(record);
        row["finish"] = record.finish;
    }
    if (!record.error.empty()) row["error"] = record.error;
    if (!record.prompt.empty()) row["prompt"] = record.prompt;
    return json_text(row);
}

RequestLog::RequestLog(const LogOptions& options, std::FILE* out) : options_(options), out_(out) {}

void RequestLog::write(const RequestRecord& record) {
    if (!wanted(record, options_)) return;
    auto row = options_.format == LogFormat::Json ? json_row : text_row;
    std::string text = row(record, options_, system_clock::now()) + "\n";
    std::lock_guard lock(mutex_);
    std::fwrite(text.data(), 1, text.size(), out_);
    std::fflush(out_);
}

}  // namespace godwit::api
