// The command line: `godwit COMMAND MODEL …`. One file a command; this one only chooses.
#pragma once

#include <functional>

#include "base/result.hpp"

namespace CLI {
class App;
}

namespace godwit {

/// Parses, runs the command, prints an error as one line on stderr. Returns the exit status: 0, 1 (it failed), 2 (bad
/// usage), 130 (ended by Ctrl-C).
int run_cli(int argc, char** argv);

/// What parsing chose to do; returns the exit status.
using Action = std::function<Result<int>()>;

// Each adds its subcommand, which puts what it will do into `action`.
void add_inspect(CLI::App& app, Action& action);
void add_plan(CLI::App& app, Action& action);
void add_tokenize(CLI::App& app, Action& action);
void add_detokenize(CLI::App& app, Action& action);
void add_render(CLI::App& app, Action& action);
void add_logits(CLI::App& app, Action& action);
void add_perplexity(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_serve(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_pull(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);
void add_rm(CLI::App& app, Action& action);
void add_doctor(CLI::App& app, Action& action);

}  // namespace godwit
