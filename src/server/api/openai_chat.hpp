// POST /v1/chat/completions.
#pragma once

#include "server/api/fields.hpp"
#include "server/api/text_request.hpp"

namespace godwit::api {

/// The conversation of a request as prompt tokens, for chat and for /tokenize. Any thread. Errors name the field.
ApiResult<std::vector<TokenId>> read_chat_prompt(Fields& fields, const Model& model);

/// Any thread. Errors name the field.
ApiResult<TextRequest> read_chat(Fields& fields, const RequestContext& context);

}  // namespace godwit::api
