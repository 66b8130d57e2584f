#include "server/api/encoder.hpp"

#include <chrono>
#include <random>

namespace godwit::api {

void Usage::count(const Event& event) {
    if (event.kind == Event::Kind::Token) ++output_tokens;
    if (event.kind == Event::Kind::Finish && event.choice == 0) prompt_tokens += event.prompt_tokens;
}

std::string sse(const Json& data) { return "data: " + json_text(data) + "\n\n"; }

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

}  // namespace godwit::api
