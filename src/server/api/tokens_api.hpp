// POST /tokenize and /detokenize, in a form that clients of vLLM and of llama.cpp both find their way in.
#pragma once

#include "server/api/models.hpp"

namespace godwit::api {

/// {"prompt" or "content": TEXT, "add_special_tokens"} or {"messages", …as chat} → {"tokens", "count", "max_model_len",
/// "token_strs"?}.
ApiResult<void> tokenize(Call& call, const Models& models, const Json& body);
/// {"tokens": […]} → {"prompt": TEXT, "content": TEXT}.
ApiResult<void> detokenize(Call& call, const Models& models, const Json& body);

}  // namespace godwit::api
