// The server's log: one row a request. No prompt text in it unless asked.
#pragma once

#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>

namespace godwit::api {

/// What is known of a request when it ends.
struct RequestRecord {
    std::string id, peer, method, path;
    std::string model;  // empty: the request did not get that far
    int status = 200;
    int64_t prompt_tokens = 0, cached_tokens = 0, output_tokens = 0;
    double seconds = 0;              // from the first byte handled to the last one given out
    double first_token_seconds = 0;  // 0: there was none
    double queue_seconds = 0;
    std::string finish;  // "stop", "length", "cancelled", "error"; empty where nothing is generated
    std::string error;   // text of the error, if there was one
    std::string prompt;  // only where the log was asked for it
    bool probe = false;  // what monitors ask again and again: answered with 200 it has a row only with `verbose`
};

enum class LogFormat { Text, Json };

struct LogOptions {
    LogFormat format = LogFormat::Text;
    bool quiet = false;    // only errors of the server itself (5xx)
    bool verbose = false;  // also who asked, the request's id and the wait in the queue, and rows of probes
    bool prompts = false;  // with the text of prompts
    size_t models = 1;     // that are served: rows for people name theirs where there are several
};

/// Thread-safe. Rows are written whole.
class RequestLog {
public:
    RequestLog(const LogOptions& options, std::FILE* out);

    const LogOptions& options() const { return options_; }
    void write(const RequestRecord& record);

private:
    const LogOptions options_;
    std::FILE* const out_;
    std::mutex mutex_;
};

/// A row for people, with the local time at its front, without the newline; and the same as a JSON object, with the
/// time in UTC. That of an answer fits 100 columns; errors, `verbose` and prompts make it longer.
std::string text_row(const RequestRecord& record, const LogOptions& options, std::chrono::system_clock::time_point now);
std::string json_row(const RequestRecord& record, const LogOptions& options, std::chrono::system_clock::time_point now);

}  // namespace godwit::api
