// POST /v1/completions: prompts continued as they stand.
#pragma once

#include "server/api/fields.hpp"
#include "server/api/text_request.hpp"

namespace godwit::api {

/// OpenAI's default of max_tokens.
inline constexpr int64_t kCompletionTokensMax = 16;

/// Any thread. Errors name the field.
ApiResult<TextRequest> read_completions(Fields& fields, const RequestContext& context);

}  // namespace godwit::api
