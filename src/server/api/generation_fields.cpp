#include "server/api/generation_fields.hpp"

#include <charconv>
#include <random>

#include "base/printable.hpp"

namespace godwit::api {
namespace {

constexpr int64_t kChoicesMax = 128;
constexpr size_t kStopsMax = 16, kStopBytesMax = 256, kBiasesMax = 1024;

uint64_t random_seed() {
    static thread_local std::random_device device;
    return uint64_t{device()} << 32 | device();
}

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

}  // namespace

void read_generation(Fields& fields, const ServedModel& model, GenerateRequest& request) {
    SamplingParams& sampling = request.sampling = model.sampling;
    sampling.temperature = fields.number("temperature", sampling.temperature, 0, 100);
    sampling.top_p = fields.number("top_p", sampling.top_p, 0, 1);
    sampling.min_p = fields.number("min_p", sampling.min_p, 0, 1);
    sampling.top_k = static_cast<int32_t>(
        std::max<int64_t>(fields.integer("top_k", sampling.top_k, -1, INT32_MAX), 0));  // -1: off, as in vLLM
    sampling.frequency_penalty = fields.number("frequency_penalty", sampling.frequency_penalty, -2, 2);
    sampling.presence_penalty = fields.number("presence_penalty", sampling.presence_penalty, -2, 2);
    sampling.repetition_penalty = fields.number("repetition_penalty", sampling.repetition_penalty, 0.01f, 100);
    sampling.seed =
        fields.has("seed") ? static_cast<uint64_t>(fields.integer("seed", 0, INT64_MIN, INT64_MAX)) : random_seed();
    read_logit_bias(fields, static_cast<TokenId>(model.engine->model().plan.vocabulary), sampling);
    request.choices = static_cast<int32_t>(fields.integer("n", 1, 1, kChoicesMax));
    request.stops = fields.texts("stop", kStopsMax, kStopBytesMax);
    request.ignore_end = fields.flag("ignore_eos", false);
}

bool wants_usage(Fields& fields) {
    const Json* stream = fields.object("stream_options");
    if (stream == nullptr) return false;
    return Fields(*stream, fields.path("stream_options"), fields).flag("include_usage", false);
}

ApiResult<void> check_queue(const ServedModel& model) {
    if (model.in_work < model.in_work_max) return {};
    return ApiError(429, fmt::format("{} requests for {} are waiting already", model.in_work.load(), model.id));
}

ApiResult<void> check_length(const ServedModel& model, const std::vector<TokenId>& prompt, const char* param) {
    auto tokens = static_cast<int64_t>(prompt.size());
    if (tokens == 0) return ApiError(400, fmt::format("{}: it is empty", param)).about(param);
    if (tokens < model.context()) return {};
    return ApiError(400,
                    fmt::format(
                        "{}: {} tokens do not fit into the context of {} (a prompt leaves room for at least one token)",
                        param, tokens, model.context()))
        .about(param)
        .coded("context_length_exceeded");
}

}  // namespace godwit::api
