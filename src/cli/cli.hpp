// The command line: `godwit COMMAND MODEL …`. One file a command; this one only chooses.
#pragma once

#include "cli/command.hpp"

namespace godwit {

/// Parses, runs the command, prints an error as one line on stderr (and, with --json, as {"error"} on stdout). Returns
/// the exit status: 0, 1 (it failed), 2 (bad usage), 130 (ended by Ctrl-C).
int run_cli(int argc, char** argv);

Command inspect_command();
Command plan_command();
Command tokenize_command();
Command detokenize_command();
Command render_command();
Command logits_command();
Command perplexity_command();
Command run_command();
Command serve_command();
Command bench_command();
Command pull_command();
Command list_command();
Command rm_command();
Command doctor_command();

}  // namespace godwit
