#include "server/api/openai_chat.hpp"

#include "dialect/chat_template.hpp"
#include "server/api/answer.hpp"
#include "server/api/generation_fields.hpp"
#include "server/api/token_text.hpp"

namespace godwit::api {
namespace {

constexpr size_t kToolsMax = 512;
constexpr size_t kTemplateMembersMax = 64;
constexpr int64_t kTopLogprobsMax = 20;

void check_function(Fields& tool) {
    const Json* function = tool.object("function");
    if (function == nullptr) return tool.fail("function", "it is missing");
    Fields members(*function, tool.path("function"), tool);
    if (members.text("name", "").empty()) members.fail("name", "it is missing or empty");
    members.object("parameters");
}

/// Function tools as they were given; of other types this server knows nothing, and clients send many.
Json function_tools(Fields& fields) {
    Json functions = Json::array();
    const Json* tools = fields.array("tools");
    if (tools == nullptr) return functions;
    if (tools->size() > kToolsMax) fields.fail("tools", fmt::format("{} tools (at most {})", tools->size(), kToolsMax));
    for (size_t i = 0; i < tools->size() && !fields.failed(); ++i) {
        const Json& tool = (*tools)[i];
        std::string where = fmt::format("tools[{}]", i);
        if (!tool.is_object()) {
            fields.fail(where, "expected an object");
            break;
        }
        Fields members(tool, fields.path(where), fields);
        if (members.text("type", "function") != "function") continue;
        check_function(members);
        functions.push_back(tool);
    }
    return functions;
}

/// What is not there yet must not look as if it were.
void refuse_constraints(Fields& fields) {
    if (const Json* choice = fields.find("tool_choice"))
        if (*choice != "auto" && *choice != "none")
            fields.fail("tool_choice", "only \"auto\" and \"none\" are supported");
    if (const Json* format = fields.object("response_format"))
        if (format->value("type", Json()) != "text")
            fields.fail("response_format", "only the type \"text\" is supported");
}

/// More variables of the template: chat_template_kwargs, and what has a field of its own.
Json template_members(Fields& fields) {
    Json extra = Json::object();
    if (const Json* members = fields.object("chat_template_kwargs")) {
        if (members->size() > kTemplateMembersMax)
            fields.fail("chat_template_kwargs",
                        fmt::format("{} members (at most {})", members->size(), kTemplateMembersMax));
        for (const auto& [name, value] : members->items())
            if (name == "messages" || name == "tools")
                fields.fail("chat_template_kwargs", name + " has a field of its own");
            else extra[name] = value;
    }
    if (const Json* documents = fields.array("documents")) extra["documents"] = *documents;
    if (fields.has("reasoning_effort")) extra["reasoning_effort"] = fields.text("reasoning_effort", "");
    return extra;
}

Conversation read_conversation(Fields& fields) {
    Conversation conversation;
    if (const Json* messages = fields.array("messages")) conversation.messages = *messages;
    else fields.fail("messages", "it is missing");
    refuse_constraints(fields);
    Json tools = function_tools(fields);
    const Json* choice = fields.find("tool_choice");
    if (choice == nullptr || *choice != "none") conversation.tools = std::move(tools);
    conversation.continue_final_message = fields.flag("continue_final_message", false);
    conversation.add_generation_prompt = fields.flag("add_generation_prompt", !conversation.continue_final_message);
    if (conversation.continue_final_message && conversation.add_generation_prompt)
        fields.fail("add_generation_prompt", "a new message cannot begin where the last one is continued");
    conversation.extra = template_members(fields);
    return conversation;
}

class ChatEncoder final : public Encoder {
public:
    struct Options {
        bool stream = false, include_usage = false, logprobs = false;
        int32_t choices = 1;
    };

    ChatEncoder(const ServedModel& model, const Options& options)
        : tokenizer_(model.tokenizer()), model_(model.id), options_(options), answers_(options.choices) {}

    bool streams() const override { return options_.stream; }

    void begin(http::Exchange& exchange) override {
        for (int32_t i = 0; i < options_.choices; ++i)
            exchange.send(chunk(i, {{"role", "assistant"}, {"content", ""}}, nullptr, nullptr));
    }

    void event(size_t, const Event& event, http::Exchange& exchange) override {
        Json logprobs = nullptr;
        if (options_.logprobs && event.kind == Event::Kind::Token)
            logprobs = {{"content", Json::array({logprob(event)})}, {"refusal", nullptr}};
        if (options_.stream) return send(event, std::move(logprobs), exchange);
        Whole& whole = answers_[event.choice];
        whole.text += event.text;
        if (!logprobs.is_null()) whole.logprobs.push_back(std::move(logprobs["content"][0]));
        if (event.kind == Event::Kind::Finish) whole.finish = finish_name(event.reason);
    }

    void end(const Usage& usage, http::Exchange& exchange) override {
        if (!options_.stream) return exchange.respond({.body = json_text(whole(usage))});
        end_stream(exchange, head("chat.completion.chunk"), options_.include_usage ? &usage : nullptr);
    }

private:
    struct Whole {
        std::string text, finish;
        Json logprobs = Json::array();
    };

    Json head(const char* object) const {
        return {{"id", id_},
                {"object", object},
                {"created", created_},
                {"model", model_},
                {"system_fingerprint", fingerprint()}};
    }

    Json logprob(const Event& event) const {
        Json entry = token_logprob(tokenizer_, event.token, event.logprob);
        entry["top_logprobs"] = Json::array();
        for (const TokenLogprob& top : event.top)
            entry["top_logprobs"].push_back(token_logprob(tokenizer_, top.token, top.logprob));
        return entry;
    }

    std::string chunk(int32_t choice, Json delta, Json logprobs, Json finish) const {
        Json chunk = head("chat.completion.chunk");
        Json only = {{"index", choice},
                     {"delta", std::move(delta)},
                     {"logprobs", std::move(logprobs)},
                     {"finish_reason", std::move(finish)}};
        chunk["choices"] =
            Json::array({std::move(only)});  // braces alone would mean an array to one compiler and a copy to another
        if (options_.include_usage) chunk["usage"] = nullptr;
        return sse(chunk);
    }

    void send(const Event& event, Json logprobs, http::Exchange& exchange) const {
        if (!event.text.empty() || !logprobs.is_null())
            exchange.send(chunk(event.choice, {{"content", event.text}}, std::move(logprobs), nullptr));
        if (event.kind == Event::Kind::Finish)
            exchange.send(chunk(event.choice, Json::object(), nullptr, finish_name(event.reason)));
    }

    Json whole(const Usage& usage) {
        Json choices = Json::array();
        for (int32_t i = 0; i < options_.choices; ++i) {
            Whole& answer = answers_[i];
            Json message = {
                {"role", "assistant"}, {"content", answer.text}, {"refusal", nullptr}, {"annotations", Json::array()}};
            Json logprobs = nullptr;
            if (options_.logprobs) logprobs = {{"content", std::move(answer.logprobs)}, {"refusal", nullptr}};
            choices.push_back({{"index", i},
                               {"message", std::move(message)},
                               {"logprobs", std::move(logprobs)},
                               {"finish_reason", answer.finish}});
        }
        Json whole = head("chat.completion");
        whole["choices"] = std::move(choices);
        whole["usage"] = usage.json();
        return whole;
    }

    const Tokenizer& tokenizer_;
    const std::string model_;
    const Options options_;
    const std::string id_ = random_id("chatcmpl-");
    const int64_t created_ = unix_seconds();
    std::vector<Whole> answers_;
};

ChatEncoder::Options read_encoding(Fields& fields, GenerateRequest& request) {
    ChatEncoder::Options options{
        .stream = fields.flag("stream", false), .include_usage = wants_usage(fields), .choices = request.choices};
    options.logprobs = fields.flag("logprobs", false);
    auto top = static_cast<int32_t>(fields.integer("top_logprobs", 0, 0, kTopLogprobsMax));
    if (top > 0 && !options.logprobs) fields.fail("top_logprobs", "it needs logprobs: true");
    request.sampling.top_logprobs = options.logprobs ? top : -1;
    return options;
}

/// Faults of a conversation begin with the field; a template's own are about all messages.
std::string field_of(const std::string& fault) {
    std::string field = fault.substr(0, fault.find(": "));
    for (const char* name : {"messages", "tools", "chat_template_kwargs"})
        if (field.starts_with(name) && field.find(' ') == field.npos) return field;
    return "messages";
}

}  // namespace

ApiResult<std::vector<TokenId>> chat_prompt(Fields& fields, const ServedModel& model, RequestRecord& record,
                                            bool keep_text) {
    const std::optional<ChatTemplate>& chat = model.engine->model().chat_template;
    if (!chat)
        return ApiError(400, fmt::format("model: {} has no chat template (use /v1/completions)", model.id))
            .about("model");
    Conversation conversation = read_conversation(fields);
    TRY(fields.check());
    Result<Rendered> rendered = chat->render(conversation);
    if (!rendered.ok()) return ApiError(400, rendered.error().message).about(field_of(rendered.error().message));
    if (keep_text) record.prompt = rendered.value().text;
    std::vector<TokenId> tokens = model.tokenizer().encode(rendered.value().text, rendered.value().segments);
    record.prompt_tokens = std::ssize(tokens);
    return tokens;
}

ApiResult<void> chat_completions(const std::shared_ptr<Call>& call, const Models& models, const Json& body) {
    Fields fields(body);
    ServedModel& model = *TRY(models.of(fields));
    TRY(check_queue(model));
    call->record().model = model.id;
    GenerateRequest request;
    read_generation(fields, model, request);
    ChatEncoder::Options options = read_encoding(fields, request);
    int64_t tokens_max = fields.integer("max_tokens", -1, 0, INT64_MAX);
    request.tokens_max = fields.integer("max_completion_tokens", tokens_max, 0, INT64_MAX);
    request.tokens = TRY(chat_prompt(fields, model, call->record(), call->log().options().prompts));
    TRY(check_length(model, request.tokens, "messages"));
    std::vector<GenerateRequest> requests;
    requests.push_back(std::move(request));
    Answer::start(call, model, std::move(requests), std::make_unique<ChatEncoder>(model, options));
    return {};
}

}  // namespace godwit::api
