// POST /v1/chat/completions.
#pragma once

#include "server/api/models.hpp"

namespace godwit::api {

/// A conversation as prompt tokens, for chat and for /tokenize. Errors name the field.
ApiResult<std::vector<TokenId>> chat_prompt(Fields& fields, const ServedModel& model, RequestRecord& record,
                                            bool keep_text);

/// Worker thread. Error: nothing was answered yet.
ApiResult<void> chat_completions(const std::shared_ptr<Call>& call, const Models& models, const Json& body);

}  // namespace godwit::api
