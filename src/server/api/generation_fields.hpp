// The members that requests for text share, in all of OpenAI's completions and the extensions that local servers have
// agreed on.
#pragma once

#include "server/api/fields.hpp"
#include "server/api/text_request.hpp"

namespace godwit::api {

/// max_tokens, n, seed, stop, logit_bias, temperature, top_p, top_k, min_p, the penalties, ignore_eos. What would
/// constrain the answer and is not supported is a fault.
GenerateRequest read_generation(Fields& fields, const RequestContext& context);

/// Whether tool_choice, or function_call as it was called before, is "none". "auto" is the default; another value is a
/// fault.
bool chooses_no_tool(Fields& fields, const char* name);

/// stream_options.include_usage.
bool wants_usage(Fields& fields);

/// Error: the prompt does not fit (code context_length_exceeded, which clients look for), or is empty.
ApiResult<void> check_length(const EngineImpl& engine, const std::vector<TokenId>& prompt, const char* param);

}  // namespace godwit::api
