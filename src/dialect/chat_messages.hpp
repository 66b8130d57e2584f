// The messages of a request, checked and put into the form that a chat template wants.
#pragma once

#include <string>

#include "base/result.hpp"
#include "text/json.hpp"

namespace godwit {

/// What templates differ in.
struct MessageForm {
    bool content_is_list = false;     // [{"type": "text", "text": …}] where most want a string
    bool knows_developer = false;     // the role; otherwise its messages are the system's
    bool no_content_is_null = false;  // of an assistant's message that only calls tools; otherwise it is ""
    bool arguments_are_text = false;  // of a tool call; otherwise an object
};

struct ChatMessages {
    Json messages = Json::array();
    /// "messages[1].tool_calls[0].function.arguments" that are no JSON object and stayed a string where the template
    /// wants objects.
    std::string unparsed_arguments;
};

/// Errors name the field: "messages[2].content: must be …". As Hugging Face's, members that are null are left out and
/// reasoning goes by the names reasoning_content and thinking.
Result<ChatMessages> prepare_messages(const Json& messages, const MessageForm& form);

}  // namespace godwit
