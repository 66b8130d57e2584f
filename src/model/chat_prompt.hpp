// A conversation as the tokens of a prompt.
#pragma once

#include <vector>

#include "dialect/chat_template.hpp"
#include "model/model.hpp"

namespace godwit {

/// Through the model's chat template: special tokens count where the template wrote them, never in what the
/// conversation says. Any thread. Errors: the model has no chat template; those of ChatTemplate::render.
ChatResult<std::vector<TokenId>> chat_prompt(const Model& model, const Conversation& conversation);

}  // namespace godwit
