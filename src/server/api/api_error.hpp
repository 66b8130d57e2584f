// What an API answers to a request that it cannot serve, in OpenAI's form.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "server/http/http.hpp"
#include "text/json.hpp"

namespace godwit::api {

/// `{"error": {"message", "type", "param", "code"}}` and its status. A permanent fault is 4xx: clients repeat a 5xx.
struct ApiError {
    int status = 400;
    std::string message;
    std::string type = "invalid_request_error";
    std::optional<std::string> param;  // the field at fault
    std::optional<std::string> code;
    http::Headers headers;

    ApiError(int status, std::string message);
    ApiError(Error error) : message(std::move(error.message)) {}  // NOLINT: implicit by design: a request's fault

    ApiError&& about(std::string field) &&;
    ApiError&& coded(std::string name) &&;

    Json json() const;
    http::Response response() const;
};

template <class T>
using ApiResult = Result<T, ApiError>;

}  // namespace godwit::api
