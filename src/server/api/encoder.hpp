// What an API makes of the events of generations: a stream, or one object at the end.
#pragma once

#include "godwit/types.hpp"
#include "server/http/http.hpp"
#include "text/json.hpp"

namespace godwit::api {

struct Usage {
    int64_t prompt_tokens = 0, cached_tokens = 0, output_tokens = 0;

    /// As OpenAI's completions spell it.
    Json json() const;
};

/// All calls come from one thread, in the order begin, event …, end.
class Encoder {
public:
    virtual ~Encoder() = default;
    /// True: a stream; its parts go to the exchange as they come.
    virtual bool streams() const = 0;
    /// The first parts of a stream.
    virtual void begin(http::Exchange& exchange) = 0;
    /// An event of the prompt with this index among the request's.
    virtual void event(size_t prompt, const Event& event, http::Exchange& exchange) = 0;
    /// After the Finish events of all prompts: the last parts of the stream, or the whole answer.
    virtual void end(const Usage& usage, http::Exchange& exchange) = 0;
};

/// One event of a stream.
std::string sse(const Json& data);

/// The end of OpenAI's streams: the usage, if it is wanted, in a chunk of its own that begins as `head`, then [DONE].
void end_stream(http::Exchange& exchange, Json head, const Usage* usage);

/// "chatcmpl-" and 24 random letters and digits.
std::string random_id(const char* prefix);
int64_t unix_seconds();

/// "godwit-0.1.0": what computed the answer.
std::string fingerprint();

/// OpenAI's word.
const char* finish_name(FinishReason reason);

}  // namespace godwit::api
