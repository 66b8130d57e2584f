// A model's chat template: from a conversation to the prompt, with the origin of every byte.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "dialect/chat_messages.hpp"
#include "template/template.hpp"
#include "text/json.hpp"

namespace godwit {

/// What a model file says of its templates.
struct ChatTemplateSources {
    std::string key = "chat template";  // the name in errors of make(): where `text` was found
    std::string text;                   // tokenizer.chat_template
    std::vector<std::pair<std::string, std::string>>
        named;                             // tokenizer.chat_template.NAME; of these "tool_use" is used, with tools
    Json special_tokens = Json::object();  // bos_token, eos_token, …: members of the context, the template's own text
};

/// A conversation as the OpenAI API spells it.
struct Conversation {
    Json messages = Json::array();
    Json tools = Json::array();           // none: the template sees none
    bool add_generation_prompt = true;    // the head of the answer at the end
    bool continue_final_message = false;  // instead: the last message, the assistant's, is the beginning of the answer
    Json extra = Json::object();          // chat_template_kwargs and documents: more members of the context
};

/// Immutable: any thread may render.
class ChatTemplate {
public:
    /// Compiles, and renders small conversations to find the form that the template wants, within a small budget
    /// (invariant I4: what can render nothing is refused here). Errors: "KEY: template line 3: …".
    static Result<ChatTemplate> make(const ChatTemplateSources& sources);

    /// The context is that of Hugging Face's apply_chat_template. Content given as text parts becomes one string, lines
    /// between them, or the other way round, as the template wants it; arguments of tool calls become objects. Errors:
    /// a member of the conversation, or the template's own ("chat template line 3: …").
    ChatResult<Rendered> render(const Conversation& conversation) const;

private:
    struct Variant {
        Template compiled;
        MessageForm form;
    };
    ChatTemplate(Variant main, std::optional<Variant> tool_use, Json special_tokens)
        : main_(std::move(main)), tool_use_(std::move(tool_use)), special_tokens_(std::move(special_tokens)) {}

    static Result<Variant> make_variant(const std::string& source, const Json& special_tokens);

    Variant main_;
    std::optional<Variant> tool_use_;
    Json special_tokens_;
};

}  // namespace godwit
