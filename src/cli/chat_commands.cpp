#include "cli/chat_commands.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "cli/common.hpp"
#include "cli/sampling_flags.hpp"

namespace godwit {
namespace {

using Kind = ChatCommand::Kind;

enum class Argument { None, Needed, Optional };

struct CommandName {
    const char* name;
    Kind kind;
    Argument argument;
    const char* shown;  // as /help has it; empty: another name of the one before
    const char* help;
};

constexpr CommandName kCommands[] = {
    {"/stats", Kind::Stats, Argument::None, "/stats", "context, speed, memory and sampling (also /show)"},
    {"/show", Kind::Stats, Argument::None, "", ""},
    {"/set", Kind::Set, Argument::Needed, "/set NAME VALUE",
     "of the answers to come: temperature, top-k, top-p, min-p, seed, tokens, …"},
    {"/system", Kind::System, Argument::Optional, "/system TEXT",
     "sets the system prompt; \"\" removes it; without TEXT: shows it"},
    {"/file", Kind::File, Argument::Needed, "/file PATH", "a text file goes along with the next message"},
    {"/regen", Kind::Regenerate, Argument::None, "/regen", "answers the last message again"},
    {"/reset", Kind::Reset, Argument::None, "/reset",
     "begins a new conversation; the system prompt stays (also /clear)"},
    {"/clear", Kind::Reset, Argument::None, "", ""},
    {"/save", Kind::Save, Argument::Needed, "/save PATH", "writes the conversation, as JSON"},
    {"/load", Kind::Load, Argument::Needed, "/load PATH", "goes on with a saved conversation"},
    {"/help", Kind::Help, Argument::None, "/help", "this list (also /?)"},
    {"/?", Kind::Help, Argument::None, "", ""},
    {"/exit", Kind::Exit, Argument::None, "/exit", "leaves (also /quit, /bye, exit and Ctrl-D)"},
    {"/quit", Kind::Exit, Argument::None, "", ""},
    {"/bye", Kind::Exit, Argument::None, "", ""},
};

constexpr const char* kKeys =
    "  \"\"\"             begins a message of several lines, and ends it\n"
    "  \\ + Enter       the message goes on in the next line\n"
    "  Ctrl-C          stops the answer; at the prompt gives up the line\n"
    "  Up, Ctrl-R      earlier messages; searches them\n"
    "A message that begins with / needs a blank before it.\n";

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n";
    size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
    return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

/// Such a command is never suggested.
bool loses_something(Kind kind) { return kind == Kind::Reset || kind == Kind::Load || kind == Kind::Exit; }

/// "temperature 0.5", "--top-k 40", "top_k=40": an option of `godwit run` that may change between answers.
Result<std::string> set(const std::string& argument, Chat& chat) {
    const size_t end = std::min(argument.find_first_of(" \t="), argument.size());
    std::string name = argument.substr(0, end);
    const std::string value(trimmed(std::string_view(argument).substr(std::min(end + 1, argument.size()))));
    std::replace(name.begin(), name.end(), '_', '-');
    name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
    if (name.empty() || value.empty()) return error("/set: NAME and VALUE must follow, like /set temperature 0.5");
    SamplingFlags flags;
    GenerateRequest& request = chat.request();
    Command options{.name = "/set", .purpose = ""};
    options.listed = "temperature, top-k, top-p, min-p, the penalties, seed and tokens can be set";
    flags.add_to(options);
    options.add({.name = "--seed", .value = "N", .target = &request.sampling.seed});
    options.add({.name = "--tokens", .value = "N", .target = &request.tokens_max, .min = 0, .max = kTokensMax});
    TRY(options.parse({fmt::format("--{}={}", name, value)}));
    flags.apply(request.sampling);
    return fmt::format("{} is {}\n", name, value);
}

std::string help() {
    std::string text;
    for (const CommandName& command : kCommands)
        if (*command.shown != '\0') text += fmt::format("  {:<15} {}\n", command.shown, command.help);
    return text + kKeys;
}

std::string home_expanded(const std::string& path) {
    const char* home = std::getenv("HOME");
    return path.starts_with("~/") && home != nullptr ? home + path.substr(1) : path;
}

Result<Json> read_conversation(const std::string& path) {
    const std::string text = TRY(read_text(path));
    Result<Json> parsed = parse_json(text);
    if (!parsed.ok()) return error("{}: {}", printable(path, 500), parsed.error().message);
    Json& conversation = parsed.value();
    if (!conversation.is_object() || !conversation.contains("messages"))
        return error("{}: not a conversation (an object with \"messages\")", printable(path, 500));
    return conversation["messages"];
}

std::string count(size_t messages) { return fmt::format("{} message{}", messages, messages == 1 ? "" : "s"); }

Result<std::string> save(const std::string& path, const Chat& chat) {
    struct stat status{};
    bool exists = ::stat(path.c_str(), &status) == 0;
    if (exists && !read_conversation(path).ok())
        return error("{}: this file exists, and is no conversation", printable(path, 500));
    OutputFile file = TRY(OutputFile::create(path));
    Json conversation = {{"messages", chat.messages()}};
    file.write(conversation.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    TRY(file.finish());
    return fmt::format("{} saved to {}\n", count(chat.messages().size()), printable(path, 500));
}

Result<std::string> load(const std::string& path, Chat& chat) {
    Json messages = TRY(read_conversation(path));
    if (!messages.is_array() || messages.empty()) return error("{}: messages: there are none", printable(path, 500));
    Result<void> set = chat.set_messages(std::move(messages));
    if (!set.ok()) return error("{}: {}", printable(path, 500), set.error().message);
    return fmt::format("{} loaded, {} of {} tokens\n", count(chat.messages().size()), chat.used(), chat.context());
}

Result<std::string> attach(const std::string& path, Chat& chat) {
    TextFile file = TRY(TextFile::read(path));
    std::string told =
        fmt::format("{} ({}) goes along with the next message\n", file.name, human_bytes(file.text.size()));
    chat.attach(std::move(file));
    return told;
}

std::string system(const std::string& text, Chat& chat) {
    if (!text.empty()) {
        chat.set_system(text == "\"\"" ? "" : text);
        return text == "\"\"" ? "no system prompt\n" : "system prompt set\n";
    }
    const std::string now = chat.system();
    return now.empty() ? "no system prompt\n" : printable(now, 4000) + "\n";
}

std::string stats(const Chat& chat, const std::string& title) {
    const MemoryPlan memory = chat.engine().memory();
    const SamplingParams& sampling = chat.sampling();
    std::string text = title + "\n";
    text +=
        fmt::format("  context   {} of {} tokens, {}\n", chat.used(), chat.context(), count(chat.messages().size()));
    if (chat.last()) text += fmt::format("  last      {}\n", chat.last()->summary());
    text += fmt::format("  memory    {}: weights {}, cache {}\n", human_bytes(memory.total()),
                        human_bytes(memory.weights), human_bytes(memory.kv));
    text +=
        fmt::format("  sampling  temperature {}, top-k {}, top-p {}, min-p {}, repetition {}\n", sampling.temperature,
                    sampling.top_k, sampling.top_p, sampling.min_p, sampling.repetition_penalty);
    return text;
}

}  // namespace

Result<ChatCommand> ChatCommand::parse(std::string_view line) {
    line = trimmed(line);
    size_t end = std::min(line.find_first_of(" \t\n"), line.size());
    std::string_view name = line.substr(0, end), argument = trimmed(line.substr(end));
    auto* found = std::find_if(std::begin(kCommands), std::end(kCommands),
                               [&](const CommandName& command) { return command.name == name; });
    if (found == std::end(kCommands)) {
        std::vector<std::string_view> names;
        for (const CommandName& command : kCommands)
            if (!loses_something(command.kind)) names.emplace_back(command.name);
        std::string_view near = nearest(name, names);
        return error("{}: no such command ({})", printable(name, 40),
                     near.empty() ? "/help lists them; a message needs a blank before the /"
                                  : fmt::format("did you mean {}? /help lists all", near));
    }
    if (found->argument == Argument::None && !argument.empty()) return error("{}: takes no argument", name);
    if (found->argument == Argument::Needed && argument.empty())
        return error("{}: what follows is missing ({})", name, found->shown);
    return ChatCommand{found->kind, std::string(argument)};
}

Result<std::string> perform(const ChatCommand& command, Chat& chat, const std::string& title) {
    const std::string path = home_expanded(command.argument);
    switch (command.kind) {
        case Kind::Stats:
            return stats(chat, title);
        case Kind::System:
            return system(command.argument, chat);
        case Kind::Set:
            return set(command.argument, chat);
        case Kind::File:
            return attach(path, chat);
        case Kind::Save:
            return save(path, chat);
        case Kind::Load:
            return load(path, chat);
        case Kind::Help:
            return help();
        case Kind::Reset:
            chat.reset();
            return std::string("a new conversation begins\n");
        case Kind::Regenerate:
        case Kind::Exit:
            break;
    }
    return std::string();
}

}  // namespace godwit
