// Why an API cannot serve a request. How the error is spelled is each API's own (openai.hpp).
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "server/http/http.hpp"
#include "text/json.hpp"

namespace godwit::api {

/// A permanent fault is 4xx: clients repeat a 5xx.
struct ApiError {
    int status = 400;
    std::string message;
    std::optional<std::string> param;  // the field at fault
    std::optional<std::string> code;   // a name that clients look for
    http::Headers headers;

    ApiError(int status_, std::string message_) : status(status_), message(std::move(message_)) {}
    ApiError(Error error) : message(std::move(error.message)) {}  // NOLINT: implicit by design: a request's fault

    ApiError&& about(std::string field) &&;
    ApiError&& coded(std::string name) &&;

    /// With `body` as an API spells it.
    http::Response response(const Json& body) const;
};

template <class T>
using ApiResult = Result<T, ApiError>;

}  // namespace godwit::api
