#include "server/api/request_log.hpp"

#include <ctime>

#include "base/printable.hpp"
#include "text/json.hpp"

namespace godwit::api {
namespace {

using std::chrono::system_clock;

enum class Zone { Utc, Local };

std::string time_text(system_clock::time_point now, const char* format, Zone zone) {
    std::time_t time = system_clock::to_time_t(now);
    std::tm parts{};
    zone == Zone::Utc ? ::gmtime_r(&time, &parts) : ::localtime_r(&time, &parts);
    char text[40];
    return {text, std::strftime(text, sizeof(text), format, &parts)};
}

/// Of the answer, its first token not counted: that one came with the prompt.
double tokens_per_second(const RequestRecord& record) {
    double seconds = record.seconds - record.first_token_seconds;
    return record.output_tokens > 1 && seconds > 0 ? static_cast<double>(record.output_tokens - 1) / seconds : 0;
}

bool wanted(const RequestRecord& record, const LogOptions& options) {
    if (options.quiet) return record.status >= 500;
    return options.verbose || !record.probe || record.status != 200;
}

/// A count of tokens in at most five columns: "32768", "131k", "1.0M".
std::string short_count(int64_t count) {
    if (count < 100'000) return fmt::format("{}", count);
    return count < 1'000'000 ? fmt::format("{}k", count / 1000)
                             : fmt::format("{:.1f}M", static_cast<double>(count) / 1e6);
}

/// "35 ms", "1.2 s", "143 s".
std::string short_seconds(double seconds) {
    if (seconds < 0.9995) return fmt::format("{:.0f} ms", 1e3 * seconds);
    return seconds < 99.95 ? fmt::format("{:.1f} s", seconds) : fmt::format("{:.0f} s", seconds);
}

/// "32 in (90 % cached)  29 out (134/s)  first 35 ms  stop"
std::string answer_text(const RequestRecord& record) {
    std::string text;
    if (record.prompt_tokens > 0) text += fmt::format("  {} in", short_count(record.prompt_tokens));
    if (record.cached_tokens > 0)
        text += fmt::format(" ({} % cached)", 100 * record.cached_tokens / record.prompt_tokens);
    if (!record.finish.empty()) text += fmt::format("  {} out", short_count(record.output_tokens));
    if (double rate = tokens_per_second(record); rate > 0)
        text += rate < 99.95 ? fmt::format(" ({:.1f}/s)", rate) : fmt::format(" ({:.0f}/s)", rate);
    if (record.first_token_seconds > 0) text += fmt::format("  first {}", short_seconds(record.first_token_seconds));
    return record.finish.empty() ? text : text + "  " + record.finish;
}

/// At most `columns` of a name; its end is left out.
std::string cut(const std::string& name, size_t columns) {
    if (name.size() <= columns) return name;
    size_t size = columns - 1;
    while (size > 0 && (name[size] & 0xC0) == 0x80) --size;  // whole characters
    return name.substr(0, size) + "…";
}

}  // namespace

std::string text_row(const RequestRecord& record, const LogOptions& options, system_clock::time_point now) {
    constexpr size_t kColumns = 100, kNameMin = 8;
    std::string row = fmt::format("{} {}", time_text(now, "%H:%M:%S", Zone::Local), record.status);
    // Answers are POSTs; their rows have more to say.
    if (!record.method.empty() && (record.method != "POST" || record.finish.empty()))
        row += fmt::format(" {}", printable(record.method, 20));
    if (!record.path.empty()) row += fmt::format(" {}", printable(record.path, 120));
    row += answer_text(record);
    if (!record.model.empty() && options.models > 1) {
        size_t taken = row.size() + 2;
        row += fmt::format("  {}", cut(record.model, taken + kNameMin < kColumns ? kColumns - taken : kNameMin));
    }
    if (!record.error.empty()) row += "  " + printable(record.error, 300);
    if (options.verbose)
        row += fmt::format("  [{} from {}, {:.1f} ms in all, {:.1f} ms queued]", record.id, record.peer,
                           1e3 * record.seconds, 1e3 * record.queue_seconds);
    if (!record.prompt.empty()) row += "  prompt: " + printable(record.prompt, 4000);
    return row;
}

std::string json_row(const RequestRecord& record, const LogOptions&, system_clock::time_point now) {
    Json row = {{"time", time_text(now, "%Y-%m-%dT%H:%M:%SZ", Zone::Utc)},
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
