// Tokens and their logprobs as OpenAI's APIs show them.
#pragma once

#include "godwit/types.hpp"
#include "text/json.hpp"
#include "tokenizer/tokenizer.hpp"

namespace godwit::api {

/// JSON has no infinity: a token that was impossible has this, as in vLLM.
float finite_logprob(float logprob);

/// {"token", "logprob", "bytes"}: the bytes are the token's own, also where they are no text by themselves.
Json token_logprob(const Tokenizer& tokenizer, TokenId token, float logprob);

/// The token's text, or "bytes:\xe2\x98" where its bytes are no text: so that tokens can be told apart.
std::string token_name(const Tokenizer& tokenizer, TokenId token);

}  // namespace godwit::api
