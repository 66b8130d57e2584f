#include "server/api/api_error.hpp"

namespace godwit::api {

ApiError&& ApiError::about(std::string field) && {
    param = std::move(field);
    return std::move(*this);
}

ApiError&& ApiError::coded(std::string name) && {
    code = std::move(name);
    return std::move(*this);
}

http::Response ApiError::response(const Json& body) const {
    http::Response response{.status = status, .body = json_text(body), .headers = headers};
    if (status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
    if (status == 429 || status == 503) response.headers.emplace_back("Retry-After", "1");
    return response;
}

}  // namespace godwit::api
