#include "server/api/endpoints.hpp"

#include <cstdlib>
#include <random>

#include "base/printable.hpp"
#include "base/version.hpp"
#include "server/api/answer.hpp"
#include "server/api/openai.hpp"
#include "server/api/openai_chat.hpp"
#include "server/api/openai_completions.hpp"
#include "server/api/tokens_api.hpp"

namespace godwit::api {
namespace {

constexpr std::string_view kModelsPath = "/models/";
constexpr unsigned kWithoutModel = 1, kWithoutKey = 2, kProbe = 4;  // traits of an endpoint

/// In time that depends on the lengths alone.
bool equal_in_constant_time(std::string_view given, std::string_view key) {
    unsigned difference = given.size() != key.size();
    for (size_t i = 0; i < given.size(); ++i)
        difference |=
            static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(key.empty() ? 0 : key[i % key.size()]);
    return difference == 0;
}

/// `Authorization: Bearer KEY`, or Anthropic's x-api-key.
std::string_view key_of(const http::Request& request) {
    constexpr std::string_view kBearer = "bearer ";
    std::string_view header = request.header("authorization");
    bool bearer = header.size() > kBearer.size() && std::equal(kBearer.begin(), kBearer.end(), header.begin(),
                                                               [](char a, char b) { return a == (b | 0x20); });
    return bearer ? header.substr(kBearer.size()) : request.header("x-api-key");
}

ApiResult<Json> read_body(const http::Request& request) {
    if (request.body.empty()) return ApiError(400, "the body is empty (expected a JSON object)");
    Result<Json> json = parse_json(request.body);
    if (!json.ok()) return ApiError(400, "the body is not valid JSON: " + json.error().message);
    if (!json.value().is_object())
        return ApiError(400, fmt::format("the body: expected an object, got {}", json.value().type_name()));
    return std::move(json).take();
}

/// The number that a person would write: 0.8, not 0.800000011920929.
double shortest(float value) { return std::strtod(fmt::format("{}", value).c_str(), nullptr); }

/// Error 429: as many requests run or wait as the model may have.
ApiResult<void> check_queue(const ServedModel& model) {
    if (model.in_work < model.in_work_max) return {};
    return ApiError(429, fmt::format("{} requests for {} run or wait already", model.in_work.load(), model.id));
}

uint64_t random_seed() {
    static thread_local std::random_device device;
    return uint64_t{device()} << 32 | device();
}

Json sampling_json(const SamplingParams& sampling) {
    return {{"temperature", shortest(sampling.temperature)},
            {"top_k", sampling.top_k},
            {"top_p", shortest(sampling.top_p)},
            {"min_p", shortest(sampling.min_p)},
            {"repetition_penalty", shortest(sampling.repetition_penalty)},
            {"frequency_penalty", shortest(sampling.frequency_penalty)},
            {"presence_penalty", shortest(sampling.presence_penalty)}};
}

}  // namespace

struct Endpoints::Endpoint {
    std::string_view method, path;
    ApiResult<void> (Endpoints::*answer)(const CallPtr&);
    unsigned traits = 0;
};

// Every path also with /v1 before it. A path that ends in a slash stands for all below it, / for itself.
const Endpoints::Endpoint Endpoints::kEndpoints[] = {
    {"POST", "/chat/completions", &Endpoints::chat},
    {"POST", "/completions", &Endpoints::complete},
    {"GET", "/models", &Endpoints::list},
    {"GET", kModelsPath, &Endpoints::show},
    {"POST", "/tokenize", &Endpoints::tokens},
    {"POST", "/detokenize", &Endpoints::text},
    {"GET", "/tokenizer_info", &Endpoints::special_tokens},
    {"GET", "/props", &Endpoints::props},
    {"GET", "/metrics", &Endpoints::metrics, kProbe},
    {"GET", "/health", &Endpoints::health, kWithoutModel | kWithoutKey | kProbe},
    {"GET", "/version", &Endpoints::version, kWithoutModel},
    {"GET", "/", &Endpoints::home, kWithoutModel | kProbe},
};

http::Response Endpoints::error(int status, std::string_view message, const http::Request& request) {
    // What was refused before it was handled has its row too; answers that are cut off (5xx) have had theirs.
    if (status < 500) {
        RequestRecord record = record_of(request);
        record.status = status;
        record.error = message;
        log_.write(record);
    }
    ApiError error(status, std::string(message));
    return error.response(openai::error_json(error));
}

void Endpoints::handle(std::shared_ptr<http::Exchange> exchange) {
    auto call = std::make_shared<Call>(std::move(exchange), log_);
    ApiResult<void> routed = route(call);
    if (!routed.ok()) call->fail(routed.error(), openai::error_json(routed.error()));
}

ApiResult<void> Endpoints::route(const CallPtr& call) {
    const http::Request& request = call->request();
    std::string_view path = request.path;
    if (path.starts_with("/v1/")) path.remove_prefix(3);
    std::string_view method = request.method == "HEAD" ? "GET" : std::string_view(request.method);
    std::string allowed;
    for (const Endpoint& endpoint : kEndpoints) {
        bool same = endpoint.path == path ||
                    (endpoint.path.ends_with("/") && endpoint.path != "/" && path.starts_with(endpoint.path));
        if (same && endpoint.method == method) return dispatch(endpoint, call);
        if (same) allowed += (allowed.empty() ? "" : ", ") + std::string(endpoint.method);
    }
    TRY(check_key(request));
    if (allowed.empty())
        return ApiError(404, fmt::format("{}: there is nothing at this path", printable(request.path, 200)));
    ApiError wrong_method(405, fmt::format("{}: the method {} is not allowed here (only {})",
                                           printable(request.path, 200), printable(request.method, 20), allowed));
    wrong_method.headers.emplace_back("Allow", allowed);
    return wrong_method;
}

ApiResult<void> Endpoints::dispatch(const Endpoint& endpoint, const CallPtr& call) {
    call->record().probe = (endpoint.traits & kProbe) != 0;
    if ((endpoint.traits & kWithoutKey) == 0) TRY(check_key(call->request()));
    if ((endpoint.traits & kWithoutModel) == 0 && !ready_.load(std::memory_order_acquire))
        return ApiError(503, "the model is loading");
    return (this->*endpoint.answer)(call);
}

ApiResult<void> Endpoints::check_key(const http::Request& request) const {
    if (options_.api_keys.empty()) return {};
    std::string_view given = key_of(request);
    bool known = false;
    for (const std::string& key : options_.api_keys) known |= equal_in_constant_time(given, key);
    if (known && !given.empty()) return {};
    return ApiError(401, given.empty() ? "an API key is needed (header Authorization: Bearer KEY)"
                                       : "this API key is not known here")
        .coded("invalid_api_key");
}

ApiResult<void> Endpoints::generate(const CallPtr& call, TextReader read, int64_t tokens_max) {
    Json body = TRY(read_body(call->request()));
    Fields fields(body);
    ServedModel& model = *TRY(models_.of(fields));
    TRY(check_queue(model));
    RequestRecord& record = call->record();
    record.model = model.id;
    RequestContext context{*model.engine, model.id, {.tokens_max = tokens_max, .sampling = model.sampling}};
    context.defaults.sampling.seed = random_seed();
    TextRequest request = TRY(read(fields, context));
    for (const GenerateRequest& prompt : request.prompts) {
        record.prompt_tokens += std::ssize(prompt.tokens);
        if (log_.options().prompts) record.prompt += model.tokenizer().decode(prompt.tokens, true);
    }
    Answer::start(call, model, std::move(request));
    return {};
}

ApiResult<void> Endpoints::chat(const CallPtr& call) { return generate(call, read_chat, -1); }
ApiResult<void> Endpoints::complete(const CallPtr& call) {
    return generate(call, read_completions, kCompletionTokensMax);
}
ApiResult<void> Endpoints::tokens(const CallPtr& call) {
    return tokenize(*call, models_, TRY(read_body(call->request())));
}
ApiResult<void> Endpoints::text(const CallPtr& call) {
    return detokenize(*call, models_, TRY(read_body(call->request())));
}

ApiResult<void> Endpoints::special_tokens(const CallPtr& call) {
    tokenizer_info(*call, models_);
    return {};
}

ApiResult<void> Endpoints::list(const CallPtr& call) {
    list_models(*call, models_);
    return {};
}

ApiResult<void> Endpoints::show(const CallPtr& call) {
    std::string_view path = call->request().path;
    return show_model(*call, models_, path.substr(path.find(kModelsPath) + kModelsPath.size()));
}

ApiResult<void> Endpoints::health(const CallPtr& call) {
    if (!ready_.load(std::memory_order_acquire)) return ApiError(503, "the model is loading");
    for (const auto& model : models_.all()) {
        double seconds = model->engine->stats().step_seconds;
        if (seconds > options_.stuck_seconds)
            return ApiError(503, fmt::format("{}: a step has been running for {:.0f} s", model->id, seconds));
    }
    call->respond({{"status", "ok"}});
    return {};
}

ApiResult<void> Endpoints::metrics(const CallPtr& call) {
    std::vector<ModelMetrics> models;
    for (const auto& model : models_.all()) models.push_back({model->id, &model->metrics, model->engine->stats()});
    call->respond({.content_type = "text/plain; version=0.0.4; charset=utf-8",
                   .body = metrics_page(models, server_ == nullptr ? 0 : server_->connections())});
    return {};
}

ApiResult<void> Endpoints::props(const CallPtr& call) {
    Json list = Json::array();
    for (const auto& model : models_.all()) {
        MemoryPlan memory = model->engine->memory();
        list.push_back({{"id", model->id},
                        {"context", memory.context},
                        {"sequences", memory.sequences},
                        {"memory_bytes", memory.total()},
                        {"backend", model->engine->backend()},
                        {"chat_template", model->engine->model().chat_template != nullptr},
                        {"default_generation_settings", sampling_json(model->sampling)}});
    }
    call->respond({{"version", godwit::version()}, {"models", list}});
    return {};
}

ApiResult<void> Endpoints::version(const CallPtr& call) {
    call->respond({{"version", godwit::version()}});
    return {};
}

ApiResult<void> Endpoints::home(const CallPtr& call) {
    call->respond(
        {.content_type = "text/plain; charset=utf-8",
         .body = fmt::format("Godwit {} is running. The API is below /v1 (chat/completions, completions, models).\n",
                             godwit::version())});
    return {};
}

}  // namespace godwit::api
