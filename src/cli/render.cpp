// godwit render: what a chat template makes of messages, with the origin of every byte and the tokens; or of any
// context, alone.
#include <unistd.h>

#include "cli/cli.hpp"
#include "cli/common.hpp"
#include "dialect/chat_template.hpp"
#include "hub/resolve_model.hpp"
#include "model/model.hpp"
#include "model/read_vocabulary.hpp"

namespace godwit {
namespace {

struct RenderCommand {
    std::string model, template_file, messages, tools, context, now;
    bool json = false;
};

struct Prompt {
    Rendered rendered;
    std::vector<TokenId> tokens;
    bool has_tokens = false;
};

Result<Json> read_json(const std::string& path) {
    const std::string text = TRY(read_text(path));
    auto parsed = parse_json(text);
    if (!parsed.ok()) return error("{}: {}", path, parsed.error().message);
    return parsed;
}

/// Takes a member out of `object`.
Json take_member(Json& object, const char* name, Json otherwise) {
    const auto found = object.find(name);
    if (found == object.end()) return otherwise;
    Json value = std::move(*found);
    object.erase(found);
    return value;
}

Result<bool> take_flag(Json& object, const char* name, bool otherwise) {
    const Json value = take_member(object, name, otherwise);
    if (!value.is_boolean()) return error("--context: {} must be true or false", name);
    return value.get<bool>();
}

Result<Conversation> read_conversation(const RenderCommand& command, Json context) {
    Conversation conversation;
    conversation.messages = TRY(read_json(command.messages));
    if (conversation.messages.is_object())  // as the chat's /save writes it
        conversation.messages = take_member(conversation.messages, "messages", Json());
    if (!command.tools.empty()) conversation.tools = TRY(read_json(command.tools));
    conversation.add_generation_prompt = TRY(take_flag(context, "add_generation_prompt", true));
    conversation.continue_final_message = TRY(take_flag(context, "continue_final_message", false));
    conversation.extra = std::move(context);
    return conversation;
}

Result<Json> read_context(const RenderCommand& command) {
    if (command.context.empty()) return Json::object();
    Json context = TRY(read_json(command.context));
    if (!context.is_object()) return error("{}: must be an object", command.context);
    return context;
}

Result<Prompt> render_with_model(const RenderCommand& command) {
    const std::string path = TRY(resolve_model(command.model));
    const TokenizerFile loaded = TRY(load_tokenizer(path));
    const auto chat = TRY(read_chat_template(loaded.file.metadata(), *loaded.tokenizer));
    if (!chat) return error("{}: the model has no chat template (give one with --template)", command.model);
    Json context = TRY(read_context(command));
    const Conversation conversation = TRY(read_conversation(command, std::move(context)));
    Rendered rendered = TRY(chat->render(conversation));
    std::vector<TokenId> tokens = loaded.tokenizer->encode(rendered.text, rendered.segments);
    return Prompt{std::move(rendered), std::move(tokens), true};
}

/// Special tokens are members of the context here: there is no model to ask.
Result<Prompt> render_with_template(const RenderCommand& command) {
    ChatTemplateSources sources{.key = command.template_file, .text = TRY(read_text(command.template_file))};
    Json context = TRY(read_context(command));
    for (const std::string& name : RenderOptions{}.template_members) {
        Json value = take_member(context, name.c_str(), Json());
        if (!value.is_null()) sources.special_tokens[name] = std::move(value);
    }
    const ChatTemplate chat = TRY(ChatTemplate::make(sources));
    const Conversation conversation = TRY(read_conversation(command, std::move(context)));
    return Prompt{TRY(chat.render(conversation)), {}, false};
}

/// The engine by itself.
Result<Prompt> render_context(const RenderCommand& command) {
    RenderOptions options;
    if (!command.now.empty()) {
        options.now = std::tm{};
        const char* end = strptime(command.now.c_str(), "%Y-%m-%dT%H:%M:%S", &*options.now);
        if (end == nullptr || *end != '\0')
            return error("--now: '{}' is no time like 2024-07-26T13:05:09", command.now);
    }
    const std::string source = TRY(read_text(command.template_file));
    const Template compiled = TRY(Template::compile(source));
    const Json context = TRY(read_context(command));
    return Prompt{TRY(compiled.render(context, options)), {}, false};
}

Json to_json(const Prompt& prompt) {
    Json segments = Json::array();
    for (const Segment& segment : prompt.rendered.segments) {
        segments.push_back({{"text", prompt.rendered.text.substr(segment.begin, segment.end - segment.begin)},
                            {"origin", segment.origin == Origin::Template ? "template" : "value"}});
    }
    return {{"prompt", prompt.rendered.text}, {"segments", segments}, {"tokens", prompt.tokens}};
}

/// The prompt as it is; on a terminal the template's own text in cyan.
void print_prompt(const Prompt& prompt) {
    const bool colours = isatty(STDOUT_FILENO) != 0;
    for (const Segment& segment : prompt.rendered.segments) {
        const auto text = std::string_view(prompt.rendered.text).substr(segment.begin, segment.end - segment.begin);
        const bool coloured = colours && segment.origin == Origin::Template;
        fmt::print("{}{}{}", coloured ? "\033[36m" : "", text, coloured ? "\033[0m" : "");
    }
    if (colours) fmt::print("\n");
    if (prompt.has_tokens) fmt::print(stderr, "{} tokens\n", prompt.tokens.size());
}

Result<int> render(const RenderCommand& command) {
    const Prompt prompt = TRY(command.template_file.empty() ? render_with_model(command)
                              : command.messages.empty()    ? render_context(command)
                                                            : render_with_template(command));
    if (command.json) print_json(to_json(prompt));
    else print_prompt(prompt);
    return 0;
}

}  // namespace

Command render_command() {
    auto options = std::make_shared<RenderCommand>();
    Command command{.name = "render", .purpose = "messages to the prompt that the model sees"};
    command.add({.name = "MODEL", .target = &options->model, .help = kModelHelp, .needs = "--messages"});
    command.add({.name = "--messages",
                 .value = "FILE",
                 .target = &options->messages,
                 .help = "a file with the array of messages, or what /save wrote; - is standard input"});
    command.add({.name = "--tools",
                 .value = "FILE",
                 .target = &options->tools,
                 .help = "a file with the array of tools",
                 .needs = "--messages"});
    command.add({.name = "--template",
                 .value = "FILE",
                 .target = &options->template_file,
                 .help = "a file with a chat template, in place of a model",
                 .excludes = {"MODEL"}});
    command.add({.name = "--context",
                 .value = "FILE",
                 .target = &options->context,
                 .help = "a file with an object: more variables of the template"});
    command.add({.name = "--now",
                 .value = "TIME",
                 .target = &options->now,
                 .help = "the time that strftime_now sees, like 2024-07-26T13:05:09",
                 .needs = "--template",
                 .excludes = {"--messages"}});
    command.add({.name = "--json",
                 .target = &options->json,
                 .help = R"({"prompt", "segments":[{"text", "origin"}], "tokens"})"});
    command.one_of = {{"MODEL", "--template"}, {"--messages", "--context"}};
    command.notes =
        "Examples\n"
        "  godwit render model.gguf --messages chat.json\n"
        "  godwit render --template chat.jinja --messages chat.json\n"
        "  godwit render --template chat.jinja --context variables.json\n";
    command.action = [options] { return render(*options); };
    return command;
}

}  // namespace godwit
