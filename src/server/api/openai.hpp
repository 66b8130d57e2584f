// What OpenAI's APIs spell alike: errors, usage, finish reasons, the end of a stream.
#pragma once

#include "server/api/encoder.hpp"

namespace godwit::api::openai {

/// `{"error": {"message", "type", "param", "code"}}`.
Json error_json(const ApiError& error);

Json usage_json(const Usage& usage);

/// "length" or "stop".
const char* finish_name(FinishReason reason);

/// Up to so many of the likeliest tokens may be asked for.
inline constexpr int64_t kLogprobsMax = 20;

/// What all objects of one answer begin with.
class AnswerHead {
public:
    /// `prefix` goes before the random part of the id: "chatcmpl-".
    AnswerHead(const char* prefix, std::string model)
        : id_(random_id(prefix)), model_(std::move(model)), created_(unix_seconds()) {}
    /// {"id", "object", "created", "model", "system_fingerprint"}.
    Json json(const char* object) const;

private:
    const std::string id_, model_;
    const int64_t created_;
};

/// The usage, if it is wanted, in a chunk of its own that begins as `head`, then [DONE].
std::string stream_end(Json head, const Usage* usage);

}  // namespace godwit::api::openai
