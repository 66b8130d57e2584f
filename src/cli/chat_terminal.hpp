// The chat on a terminal: reads messages and commands, until /exit.
#pragma once

#include <string>

#include "cli/chat.hpp"

namespace godwit {

/// Standard input and output are terminals. `title`: a line about the model and what runs it. Returns the exit status:
/// 0, or 130 when ended by Ctrl-C. Takes over SIGINT: it stops the answer in work, and nothing else.
int chat_on_terminal(Chat& chat, const std::string& title);

}  // namespace godwit
