#include "cli/cli.hpp"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>

#include "base/printable.hpp"
#include "base/version.hpp"

namespace godwit {
namespace {

/// The action, with what the standard library throws (memory, threads, output through fmt) as an Error, and output that
/// got lost as one.
Result<int> perform(const Action& action) {
    try {
        int status = TRY(action());
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
            return error("standard output: cannot write: {}", std::strerror(errno));
        return status;
    } catch (const std::bad_alloc&) {
        return error("out of memory");
    } catch (const std::system_error& failure) {
        return error("{}", failure.what());
    }
}

}  // namespace

int run_cli(int argc, char** argv) {
    CLI::App app{"Godwit runs language models on this machine.", "godwit"};
    app.set_version_flag("--version", fmt::format("godwit {}", version()));
    app.require_subcommand(1);
    app.footer(
        "Examples:\n"
        "  godwit run model.gguf\n"
        "  godwit run model.gguf -p 'Why is the sky blue?'\n"
        "  godwit inspect model.gguf --tensors\n"
        "  godwit COMMAND --help");
    Action action;
    add_run(app, action);
    add_serve(app, action);
    add_bench(app, action);
    add_doctor(app, action);
    add_pull(app, action);
    add_list(app, action);
    add_rm(app, action);
    add_inspect(app, action);
    add_plan(app, action);
    add_tokenize(app, action);
    add_detokenize(app, action);
    add_render(app, action);
    add_logits(app, action);
    add_perplexity(app, action);
    auto is_first = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
    if (argc > 1 && argv[1][0] != '-' &&
        app.get_subcommands(is_first).empty()) {  // CLI11 would say that a command is missing
        std::fprintf(stderr, "godwit: there is no command '%s' (godwit --help lists them)\n",
                     printable(argv[1]).c_str());
        return 2;
    }
    try {  // CLI11 reports by exceptions; they end here
        app.parse(argc, argv);
    } catch (const CLI::ParseError& parse_error) {
        return app.exit(parse_error) == 0 ? 0 : 2;
    }
    Result<int> result = perform(action);
    if (result.ok()) return result.value();
    // Names in it come from outside: still one line, and nothing that drives the terminal.
    std::fprintf(stderr, "godwit: %s\n", printable(result.error().message, 4000).c_str());
    return 1;
}

}  // namespace godwit
