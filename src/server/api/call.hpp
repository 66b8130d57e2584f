// One request on its way through the API: its exchange, its record for log and metrics. Answers are given through it,
// so that every request is logged once, however it ends.
#pragma once

#include <chrono>
#include <memory>

#include "server/api/api_error.hpp"
#include "server/api/request_log.hpp"
#include "server/http/http.hpp"

namespace godwit::api {

/// What a request says of itself.
inline RequestRecord record_of(const http::Request& request) {
    return {.id = request.id, .peer = request.peer, .method = request.method, .path = request.path};
}

class Call {
public:
    Call(std::shared_ptr<http::Exchange> exchange, RequestLog& log);

    http::Exchange& exchange() { return *exchange_; }
    const http::Request& request() const { return exchange_->request(); }
    RequestRecord& record() { return record_; }
    RequestLog& log() { return log_; }
    /// Since the request was handled.
    double seconds() const;

    void respond(const Json& body);
    void respond(http::Response response);
    /// With the error as the request's API spells it.
    void fail(const ApiError& error, const Json& body);
    /// For an answer that is complete by other means (a stream, or nobody to take it): writes the record.
    void close();

private:
    std::shared_ptr<http::Exchange> exchange_;
    RequestLog& log_;
    RequestRecord record_;
    std::chrono::steady_clock::time_point start_;
};

}  // namespace godwit::api
