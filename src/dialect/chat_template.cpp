#include "dialect/chat_template.hpp"

#include <algorithm>

#include "base/printable.hpp"

namespace godwit {
namespace {

const Json kNone;

void add(Json& object, const std::string& key, Json value) {
    object.get_ref<Json::object_t&>().push_back(Json::object_t::value_type(key, std::move(value)));
}

/// The variables of a template, as transformers' apply_chat_template names them.
Json make_context(const Json& special_tokens, Json messages, const Json& tools, bool add_generation_prompt) {
    Json context = special_tokens;
    add(context, "messages", std::move(messages));
    add(context, "tools", tools.empty() ? kNone : tools);
    add(context, "add_generation_prompt", add_generation_prompt);
    return context;
}

/// What a request adds must not take the place of what is there, least of all of special tokens.
ChatResult<void> add_extra(Json& context, const Json& extra) {
    if (!extra.is_object()) return ChatError("chat_template_kwargs", "must be an object");
    const RenderOptions options;
    const auto& own = options.template_members;
    for (const auto& [key, value] : extra.items()) {
        const bool taken = key == "messages" || key == "tools" || key == "add_generation_prompt";
        if (taken || std::find(own.begin(), own.end(), key) != own.end())
            return ChatError("chat_template_kwargs." + printable(key), "cannot be set here");
        add(context, key, value);
    }
    if (!extra.contains("documents")) add(context, "documents", kNone);
    return {};
}

ChatResult<void> check_tools(const Json& tools) {
    if (!tools.is_array()) return ChatError("tools", "must be an array");
    for (size_t i = 0; i < tools.size(); ++i)
        if (!tools[i].is_object()) return ChatError(fmt::format("tools[{}]", i), "must be an object");
    return {};
}

// ---- Which form a template wants
// -------------------------------------------------------------------------------------------------------

constexpr std::string_view kMarker = "gdwtprobe";

/// No template of a model needs a thousandth of it for so small a conversation.
RenderOptions probe_options() {
    RenderOptions options;
    options.limits = {.steps = 100'000, .output_bytes = size_t{1} << 20, .memory_bytes = size_t{8} << 20};
    return options;
}

Json user_message(Json content) { return {{"role", "user"}, {"content", std::move(content)}}; }

Json probe_tools() {
    return Json::parse(
        R"([{"type": "function", "function": {"name": "get_weather", "description": "The weather of a city.", "parameters":
        {"type": "object", "properties": {"city": {"type": "string", "description": "Its name."}}, "required": ["city"]}}}])");
}

/// A call of a tool and its result. The id is one that all templates take (Mistral's want nine letters or digits).
Json probe_calls(Json content, Json arguments) {
    const Json function = {{"name", "get_weather"}, {"arguments", std::move(arguments)}};
    const Json call = {{"id", "call12345"}, {"type", "function"}, {"function", function}};
    return {user_message("a"),
            {{"role", "assistant"}, {"content", std::move(content)}, {"tool_calls", Json::array({call})}},
            {{"role", "tool"}, {"tool_call_id", "call12345"}, {"name", "get_weather"}, {"content", "b"}}};
}

/// The marker is there, and not in quotes as within a list or an object that was printed as Python prints it.
bool shows_marker(const Result<Rendered>& rendered) {
    if (!rendered.ok()) return false;
    const std::string& text = rendered.value().text;
    const size_t at = text.find(kMarker);
    if (at == std::string::npos) return false;
    const char before = at > 0 ? text[at - 1] : ' ',
               after = at + kMarker.size() < text.size() ? text[at + kMarker.size()] : ' ';
    return !(before == '\'' && after == '\'');
}

/// A value that was none was printed: "None", or "null".
bool shows_none(const Rendered& rendered) {
    return std::any_of(rendered.segments.begin(), rendered.segments.end(), [&](const Segment& segment) {
        const auto text = std::string_view(rendered.text).substr(segment.begin, segment.end - segment.begin);
        return segment.origin == Origin::Value && (text.find("None") != text.npos || text.find("null") != text.npos);
    });
}

class Probe {
public:
    Probe(const Template& compiled, const Json& special_tokens)
        : compiled_(compiled), special_tokens_(special_tokens) {}

    Result<Rendered> render(Json messages, const Json& tools) const {
        Json context = make_context(special_tokens_, std::move(messages), tools, true);
        add(context, "documents", kNone);
        return compiled_.render(context, probe_options());
    }

    /// How the content of a user's message is written; or why the template renders none.
    Result<void> find_content(MessageForm& form) const {
        const Json text = Json::array({user_message(kMarker)});
        const Json list = Json::array({user_message(Json::array({{{"type", "text"}, {"text", kMarker}}}))});
        bool renders = false;
        std::string fault;
        for (const Json& tools : {kNone, probe_tools()}) {  // a few render nothing without tools
            auto rendered = render(text, tools);
            if (shows_marker(rendered)) return done();
            form.content_is_list = shows_marker(render(list, tools));
            if (form.content_is_list) return done();
            renders |= rendered.ok();
            if (!rendered.ok()) fault = std::move(rendered).error().message;
        }
        if (!renders) return Error{fault};
        return done();  // it does not care for what the user says
    }

    /// In the order of preference; a template that shows no calls, or fails on all, gets the usual form.
    void find_calls(MessageForm& form) const {
        const Json object = {{kMarker, "c"}}, empty = form.content_is_list ? Json::array() : Json("");
        for (bool text : {false, true}) {
            for (bool null : {true, false}) {
                auto rendered =
                    render(probe_calls(null ? kNone : empty, text ? Json(json_text(object)) : object), probe_tools());
                if (!shows_marker(rendered) || (null && shows_none(rendered.value()))) continue;
                form.no_content_is_null = null;
                form.arguments_are_text = text;
                return;
            }
        }
    }

private:
    const Template& compiled_;
    const Json& special_tokens_;
};

// ---- Continuing the last message
// -------------------------------------------------------------------------------------------------------

/// Written behind the content and looked for in the prompt, as transformers does. The space shows whether the template
/// strips contents.
constexpr std::string_view kTag = "GODWIT_GOES_ON_HERE ";

ChatResult<void> tag_final_message(Json& messages) {
    Json& last = messages.back();
    const std::string where = fmt::format("messages[{}]", messages.size() - 1);
    if (last["role"] != "assistant")
        return ChatError(where + ".role", "only a message of the assistant can be continued");
    if (last.contains("tool_calls"))
        return ChatError(where + ".tool_calls", "a message with calls cannot be continued");
    Json& content = last["content"];
    if (content.is_null() || (content.is_array() && content.empty()))
        return ChatError(where + ".content", "missing, there is nothing to continue");
    Json& text = content.is_array() ? content.back()["text"] : content;
    text.get_ref<std::string&>() += kTag;
    return {};
}

/// Where the content ends. White space before it goes if the template strips contents, but only the content's own.
size_t content_end(const Rendered& rendered, size_t tag) {
    const auto segment =
        std::find_if(rendered.segments.begin(), rendered.segments.end(), [&](const Segment& s) { return tag < s.end; });
    size_t end = tag;
    if (rendered.text.compare(tag, kTag.size(), kTag) == 0) return end;
    while (end > segment->begin &&
           std::string_view(" \t\r\n\v\f").find(rendered.text[end - 1]) != std::string_view::npos)
        --end;
    return end;
}

ChatResult<void> cut_at_tag(Rendered& rendered, size_t index) {
    const size_t tag = rendered.text.rfind(kTag.substr(0, kTag.size() - 1));
    if (tag == std::string::npos)
        return ChatError(fmt::format("messages[{}].content", index),
                         "the template leaves it out, it cannot be continued");
    const size_t end = content_end(rendered, tag);
    rendered.text.resize(end);
    std::erase_if(rendered.segments, [&](const Segment& segment) { return segment.begin >= end; });
    if (!rendered.segments.empty()) rendered.segments.back().end = end;
    return {};
}

}  // namespace

Result<ChatTemplate::Variant> ChatTemplate::make_variant(const std::string& source, const Json& special_tokens) {
    Variant variant{TRY(Template::compile(source)), {}};
    variant.form.knows_developer = source.find("developer") != std::string::npos;
    const Probe probe(variant.compiled, special_tokens);
    TRY(probe.find_content(variant.form));
    probe.find_calls(variant.form);
    return variant;
}

Result<ChatTemplate> ChatTemplate::make(const ChatTemplateSources& sources) {
    auto main = make_variant(sources.text, sources.special_tokens);
    if (!main.ok()) return error("{}: {}", sources.key, main.error().message);
    std::optional<Variant> tool_use;
    for (const auto& [name, source] : sources.named) {
        if (name != "tool_use") continue;
        auto made = make_variant(source, sources.special_tokens);
        if (!made.ok()) return error("{}.{}: {}", sources.key, name, made.error().message);
        tool_use = std::move(made).take();
    }
    return ChatTemplate(std::move(main).take(), std::move(tool_use), sources.special_tokens);
}

ChatResult<Rendered> ChatTemplate::render(const Conversation& conversation) const {
    TRY(check_tools(conversation.tools));
    const Variant& variant = tool_use_ && !conversation.tools.empty() ? *tool_use_ : main_;
    ChatMessages prepared = TRY(prepare_messages(conversation.messages, variant.form));
    const bool continues = conversation.continue_final_message;
    if (continues) TRY(tag_final_message(prepared.messages));
    Json context = make_context(special_tokens_, std::move(prepared.messages), conversation.tools,
                                conversation.add_generation_prompt && !continues);
    TRY(add_extra(context, conversation.extra));
    auto rendered = variant.compiled.render(context, {});
    if (!rendered.ok() && !prepared.unparsed_arguments.empty())
        return ChatError(std::move(prepared.unparsed_arguments), "must be the text of a JSON object");
    if (!rendered.ok()) return ChatError(error("chat {}", printable(rendered.error().message, 400)));
    if (continues) TRY(cut_at_tag(rendered.value(), conversation.messages.size() - 1));
    return std::move(rendered).take();
}

}  // namespace godwit
