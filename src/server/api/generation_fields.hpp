// The members that requests for text share, in all of OpenAI's completions and the extensions that local servers have
// agreed on.
#pragma once

#include "server/api/fields.hpp"
#include "server/api/served_model.hpp"

namespace godwit::api {

/// n, seed, stop, logit_bias, temperature, top_p, top_k, min_p, the penalties, ignore_eos. Defaults are the model's;
/// without a seed a random one.
void read_generation(Fields& fields, const ServedModel& model, GenerateRequest& request);

/// stream_options.include_usage.
bool wants_usage(Fields& fields);

/// Error 429: as many requests as the model may have run or wait already.
ApiResult<void> check_queue(const ServedModel& model);

/// Error: the prompt does not fit (code context_length_exceeded, which clients look for), or is empty.
ApiResult<void> check_length(const ServedModel& model, const std::vector<TokenId>& prompt, const char* param);

}  // namespace godwit::api
