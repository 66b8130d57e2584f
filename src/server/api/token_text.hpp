// Tokens and their logprobs as OpenAI's APIs show them.
#pragma once

#include "godwit/types.hpp"
#include "text/json.hpp"
#include "tokenizer/tokenizer.hpp"

namespace godwit::api {

/// JSON has no infinity: a token that was impossible has this, as in vLLM.
float finite_logprob(float logprob);

/// {"token", "logprob", "bytes"} of a token with these bytes, which may be no text by themselves.
Json token_logprob(std::string_view bytes, float logprob);

/// The token's text, or "bytes:\xe2\x98" where its bytes are no text: so that tokens can be told apart.
std::string token_name(const Tokenizer& tokenizer, TokenId token);

}  // namespace godwit::api
