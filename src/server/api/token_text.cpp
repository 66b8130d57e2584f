#include "server/api/token_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.hpp"

namespace godwit::api {

float finite_logprob(float logprob) { return std::max(logprob, -9999.0f); }

Json token_logprob(std::string_view bytes, float logprob) {
    Json numbers = Json::array();
    for (char byte : bytes) numbers.push_back(static_cast<unsigned char>(byte));
    return {{"token", std::string(bytes)}, {"logprob", finite_logprob(logprob)}, {"bytes", std::move(numbers)}};
}

std::string token_name(const Tokenizer& tokenizer, TokenId token) {
    std::string_view bytes = tokenizer.bytes(token, true);
    if (replace_ill_formed(bytes) == bytes) return std::string(bytes);
    std::string name = "bytes:";
    for (char byte : bytes) name += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    return name;
}

}  // namespace godwit::api
