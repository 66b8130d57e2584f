#include "server/api/openai_completions.hpp"

#include "base/utf8.hpp"
#include "server/api/generation_fields.hpp"
#include "server/api/openai.hpp"
#include "server/api/token_text.hpp"
#include "text/stream_decoder.hpp"

namespace godwit::api {
namespace {

constexpr size_t kPromptsMax = 256;
constexpr int64_t kAnswersMax = 1024;  // prompts × n
constexpr const char* kObject = "text_completion";

using Tokens = std::vector<TokenId>;

/// A string, strings, token ids, or lists of token ids.
ApiResult<std::vector<Tokens>> read_prompts(Fields& fields, const EngineImpl& engine) {
    const Json* prompt = fields.find("prompt");
    int64_t vocabulary = engine.model().plan.vocabulary;
    auto wrong = [] {
        return ApiError(400, "prompt: expected a string, an array of strings, or token ids (arrays of them)")
            .about("prompt");
    };
    std::vector<Tokens> prompts;
    if (prompt == nullptr) return ApiError(400, "prompt: it is missing").about("prompt");
    if (prompt->is_array() && !prompt->empty() && prompt->front().is_number()) {
        prompts.push_back(fields.token_ids("prompt", *prompt, vocabulary));
        TRY(fields.check());
        return prompts;
    }
    const Json list = prompt->is_string() ? Json::array({*prompt}) : *prompt;
    if (!list.is_array() || list.empty()) return wrong();
    if (list.size() > kPromptsMax)
        return ApiError(400, fmt::format("prompt: {} prompts (at most {})", list.size(), kPromptsMax)).about("prompt");
    for (const Json& each : list) {
        if (each.is_string()) prompts.push_back(engine.tokenize(each.get_ref<const std::string&>()));
        else if (each.is_array()) prompts.push_back(fields.token_ids("prompt", each, vocabulary));
        else return wrong();
        TRY(fields.check());
    }
    return prompts;
}

int64_t code_points(std::string_view text) { return static_cast<int64_t>(utf8_length(text)); }

/// The object `logprobs`: parallel lists, with the offset at which each token begins, in code points from the start of
/// the prompt's text.
class Logprobs {
public:
    /// With the first token of a prompt, which has no probability. `text`: the prompt's.
    void begin_prompt(const Tokenizer& tokenizer, const Tokens& prompt, std::string_view text) {
        StreamDecoder decoder;
        std::string of_tokens;
        for (TokenId token : prompt) decoder.push(tokenizer.bytes(token), of_tokens);
        offset_ = code_points(text) - code_points(of_tokens);  // below 0: SentencePiece's prefix space is not in `text`
        push(tokenizer, prompt.front(), token_name(tokenizer, prompt.front()), nullptr, nullptr);
    }
    /// The answer's text begins after the prompt's.
    void begin_answer(std::string_view prompt) {
        decoder_ = StreamDecoder();
        offset_ = code_points(prompt);
    }
    /// A token by its name. It is listed among the top ones even where others are likelier.
    void add(const Tokenizer& tokenizer, const Event& event, std::string name) {
        Json top = Json::object();
        auto list = [&](std::string top_name, float logprob) {  // of equal names the likeliest
            if (!top.contains(top_name)) top[std::move(top_name)] = finite_logprob(logprob);
        };
        for (const TokenLogprob& each : event.top)
            list(each.token == event.token ? name : token_name(tokenizer, each.token), each.logprob);
        list(name, event.logprob);
        push(tokenizer, event.token, std::move(name), finite_logprob(event.logprob), std::move(top));
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
    void push(const Tokenizer& tokenizer, TokenId token, std::string name, Json logprob, Json top) {
        tokens_.push_back(std::move(name));
        logprobs_.push_back(std::move(logprob));
        top_.push_back(std::move(top));
        offsets_.push_back(std::max<int64_t>(offset_, 0));
        std::string text;
        decoder_.push(tokenizer.bytes(token), text);
        offset_ += code_points(text);
    }

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

    CompletionEncoder(const RequestContext& context, const Options& options, const std::vector<Tokens>& prompts)
        : tokenizer_(*context.engine.model().tokenizer), head_("cmpl-", context.model), options_(options) {
        for (const Tokens& prompt : prompts) {
            Choice choice;
            std::string text = replace_ill_formed(tokenizer_.decode(prompt));
            if (options.echo && options.logprobs >= 0) choice.logprobs.begin_prompt(tokenizer_, prompt, text);
            if (options.echo) choice.text = text;
            choices_.insert(choices_.end(), options.choices, choice);
            prompts_.push_back(std::move(text));
        }
    }

    bool streams() const override { return options_.stream; }

    std::string begin() override {
        std::string parts;
        // With logprobs the prompt's come first, event by event: its text goes with the first token after them.
        for (size_t i = 0; i < choices_.size() && options_.echo && options_.logprobs < 0; ++i)
            parts += chunk(i, nullptr);
        return parts;
    }

    std::string event(size_t prompt, const Event& event) override {
        if (event.kind == Event::Kind::Prompt) return add_prompt(prompt, event);
        size_t index = prompt * options_.choices + event.choice;
        Choice& choice = choices_[index];
        bool finished = event.kind == Event::Kind::Finish;
        if (options_.logprobs >= 0) add(choice, prompts_[prompt], event);
        choice.text += event.text;
        if (finished) choice.finish = openai::finish_name(event.reason);
        if (!options_.stream || (choice.text.empty() && choice.logprobs.empty() && !finished)) return "";
        return chunk(index, finished ? Json(choice.finish) : Json(nullptr));
    }

    std::string end(const Usage& usage) override {
        return openai::stream_end(head_.json(kObject), options_.include_usage ? &usage : nullptr);
    }

    Json whole(const Usage& usage) override {
        Json whole = head_.json(kObject);
        whole["choices"] = Json::array();
        for (size_t i = 0; i < choices_.size(); ++i) whole["choices"].push_back(take(i, choices_[i].finish));
        whole["usage"] = openai::usage_json(usage);
        return whole;
    }

    Json error(const ApiError& error) const override { return openai::error_json(error); }

private:
    struct Choice {
        std::string text, finish;
        Logprobs logprobs;
        bool begun = false;
    };

    std::string add_prompt(size_t prompt, const Event& event) {
        for (int32_t i = 0; i < options_.choices; ++i)
            choices_[prompt * options_.choices + i].logprobs.add(tokenizer_, event,
                                                                 token_name(tokenizer_, event.token));
        return "";
    }

    /// A token of the answer. The end token has an entry without text: evaluation harnesses drop the last entry of an
    /// answer of one token, whatever it is.
    void add(Choice& choice, const std::string& prompt, const Event& event) const {
        if (!std::exchange(choice.begun, true)) choice.logprobs.begin_answer(prompt);
        if (event.token < 0) return;
        bool is_end = event.kind == Event::Kind::Finish;
        choice.logprobs.add(tokenizer_, event, is_end ? "" : token_name(tokenizer_, event.token));
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

    std::string chunk(size_t index, Json finish) {
        Json chunk = head_.json(kObject);
        chunk["choices"] = Json::array({take(index, std::move(finish))});
        if (options_.include_usage) chunk["usage"] = nullptr;
        return sse(chunk);
    }

    const Tokenizer& tokenizer_;
    const openai::AnswerHead head_;
    const Options options_;
    std::vector<std::string> prompts_;  // their texts
    std::vector<Choice> choices_;       // [prompts × choices]
};

CompletionEncoder::Options read_encoding(Fields& fields, GenerateRequest& request) {
    CompletionEncoder::Options options{
        .stream = fields.flag("stream", false),
        .include_usage = wants_usage(fields),
        .echo = fields.flag("echo", false),
        .logprobs = static_cast<int32_t>(fields.integer("logprobs", -1, 0, openai::kLogprobsMax)),
        .choices = request.choices};
    int64_t best_of = fields.integer("best_of", request.choices, 1, INT64_MAX);
    if (best_of != request.choices) fields.fail("best_of", "only the value of n is supported");
    if (!fields.text("suffix", "").empty()) fields.fail("suffix", "it is not supported");
    request.sampling.top_logprobs = options.logprobs;
    request.prompt_logprobs = options.echo && options.logprobs >= 0;
    return options;
}

}  // namespace

ApiResult<TextRequest> read_completions(Fields& fields, const RequestContext& context) {
    GenerateRequest request = read_generation(fields, context);
    CompletionEncoder::Options options = read_encoding(fields, request);
    TRY(fields.check());
    std::vector<Tokens> prompts = TRY(read_prompts(fields, context.engine));
    if (std::ssize(prompts) * request.choices > kAnswersMax)
        return ApiError(400, fmt::format("n: {} prompts with {} answers each are too many (at most {} in all)",
                                         prompts.size(), request.choices, kAnswersMax))
            .about("n");
    TextRequest read;
    for (const Tokens& prompt : prompts) {
        TRY(check_length(context.engine, prompt, "prompt"));
        read.prompts.push_back(request);
        read.prompts.back().tokens = prompt;
        if (!fields.has("seed")) ++request.sampling.seed;  // equal prompts get different answers
    }
    read.encoder = std::make_unique<CompletionEncoder>(context, options, prompts);
    return read;
}

}  // namespace godwit::api
