// The messages of a request, checked and put into the form that a chat template wants.
#pragma once

#include <string>
#include <string_view>

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

/// Why a conversation cannot be rendered. The message begins with the field, but for those of a template itself: they
/// are about all messages.
struct ChatError : Error {
    std::string field;  // "messages[2].content", "tools[0]", "chat_template_kwargs.tools"

    ChatError(std::string field_, std::string_view problem)
        : Error(godwit::error("{}: {}", field_, problem)), field(std::move(field_)) {}
    /// Of a template.
    explicit ChatError(Error error) : Error(std::move(error)), field("messages") {}
};

template <class T>
using ChatResult = Result<T, ChatError>;

struct ChatMessages {
    Json messages = Json::array();
    /// "messages[1].tool_calls[0].function.arguments" that are no JSON object and stayed a string where the template
    /// wants objects.
    std::string unparsed_arguments;
};

/// As Hugging Face's, members that are null are left out and
/// reasoning goes by the names reasoning_content and thinking.
ChatResult<ChatMessages> prepare_messages(const Json& messages, const MessageForm& form);

}  // namespace godwit
