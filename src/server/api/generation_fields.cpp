#include "server/api/generation_fields.hpp"

#include <charconv>

#include "base/printable.hpp"

namespace godwit::api {
namespace {

constexpr size_t kStopsMax = 16, kStopBytesMax = 256, kBiasesMax = 1024;

/// {"1734": -100, …}; values beyond ±100 are cut to it.
void read_logit_bias(Fields& fields, TokenId vocabulary, SamplingParams& sampling) {
    const Json* biases = fields.object("logit_bias");
    if (biases == nullptr) return;
    if (biases->size() > kBiasesMax)
        return fields.fail("logit_bias", fmt::format("{} tokens (at most {})", biases->size(), kBiasesMax));
    for (const auto& [name, bias] : biases->items()) {
        TokenId token = -1;
        auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), token);
        if (fault != std::errc() || end != name.data() + name.size() || token < 0 || token >= vocabulary)
            return fields.fail("logit_bias",
                               fmt::format("'{}' is no token id (0 to {})", printable(name, 20), vocabulary - 1));
        if (!bias.is_number())
            return fields.fail("logit_bias", fmt::format("the bias of token {} is no number", token));
        sampling.logit_bias.emplace_back(token, static_cast<float>(std::clamp(bias.get<double>(), -100.0, 100.0)));
    }
}

// They would constrain the answer, in the spelling of OpenAI, vLLM, SGLang, llama-server or Ollama: without them it
// would look right and not be what was asked for.
constexpr const char* kConstraints[] = {"functions",
                                        "guided_json",
                                        "guided_regex",
                                        "guided_choice",
                                        "guided_grammar",
                                        "structured_outputs",
                                        "structural_tag",
                                        "json_schema",
                                        "format",
                                        "grammar",
                                        "ebnf",
                                        "regex",
                                        "min_tokens",
                                        "bad_words",
                                        "min_new_tokens",
                                        "stop_token_ids",
                                        "allowed_token_ids",
                                        "logits_processors",
                                        "use_beam_search"};

bool is_text(const Json& value, std::string_view text) {
    return value.is_string() && value.get_ref<const std::string&>() == text;
}

void refuse_constraints(Fields& fields) {
    for (const char* name : kConstraints)
        if (fields.find_on(name) != nullptr) fields.fail(name, "it is not supported");
    chooses_no_tool(fields, "function_call");
    if (fields.find_on("response_format") == nullptr) return;
    if (const Json* format = fields.object("response_format"))
        if (!is_text(format->value("type", Json()), "text"))
            fields.fail("response_format", "only the type \"text\" is supported");
}

}  // namespace

GenerateRequest read_generation(Fields& fields, const RequestContext& context) {
    GenerateRequest request = context.defaults;
    SamplingParams& sampling = request.sampling;
    sampling.temperature = fields.number("temperature", sampling.temperature, 0, 100);
    sampling.top_p = fields.number("top_p", sampling.top_p, 0, 1);
    sampling.min_p = fields.number("min_p", sampling.min_p, 0, 1);
    sampling.top_k = static_cast<int32_t>(
        std::max<int64_t>(fields.integer("top_k", sampling.top_k, -1, INT32_MAX), 0));  // -1: off, as in vLLM
    sampling.frequency_penalty = fields.number("frequency_penalty", sampling.frequency_penalty, -2, 2);
    sampling.presence_penalty = fields.number("presence_penalty", sampling.presence_penalty, -2, 2);
    sampling.repetition_penalty = fields.number("repetition_penalty", sampling.repetition_penalty, 0.01f, 100);
    if (fields.has("seed")) sampling.seed = static_cast<uint64_t>(fields.integer("seed", 0, INT64_MIN, INT64_MAX));
    read_logit_bias(fields, static_cast<TokenId>(context.engine.model().plan.vocabulary), sampling);
    for (const char* name : {"max_tokens", "max_completion_tokens"})  // the second one counts
        if (fields.has(name)) request.tokens_max = fields.integer(name, 0, 0, INT64_MAX);
    request.choices = static_cast<int32_t>(fields.integer("n", 1, 1, kChoicesMax));
    if (fields.has("stop")) request.stops = fields.texts("stop", kStopsMax, kStopBytesMax);
    request.ignore_end = fields.flag("ignore_eos", false);
    refuse_constraints(fields);
    return request;
}

bool chooses_no_tool(Fields& fields, const char* name) {
    const Json* choice = fields.find_on(name);
    bool none = choice != nullptr && is_text(*choice, "none");
    if (choice != nullptr && !none && !is_text(*choice, "auto"))
        fields.fail(name, "only \"auto\" and \"none\" are supported");
    return none;
}

bool wants_usage(Fields& fields) {
    const Json* stream = fields.object("stream_options");
    if (stream == nullptr) return false;
    return Fields(*stream, fields.path("stream_options"), fields).flag("include_usage", false);
}

ApiResult<void> check_length(const EngineImpl& engine, const std::vector<TokenId>& prompt, const char* param) {
    auto tokens = static_cast<int64_t>(prompt.size());
    if (tokens == 0) return ApiError(400, fmt::format("{}: it is empty", param)).about(param);
    int64_t context = engine.memory().context;
    if (tokens < context) return {};
    return ApiError(400,
                    fmt::format(
                        "{}: {} tokens do not fit into the context of {} (a prompt leaves room for at least one token)",
                        param, tokens, context))
        .about(param)
        .coded("context_length_exceeded");
}

}  // namespace godwit::api
