// What OpenAI's APIs spell alike: errors, usage, finish reasons, the end of a stream.
#pragma once

#include "server/api/encoder.hpp"

namespace godwit::api::openai {

/// `{"error": {"message", "type", "param", "code"}}`.
Json error_json(const ApiError& error);

Json usage_json(const Usage& usage);

/// "length" or "stop".
const char* finish_name(FinishReason reason);

/// "godwit-0.1.0": what computed the answer.
std::string fingerprint();

/// The usage, if it is wanted, in a chunk of its own that begins as `head`, then [DONE].
std::string stream_end(Json head, const Usage* usage);

}  // namespace godwit::api::openai
