// One streamed request to an OpenAI server, and when its tokens came.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "cli/load_summary.hpp"
#include "hub/curl.hpp"

namespace godwit {

/// A server that is measured.
struct LoadTarget {
    std::string base;  // "http://host:port/v1"
    std::string model, api_key;
    bool chat = false;        // /chat/completions instead of /completions
    bool ignore_eos = false;  // an extension that most servers have
};

/// "http://host:port", with or without "/v1" behind it, as the `base` of a target. Errors: neither http nor https.
Result<std::string> load_target_base(std::string url);

/// The name of the first model in the server's list. Errors: no answer, no list.
Result<std::string> first_model(const LoadTarget& target);

/// A request on its way. Stays where it is: libcurl has its address.
class LoadRequest {
public:
    LoadRequest(const LoadTarget& target, const std::string& prompt, int64_t output_tokens);
    LoadRequest(const LoadRequest&) = delete;
    LoadRequest& operator=(const LoadRequest&) = delete;

    CURL* handle() const { return easy_.get(); }
    /// To be called as the request is given to libcurl.
    void begin();
    /// What was seen of it, after the transfer that ended with `code`.
    RequestRecord finish(CURLcode code);

private:
    static size_t on_body(char* data, size_t size, size_t count, void* self);
    void read_line(std::string_view line, double now);
    void read_event(std::string_view data, double now);

    CurlEasy easy_;
    CurlList headers_;
    std::string body_, line_, failure_;
    char reason_[CURL_ERROR_SIZE] = "";
    RequestRecord record_;
    double last_ = 0;        // when the latest event with a choice came
    bool finished_ = false;  // a finish reason or [DONE] has come
};

/// Seconds on the clock that records use.
double load_clock();

}  // namespace godwit
