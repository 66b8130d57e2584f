#include "cli/cli.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace godwit {

int run_cli(int argc, char** argv) {
    CLI::App app{"Godwit runs language models on this machine.", "godwit"};
    app.set_version_flag("--version", "godwit " GODWIT_VERSION);
    app.require_subcommand(1);
    app.footer(
        "Examples:\n"
        "  godwit run model.gguf --raw -p 'The capital of France is' -n 16\n"
        "  godwit inspect model.gguf --tensors\n"
        "  godwit COMMAND --help");
    Action action;
    add_run(app, action);
    add_bench(app, action);
    add_inspect(app, action);
    add_plan(app, action);
    add_tokenize(app, action);
    add_detokenize(app, action);
    add_logits(app, action);
    add_perplexity(app, action);
    try {  // CLI11 reports by exceptions; they end here
        app.parse(argc, argv);
    } catch (const CLI::ParseError& parse_error) {
        return app.exit(parse_error) == 0 ? 0 : 2;
    }
    Result<int> result = action();
    if (result.ok()) return result.value();
    std::fprintf(stderr, "godwit: %s\n", result.error().message.c_str());
    return 1;
}

}  // namespace godwit
