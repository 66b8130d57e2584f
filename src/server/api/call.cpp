#include "server/api/call.hpp"

namespace godwit::api {

using Clock = std::chrono::steady_clock;

Call::Call(std::shared_ptr<http::Exchange> exchange, RequestLog& log)
    : exchange_(std::move(exchange)), log_(log), start_(Clock::now()) {
    record_ = record_of(exchange_->request());
}

double Call::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

void Call::respond(const Json& body) { respond(http::Response{.body = json_text(body)}); }

void Call::respond(http::Response response) {
    record_.status = response.status;
    exchange_->respond(std::move(response));
    close();
}

void Call::fail(const ApiError& error, const Json& body) {
    record_.error = error.message;
    respond(error.response(body));
}

void Call::close() {
    record_.seconds = seconds();
    log_.write(record_);
}

}  // namespace godwit::api
