// POST /tokenize and /detokenize, GET /tokenizer_info, in a form that clients of both vLLM and llama.cpp
// understand.
#pragma once

#include "server/api/models.hpp"

namespace godwit::api {

/// {"prompt" or "content": TEXT, "add_special_tokens"} or {"messages", …as chat} → {"tokens", "count", "max_model_len",
/// "token_strs"?}.
ApiResult<void> tokenize(Call& call, const Models& models, const Json& body);
/// The special tokens of the first model: {"bos_token", "eos_token"}, as vLLM's clients ask for them.
void tokenizer_info(Call& call, const Models& models);
/// {"tokens": […]} → {"prompt": TEXT, "content": TEXT}.
ApiResult<void> detokenize(Call& call, const Models& models, const Json& body);

}  // namespace godwit::api
