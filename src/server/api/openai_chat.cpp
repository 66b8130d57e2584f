#include "server/api/openai_chat.hpp"

#include "model/chat_prompt.hpp"
#include "server/api/generation_fields.hpp"
#include "server/api/openai.hpp"
#include "server/api/token_text.hpp"

namespace godwit::api {
namespace {

constexpr size_t kToolsMax = 512;
constexpr size_t kTemplateMembersMax = 64;

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

/// More variables of the template: chat_template_kwargs, and what has a field of its own.
Json template_members(Fields& fields) {
    Json extra = Json::object();
    if (const Json* members = fields.object("chat_template_kwargs")) {
        if (members->size() > kTemplateMembersMax)
            fields.fail("chat_template_kwargs",
                        fmt::format("{} members (at most {})", members->size(), kTemplateMembersMax));
        extra = *members;
    }
    if (const Json* documents = fields.array("documents")) extra["documents"] = *documents;
    if (fields.has("reasoning_effort")) extra["reasoning_effort"] = fields.text("reasoning_effort", "");
    return extra;
}

Conversation read_conversation(Fields& fields) {
    Conversation conversation;
    if (const Json* messages = fields.array("messages")) conversation.messages = *messages;
    else fields.fail("messages", "it is missing");
    Json tools = function_tools(fields);
    if (!chooses_no_tool(fields, "tool_choice")) conversation.tools = std::move(tools);
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

    ChatEncoder(const RequestContext& context, const Options& options)
        : tokenizer_(*context.engine.model().tokenizer),
          head_("chatcmpl-", context.model),
          options_(options),
          answers_(options.choices) {}

    bool streams() const override { return options_.stream; }

    std::string begin() override {
        std::string parts;
        for (int32_t i = 0; i < options_.choices; ++i)
            parts += chunk(i, {{"role", "assistant"}, {"content", ""}}, nullptr, nullptr);
        return parts;
    }

    std::string event(size_t, const Event& event) override {
        Json logprobs = nullptr;
        if (options_.logprobs && event.token >= 0)
            logprobs = {{"content", Json::array({logprob(event)})}, {"refusal", nullptr}};
        if (options_.stream) return parts(event, std::move(logprobs));
        Whole& whole = answers_[event.choice];
        whole.text += event.text;
        if (!logprobs.is_null()) whole.logprobs.push_back(std::move(logprobs["content"][0]));
        if (event.kind == Event::Kind::Finish) whole.finish = openai::finish_name(event.reason);
        return "";
    }

    std::string end(const Usage& usage) override {
        return openai::stream_end(head_.json("chat.completion.chunk"), options_.include_usage ? &usage : nullptr);
    }

    Json whole(const Usage& usage) override {
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
        Json whole = head_.json("chat.completion");
        whole["choices"] = std::move(choices);
        whole["usage"] = openai::usage_json(usage);
        return whole;
    }

    Json error(const ApiError& error) const override { return openai::error_json(error); }

private:
    struct Whole {
        std::string text, finish;
        Json logprobs = Json::array();
    };

    /// The end token is no part of the answer's text, so its entry has none.
    Json logprob(const Event& event) const {
        auto named = [&](TokenId token, float logprob) {
            bool is_end = event.kind == Event::Kind::Finish && token == event.token;
            return token_logprob(is_end ? "" : tokenizer_.bytes(token, true), logprob);
        };
        Json entry = named(event.token, event.logprob);
        entry["top_logprobs"] = Json::array();
        for (const TokenLogprob& top : event.top) entry["top_logprobs"].push_back(named(top.token, top.logprob));
        return entry;
    }

    std::string chunk(int32_t choice, Json delta, Json logprobs, Json finish) const {
        Json chunk = head_.json("chat.completion.chunk");
        Json only = {{"index", choice},
                     {"delta", std::move(delta)},
                     {"logprobs", std::move(logprobs)},
                     {"finish_reason", std::move(finish)}};
        chunk["choices"] =
            Json::array({std::move(only)});  // braces alone would mean an array to one compiler and a copy to another
        if (options_.include_usage) chunk["usage"] = nullptr;
        return sse(chunk);
    }

    std::string parts(const Event& event, Json logprobs) const {
        std::string parts;
        if (!event.text.empty() || !logprobs.is_null())
            parts += chunk(event.choice, {{"content", event.text}}, std::move(logprobs), nullptr);
        if (event.kind == Event::Kind::Finish)
            parts += chunk(event.choice, Json::object(), nullptr, openai::finish_name(event.reason));
        return parts;
    }

    const Tokenizer& tokenizer_;
    const openai::AnswerHead head_;
    const Options options_;
    std::vector<Whole> answers_;
};

ChatEncoder::Options read_encoding(Fields& fields, GenerateRequest& request) {
    ChatEncoder::Options options{
        .stream = fields.flag("stream", false), .include_usage = wants_usage(fields), .choices = request.choices};
    options.logprobs = fields.flag("logprobs", false);
    auto top = static_cast<int32_t>(fields.integer("top_logprobs", 0, 0, openai::kLogprobsMax));
    if (top > 0 && !options.logprobs) fields.fail("top_logprobs", "it needs logprobs: true");
    request.sampling.top_logprobs = options.logprobs ? top : -1;
    return options;
}

}  // namespace

ApiResult<std::vector<TokenId>> read_chat_prompt(Fields& fields, const Model& model) {
    Conversation conversation = read_conversation(fields);
    TRY(fields.check());
    ChatResult<std::vector<TokenId>> tokens = chat_prompt(model, conversation);
    if (!tokens.ok()) return ApiError(400, tokens.error().message).about(tokens.error().field);
    return std::move(tokens).take();
}

ApiResult<TextRequest> read_chat(Fields& fields, const RequestContext& context) {
    GenerateRequest request = read_generation(fields, context);
    ChatEncoder::Options options = read_encoding(fields, request);
    request.tokens = TRY(read_chat_prompt(fields, context.engine.model()));
    TRY(check_length(context.engine, request.tokens, "messages"));
    TextRequest read;
    read.prompts.push_back(std::move(request));
    read.encoder = std::make_unique<ChatEncoder>(context, options);
    return read;
}

}  // namespace godwit::api
