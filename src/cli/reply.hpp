// One answer, printed as it comes, and what it took.
#pragma once

#include <optional>
#include <string>

#include "godwit/engine.hpp"

namespace godwit {

struct Reply {
    std::string text;
    Event end;                                        // the Finish event
    double prompt_seconds = 0, generate_seconds = 0;  // to the first token; from there to the end

    /// Tokens per second; none where too few were made to tell. The first token of an answer comes with the prompt.
    std::optional<double> prompt_rate() const;
    std::optional<double> generate_rate() const;
    /// "prompt 30 tokens, 812.0 tokens/s; answer 40 tokens, 98.2 tokens/s"
    std::string summary() const;
};

/// Writes the only answer of `generation` to standard output as it comes, followed by a newline. On a terminal as
/// TerminalText shows it: a model must not drive the terminal.
/// While a long prompt is read, a line on stderr says how far `engine` is, where that is a terminal.
Reply print_reply(Generation& generation, const Engine& engine);

/// Cancels the answer that print_reply() is at, if it is at one. May be called in a signal handler.
void interrupt_reply();

}  // namespace godwit
