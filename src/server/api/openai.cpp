#include "server/api/openai.hpp"

#include "base/version.hpp"

namespace godwit::api::openai {
namespace {

const char* type_of(int status) {
    if (status == 401) return "authentication_error";
    if (status == 429) return "rate_limit_error";
    return status >= 500 ? "server_error" : "invalid_request_error";
}

Json text_or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }

}  // namespace

Json error_json(const ApiError& error) {
    return {{"error",
             {{"message", error.message},
              {"type", type_of(error.status)},
              {"param", text_or_null(error.param)},
              {"code", text_or_null(error.code)}}}};
}

Json usage_json(const Usage& usage) {
    return {{"prompt_tokens", usage.prompt_tokens},
            {"completion_tokens", usage.output_tokens},
            {"total_tokens", usage.prompt_tokens + usage.output_tokens},
            {"prompt_tokens_details", {{"cached_tokens", usage.cached_tokens}}},
            {"completion_tokens_details", {{"reasoning_tokens", 0}}}};
}

const char* finish_name(FinishReason reason) { return reason == FinishReason::Length ? "length" : "stop"; }

Json AnswerHead::json(const char* object) const {
    return {{"id", id_},
            {"object", object},
            {"created", created_},
            {"model", model_},
            {"system_fingerprint", fmt::format("godwit-{}", version())}};
}

std::string stream_end(Json head, const Usage* usage) {
    std::string end;
    if (usage != nullptr) {
        head["choices"] = Json::array();
        head["usage"] = usage_json(*usage);
        end = sse(head);
    }
    return end + "data: [DONE]\n\n";
}

}  // namespace godwit::api::openai
