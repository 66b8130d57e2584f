// The API: routes requests to what answers them, checks keys, knows whether the server is well.
#pragma once

#include <atomic>

#include "server/api/models.hpp"
#include "server/api/text_request.hpp"

namespace godwit::api {

struct EndpointsOptions {
    std::vector<std::string> api_keys;  // none: everybody may ask
    double stuck_seconds = 120;         // a step that takes longer makes /health say so
    LogOptions log;
    std::FILE* log_to = stderr;
};

/// Handles requests on any number of worker threads. Until ready() models are loading: what needs one answers 503.
class Endpoints final : public http::Handler {
public:
    explicit Endpoints(const EndpointsOptions& options) : options_(options), log_(options.log, options.log_to) {}

    /// Before ready().
    void add(std::unique_ptr<ServedModel> model) { models_.add(std::move(model)); }
    const Models& models() const { return models_; }
    void ready() { ready_.store(true, std::memory_order_release); }
    /// Where the count of connections comes from; before its run().
    void watch(const http::Server& server) { server_ = &server; }
    /// Ends the engines. Nothing may be handled any more.
    void close() { models_ = Models(); }

    void handle(std::shared_ptr<http::Exchange> exchange) override;
    http::Response error(int status, std::string_view message, const http::Request& request) override;

private:
    using CallPtr = std::shared_ptr<Call>;
    struct Endpoint;
    static const Endpoint kEndpoints[];

    ApiResult<void> route(const CallPtr& call);
    ApiResult<void> check_key(const http::Request& request) const;
    ApiResult<void> dispatch(const Endpoint& endpoint, const CallPtr& call);

    using TextReader = ApiResult<TextRequest> (*)(Fields& fields, const RequestContext& context);
    ApiResult<void> generate(const CallPtr& call, TextReader read, int64_t tokens_max);
    ApiResult<void> chat(const CallPtr& call);
    ApiResult<void> complete(const CallPtr& call);
    ApiResult<void> tokens(const CallPtr& call);
    ApiResult<void> text(const CallPtr& call);
    ApiResult<void> special_tokens(const CallPtr& call);
    ApiResult<void> list(const CallPtr& call);
    ApiResult<void> show(const CallPtr& call);
    ApiResult<void> health(const CallPtr& call);
    ApiResult<void> metrics(const CallPtr& call);
    ApiResult<void> props(const CallPtr& call);
    ApiResult<void> version(const CallPtr& call);
    ApiResult<void> home(const CallPtr& call);

    const EndpointsOptions options_;
    RequestLog log_;
    Models models_;
    std::atomic<bool> ready_ = false;
    const http::Server* server_ = nullptr;
};

}  // namespace godwit::api
