#include "cli/batch.hpp"

#include <deque>

#include "cli/chat.hpp"
#include "cli/common.hpp"
#include "cli/progress.hpp"

namespace godwit {
namespace {

/// The member as T, or what stands there already. Error: another type.
template <class T>
Result<void> read_member(const Json& line, const char* name, T& value) {
    auto found = line.find(name);
    if (found == line.end() || found->is_null()) return done();
    bool fits = false;
    if constexpr (std::is_same_v<T, std::string>) fits = found->is_string();
    else if constexpr (std::is_unsigned_v<T>) fits = found->is_number_unsigned();
    else if constexpr (std::is_integral_v<T>) fits = found->is_number_integer();
    else fits = found->is_number();
    if (!fits)
        return error("{}: unexpected value {}", name, found->dump(-1, ' ', false, Json::error_handler_t::replace));
    value = found->get<T>();
    return done();
}

Result<void> read_stops(const Json& line, std::vector<std::string>& stops) {
    auto found = line.find("stop");
    if (found == line.end() || found->is_null()) return done();
    stops.clear();
    for (const Json& stop : found->is_array() ? *found : Json::array({*found})) {
        if (!stop.is_string()) return error("stop: expected a text or a list of texts");
        stops.push_back(stop.get<std::string>());
    }
    return done();
}

Result<GenerateRequest> read_line(const std::string& text, const GenerateRequest& defaults, const Model& model) {
    Json line = TRY(parse_json(text));
    if (!line.is_object()) return error("the line is no JSON object");
    GenerateRequest request = defaults;
    if (line.contains("prompt") == line.contains("messages")) return error("prompt or messages: give one of them");
    TRY(read_member(line, "prompt", request.prompt));
    if (line.contains("messages")) request.tokens = TRY(chat_tokens(model, line["messages"]));
    TRY(read_member(line, "max_tokens", request.tokens_max));
    TRY(read_member(line, "priority", request.priority));
    SamplingParams& sampling = request.sampling;
    TRY(read_member(line, "temperature", sampling.temperature));
    TRY(read_member(line, "seed", sampling.seed));
    TRY(read_member(line, "top_k", sampling.top_k));
    TRY(read_member(line, "top_p", sampling.top_p));
    TRY(read_member(line, "min_p", sampling.min_p));
    TRY(read_member(line, "repetition_penalty", sampling.repetition_penalty));
    TRY(read_member(line, "frequency_penalty", sampling.frequency_penalty));
    TRY(read_member(line, "presence_penalty", sampling.presence_penalty));
    TRY(read_stops(line, request.stops));
    return request;
}

std::vector<std::string> split_lines(const std::string& text) {
    std::vector<std::string> lines;
    for (size_t begin = 0; begin < text.size();) {
        size_t end = std::min(text.find('\n', begin), text.size());
        if (text.find_first_not_of(" \t\r", begin) < end) lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

/// Waits for the whole answer.
Json collect(size_t index, Result<Generation>& generation, int64_t& tokens) {
    if (!generation.ok()) return {{"index", index}, {"error", generation.error().message}};
    std::string text;
    Event event;
    while (generation.value().next(event)) text += event.text;
    tokens += event.generated_tokens;
    if (event.reason == FinishReason::Failed || event.reason == FinishReason::Cancelled)
        return {{"index", index}, {"error", event.error.empty() ? "cancelled" : event.error}};
    return {{"index", index},
            {"text", text},
            {"finish", event.reason == FinishReason::Length ? "length" : "stop"},
            {"usage", {{"prompt_tokens", event.prompt_tokens}, {"completion_tokens", event.generated_tokens}}}};
}

}  // namespace

Result<int> run_batch(EngineImpl& engine, const BatchOptions& options) {
    std::vector<std::string> lines = split_lines(TRY(read_text(options.file)));
    Progress progress("batch");
    std::deque<Result<Generation>> ahead;  // submitted, oldest first: enough to keep the engine busy
    size_t submitted = 0, failed = 0;
    int64_t tokens = 0;
    for (size_t index = 0; index < lines.size(); ++index) {
        for (; submitted < lines.size() && ahead.size() < static_cast<size_t>(2 * options.parallel); ++submitted) {
            Result<GenerateRequest> request = read_line(lines[submitted], options.defaults, engine.model());
            if (request.ok()) ahead.push_back(engine.submit(std::move(request).take()));
            else ahead.emplace_back(request.error());
        }
        Json line = collect(index, ahead.front(), tokens);
        ahead.pop_front();
        failed += line.contains("error");
        print_json(line);
        progress.update(static_cast<int64_t>(index) + 1, static_cast<int64_t>(lines.size()),
                        fmt::format("{} tokens", tokens));
    }
    progress.finish();
    if (options.quiet) return failed == 0 ? 0 : 1;
    EngineStats stats = engine.stats();
    double seconds = stats.compute_seconds + stats.sampling_seconds + stats.bookkeeping_seconds;
    fmt::print(stderr, "[{} answers, {} failed; {} tokens, {:.1f} tokens/s; {}]\n", lines.size(), failed, tokens,
               seconds > 0 ? static_cast<double>(tokens) / seconds : 0, options.how);
    return failed == 0 ? 0 : 1;
}

}  // namespace godwit
