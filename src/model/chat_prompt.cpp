#include "model/chat_prompt.hpp"

namespace godwit {

ChatResult<std::vector<TokenId>> chat_prompt(const Model& model, const Conversation& conversation) {
    if (!model.chat_template) return ChatError("messages", "the model has no chat template (give a prompt instead)");
    Rendered rendered = TRY(model.chat_template->render(conversation));
    return model.tokenizer->encode(rendered.text, rendered.segments);
}

}  // namespace godwit
