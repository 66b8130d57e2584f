#include "server/api/encoder.hpp"

#include <chrono>
#include <random>

#include "base/version.hpp"

namespace godwit::api {

Json Usage::json() const {
    return {{"prompt_tokens", prompt_tokens},
            {"completion_tokens", output_tokens},
            {"total_tokens", prompt_tokens + output_tokens},
            {"prompt_tokens_details", {{"cached_tokens", cached_tokens}}},
            {"completion_tokens_details", {{"reasoning_tokens", 0}}}};
}

std::string sse(const Json& data) { return "data: " + json_text(data) + "\n\n"; }

void end_stream(http::Exchange& exchange, Json head, const Usage* usage) {
    if (usage != nullptr) {
        head["choices"] = Json::array();
        head["usage"] = usage->json();
        exchange.send(sse(head));
    }
    exchange.send("data: [DONE]\n\n");
    exchange.finish();
}

std::string random_id(const char* prefix) {
    static thread_local std::mt19937_64 random{std::random_device{}()};
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
    std::string id = prefix;
    for (int i = 0; i < 24; ++i) id += kLetters[random() % kLetters.size()];
    return id;
}

int64_t unix_seconds() {
    auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

std::string fingerprint() { return fmt::format("godwit-{}", version()); }

const char* finish_name(FinishReason reason) { return reason == FinishReason::Length ? "length" : "stop"; }

}  // namespace godwit::api
