#include "server/api/openai_completions.hpp"

#include "base/utf8.hpp"
#include "server/api/answer.hpp"
#include "server/api/generation_fields.hpp"
#include "server/api/token_text.hpp"
#include "text/stream_decoder.hpp"

namespace godwit::api {
namespace {

constexpr size_t kPromptsMax = 256;
constexpr int64_t kAnswersMax = 1024;  // prompts × n
constexpr int64_t kTokensDefault = 16;
constexpr int64_t kLogprobsMax = 20;

using Tokens = std::vector<TokenId>;

ApiResult<Tokens> read_tokens(const Json& list, const ServedModel& model) {
    int64_t vocabulary = model.engine->model().plan.vocabulary;
    Tokens tokens;
    tokens.reserve(list.size());
    for (const Json& token : list) {
        bool fits = token.is_number_unsigned() && token.get<uint64_t>() < static_cast<uint64_t>(vocabulary);
        if (!fits)
            return ApiError(400, fmt::format("prompt: {} is no token id (0 to {})", token.dump(), vocabulary - 1))
                .about("prompt");
        tokens.push_back(token.get<TokenId>());
    }
    return tokens;
}

/// A string, strings, token ids, or lists of token ids.
ApiResult<std::vector<Tokens>> read_prompts(const Json* prompt, const ServedModel& model) {
    auto wrong = [] {
        return ApiError(400, "prompt: expected a string, an array of strings, or token ids (arrays of them)")
            .about("prompt");
    };
    std::vector<Tokens> prompts;
    if (prompt == nullptr) return ApiError(400, "prompt: it is missing").about("prompt");
    if (prompt->is_array() && !prompt->empty() && prompt->front().is_number()) {
        prompts.push_back(TRY(read_tokens(*prompt, model)));
        return prompts;
    }
    const Json list = prompt->is_string() ? Json::array({*prompt}) : *prompt;
    if (!list.is_array() || list.empty()) return wrong();
    if (list.size() > kPromptsMax)
        return ApiError(400, fmt::format("prompt: {} prompts (at most {})", list.size(), kPromptsMax)).about("prompt");
    for (const Json& each : list) {
        if (each.is_string()) prompts.push_back(model.engine->tokenize(each.get_ref<const std::string&>()));
        else if (each.is_array()) prompts.push_back(TRY(read_tokens(each, model)));
        else return wrong();
    }
    return prompts;
}

int64_t code_points(std::string_view text) {
    return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

/// One entry of the object `logprobs`: parallel lists, with the offset in the text, in code points, at which each token
/// begins.
class Logprobs {
public:
    void add(const Tokenizer& tokenizer, TokenId token, Json logprob, std::span<const TokenLogprob> top, bool has_top) {
        tokens_.push_back(token_name(tokenizer, token));
        logprobs_.push_back(std::move(logprob));
        Json names = nullptr;
        if (has_top) {
            names = Json::object();
            for (const TokenLogprob& each : top)
                names[token_name(tokenizer, each.token)] = finite_logprob(each.logprob);
        }
        top_.push_back(std::move(names));
        offsets_.push_back(offset_);
        std::string text;
        decoder_.push(tokenizer.bytes(token), text);
        offset_ += code_points(text);
    }
    bool empty() const { return tokens_.empty(); }
    /// What was added since the last call.
    Json take() {
        Json all = {{"tokens", std::move(tokens_)},
                    {"token_logprobs", std::move(logprobs_)},
                    {"top_logprobs", std::move(top_)},
                    {"text_offset", std::move(offsets_)}};
        tokens_ = logprobs_ = top_ = offsets_ = Json::array();
        return all;
    }

private:
    StreamDecoder decoder_;
    int64_t offset_ = 0;
    Json tokens_ = Json::array(), logprobs_ = Json::array(), top_ = Json::array(), offsets_ = Json::array();
};

class CompletionEncoder final : public Encoder {
public:
    struct Options {
        bool stream = false, include_usage = false, echo = false;
        int32_t logprobs = -1;  // how many of the most probable tokens; -1: none, nor the token's own
        int32_t choices = 1;
    };

    CompletionEncoder(const ServedModel& model, const Options& options, std::vector<Tokens> prompts)
        : tokenizer_(model.tokenizer()), model_(model.id), options_(options), prompts_(std::move(prompts)) {
        choices_.resize(prompts_.size() * options.choices);
        for (size_t i = 0; i < choices_.size() && options.echo; ++i) echo(choices_[i], prompts_[i / options.choices]);
    }

    bool streams() const override { return options_.stream; }

    void begin(http::Exchange& exchange) override {
        // With logprobs the prompt's come first, event by event: its text goes with the first token after them.
        for (size_t i = 0; i < choices_.size() && options_.echo && options_.logprobs < 0; ++i)
            send(i, nullptr, exchange);
    }

    void event(size_t prompt, const Event& event, http::Exchange& exchange) override {
        if (event.kind == Event::Kind::Prompt) return add_prompt(prompt, event);
        size_t index = prompt * options_.choices + event.choice;
        Choice& choice = choices_[index];
        if (event.kind == Event::Kind::Token && options_.logprobs >= 0) add(choice.logprobs, event);
        choice.text += event.text;
        bool finished = event.kind == Event::Kind::Finish;
        if (finished) choice.finish = finish_name(event.reason);
        if (!options_.stream) return;
        if (!choice.text.empty() || !choice.logprobs.empty() || finished)
            send(index, finished ? Json(choice.finish) : Json(nullptr), exchange);
    }

    void end(const Usage& usage, http::Exchange& exchange) override {
        if (!options_.stream) return exchange.respond({.body = json_text(whole(usage))});
        end_stream(exchange, head(), options_.include_usage ? &usage : nullptr);
    }

private:
    struct Choice {
        std::string text, finish;
        Logprobs logprobs;
    };

    void echo(Choice& choice, const Tokens& prompt) const {
        choice.text = replace_ill_formed(tokenizer_.decode(prompt));
        if (options_.logprobs >= 0) choice.logprobs.add(tokenizer_, prompt.front(), nullptr, {}, false);
    }

    void add(Logprobs& logprobs, const Event& event) const {
        logprobs.add(tokenizer_, event.token, finite_logprob(event.logprob), event.top, options_.logprobs > 0);
    }

    void add_prompt(size_t prompt, const Event& event) {
        for (int32_t i = 0; i < options_.choices; ++i) add(choices_[prompt * options_.choices + i].logprobs, event);
    }

    Json head() const {
        return {{"id", id_},
                {"object", "text_completion"},
                {"created", created_},
                {"model", model_},
                {"system_fingerprint", fingerprint()}};
    }

    /// Text and logprobs so far; both begin anew.
    Json take(size_t index, Json finish) {
        Choice& choice = choices_[index];
        Json logprobs = nullptr;
        if (options_.logprobs >= 0) logprobs = choice.logprobs.take();
        return {{"index", index},
                {"text", std::exchange(choice.text, "")},
                {"logprobs", std::move(logprobs)},
                {"finish_reason", std::move(finish)}};
    }

    void send(size_t index, Json finish, http::Exchange& exchange) {
        Json chunk = head();
        chunk["choices"] = Json::array({take(index, std::move(finish))});
        if (options_.include_usage) chunk["usage"] = nullptr;
        exchange.send(sse(chunk));
    }

    Json whole(const Usage& usage) {
        Json whole = head();
        whole["choices"] = Json::array();
        for (size_t i = 0; i < choices_.size(); ++i) whole["choices"].push_back(take(i, choices_[i].finish));
        whole["usage"] = usage.json();
        return whole;
    }

    const Tokenizer& tokenizer_;
    const std::string model_;
    const Options options_;
    const std::string id_ = random_id("cmpl-");
    const int64_t created_ = unix_seconds();
    const std::vector<Tokens> prompts_;
    std::vector<Choice> choices_;  // [prompts × choices]
};

CompletionEncoder::Options read_encoding(Fields& fields, GenerateRequest& request) {
    CompletionEncoder::Options options{
        .stream = fields.flag("stream", false),
        .include_usage = wants_usage(fields),
        .echo = fields.flag("echo", false),
        .logprobs = static_cast<int32_t>(fields.integer("logprobs", -1, 0, kLogprobsMax)),
        .choices = request.choices};
    int64_t best_of = fields.integer("best_of", request.choices, 1, INT64_MAX);
    if (best_of != request.choices) fields.fail("best_of", "only the value of n is supported");
    if (!fields.text("suffix", "").empty()) fields.fail("suffix", "it is not supported");
    request.sampling.top_logprobs = options.logprobs;
    request.prompt_logprobs = options.echo && options.logprobs >= 0;
    return options;
}

}  // namespace

ApiResult<void> completions(const std::shared_ptr<Call>& call, const Models& models, const Json& body) {
    Fields fields(body);
    ServedModel& model = *TRY(models.of(fields));
    TRY(check_queue(model));
    RequestRecord& record = call->record();
    record.model = model.id;
    GenerateRequest request;
    read_generation(fields, model, request);
    CompletionEncoder::Options options = read_encoding(fields, request);
    request.tokens_max = fields.integer("max_tokens", kTokensDefault, 0, INT64_MAX);
    TRY(fields.check());
    std::vector<Tokens> prompts = TRY(read_prompts(fields.find("prompt"), model));
    if (std::ssize(prompts) * request.choices > kAnswersMax)
        return ApiError(400, fmt::format("n: {} prompts with {} answers each are too many (at most {} in all)",
                                         prompts.size(), request.choices, kAnswersMax))
            .about("n");
    std::vector<GenerateRequest> requests;
    for (const Tokens& prompt : prompts) {
        TRY(check_length(model, prompt, "prompt"));
        record.prompt_tokens += std::ssize(prompt);
        if (call->log().options().prompts) record.prompt += model.tokenizer().decode(prompt, true);
        requests.push_back(request);
        requests.back().tokens = prompt;
        if (!fields.has("seed")) ++request.sampling.seed;  // equal prompts get different answers
    }
    Answer::start(call, model, std::move(requests),
                  std::make_unique<CompletionEncoder>(model, options, std::move(prompts)));
    return {};
}

}  // namespace godwit::api
