// The commands of the chat: a line that begins with /.
#pragma once

#include <string>
#include <string_view>

#include "cli/chat.hpp"

namespace godwit {

/// What to do with a line. `argument`: what follows the command's name, without blanks around it.
struct ChatCommand {
    enum class Kind { Stats, Set, Reset, System, File, Regenerate, Save, Load, Help, Exit } kind;
    std::string argument;

    /// Error: no such command (with the nearest one that loses nothing), an argument too few or too many.
    static Result<ChatCommand> parse(std::string_view line);
};

/// Does all but Regenerate and Exit; what to tell the user, in whole lines. `title` as in chat_on_terminal().
Result<std::string> perform(const ChatCommand& command, Chat& chat, const std::string& title);

}  // namespace godwit
