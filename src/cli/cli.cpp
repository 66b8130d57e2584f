#include "cli/cli.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>

#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/version.hpp"
#include "cli/common.hpp"
#include "text/json.hpp"

namespace godwit {
namespace {

constexpr Command (*kCommands[])() = {run_command,    serve_command,     bench_command,      doctor_command,
                                      pull_command,   list_command,      rm_command,         inspect_command,
                                      plan_command,   tokenize_command,  detokenize_command, render_command,
                                      logits_command, perplexity_command};

std::string help(const std::vector<Command>& commands) {
    std::string page =
        "Godwit runs language models on this machine.\n\n"
        "Usage: godwit COMMAND …\n\n";
    for (const Command& command : commands) page += help_row(fmt::format("  {}", command.name), command.purpose, 14);
    return page +
           "\n"
           "  -h, --help  of a command: what it takes\n"
           "  -V, --version\n"
           "\n"
           "Examples\n"
           "  godwit run model.gguf\n"
           "  godwit run model.gguf -p 'Why is the sky blue?'\n"
           "  godwit serve model.gguf\n"
           "  godwit inspect --help\n";
}

/// The action, with what the standard library throws (memory, threads, output through fmt) as an Error, and output that
/// got lost as one.
Result<int> perform(const Command& command) {
    try {
        int status = TRY(command.action());
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
            return error("standard output: cannot write: {}", std::strerror(errno));
        return status;
    } catch (const std::bad_alloc&) {
        return error("out of memory");
    } catch (const std::system_error& failure) {
        return error("{}", failure.what());
    }
}

/// Names in the message come from outside: still one line, and nothing that drives the terminal.
int fail(int status, const std::string& where, const Error& failure) {
    std::fprintf(stderr, "%s: %s\n", where.c_str(), printable(failure.message, 4000).c_str());
    return status;
}

int execute(Command& command, const std::vector<std::string>& arguments) {
    const Result<void> parsed = command.parse(arguments);
    const Result<int> result = parsed.ok() ? perform(command) : parsed.error();
    if (result.ok()) return result.value();
    const bool as_json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
    if (as_json && command.find("--json") != nullptr) print_json({{"error", result.error().message}});
    return parsed.ok() ? fail(1, "godwit", result.error()) : fail(2, "godwit " + command.name, result.error());
}

}  // namespace

int run_cli(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + std::max(argc, 1));
    std::vector<Command> commands;
    for (auto* make : kCommands) commands.push_back(make());
    auto asks = [&](const char* brief, const char* name) {
        auto options_end = std::find(arguments.begin(), arguments.end(), "--");
        return std::any_of(arguments.begin(), options_end,
                           [&](const auto& text) { return text == brief || text == name; });
    };
    auto is_named = [&](const Command& each) { return !arguments.empty() && each.name == arguments.front(); };
    const auto command = std::find_if(commands.begin(), commands.end(), is_named);
    if (asks("-h", "--help")) {
        const std::string page = command == commands.end() ? help(commands) : command->help();
        return std::fputs(page.c_str(), stdout) < 0 || std::fflush(stdout) != 0;
    }
    if (asks("-V", "--version")) {
        const std::string line = fmt::format("godwit {}\n", version());
        return std::fputs(line.c_str(), stdout) < 0 || std::fflush(stdout) != 0;
    }
    if (command != commands.end()) return execute(*command, {arguments.begin() + 1, arguments.end()});
    if (arguments.empty()) {
        std::fputs(help(commands).c_str(), stderr);
        return 2;
    }
    std::vector<std::string_view> names;
    for (const Command& each : commands) names.push_back(each.name);
    const std::string_view near = nearest(arguments.front(), names);
    return fail(2, "godwit",
                error("there is no {} '{}' ({})", arguments.front().starts_with('-') ? "option" : "command",
                      printable(arguments.front()),
                      near.empty() ? "godwit --help lists them" : fmt::format("did you mean {}?", near)));
}

}  // namespace godwit
