#include "server/api/api_error.hpp"

namespace godwit::api {
namespace {

std::string type_of(int status) {
    if (status == 401) return "authentication_error";
    if (status == 429) return "rate_limit_error";
    return status >= 500 ? "server_error" : "invalid_request_error";
}

Json text_or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }

}  // namespace

ApiError::ApiError(int status_, std::string message_)
    : status(status_), message(std::move(message_)), type(type_of(status_)) {}

ApiError&& ApiError::about(std::string field) && {
    param = std::move(field);
    return std::move(*this);
}

ApiError&& ApiError::coded(std::string name) && {
    code = std::move(name);
    return std::move(*this);
}

Json ApiError::json() const {
    return {{"error",
             {{"message", message}, {"type", type}, {"param", text_or_null(param)}, {"code", text_or_null(code)}}}};
}

http::Response ApiError::response() const {
    http::Response response{.status = status, .body = json_text(json()), .headers = headers};
    if (status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
    if (status == 429 || status == 503) response.headers.emplace_back("Retry-After", "1");
    return response;
}

}  // namespace godwit::api
