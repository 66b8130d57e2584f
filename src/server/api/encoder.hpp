// What an API makes of the events of generations: a stream, or one object at the end.
#pragma once

#include "godwit/types.hpp"
#include "server/api/api_error.hpp"

namespace godwit::api {

struct Usage {
    int64_t prompt_tokens = 0, cached_tokens = 0, output_tokens = 0;

    /// Once for every event of every prompt; a prompt counts once, however many choices it has.
    void count(const Event& event);
};

/// All calls come from one thread: begin(), event() …, end() for a stream; event() …, whole() otherwise.
class Encoder {
public:
    virtual ~Encoder() = default;
    virtual bool streams() const = 0;
    /// The first parts of a stream.
    virtual std::string begin() = 0;
    /// An event of the prompt with this index among the request's; the parts of a stream that follow from it.
    virtual std::string event(size_t prompt, const Event& event) = 0;
    /// After the Finish events of all prompts: the last parts of a stream, or the whole answer.
    virtual std::string end(const Usage& usage) = 0;
    virtual Json whole(const Usage& usage) = 0;
    /// In place of an answer, or as the last part of a stream.
    virtual Json error(const ApiError& error) const = 0;
};

/// One event of a stream.
std::string sse(const Json& data);

/// "chatcmpl-" and 24 random letters and digits.
std::string random_id(const char* prefix);
int64_t unix_seconds();

}  // namespace godwit::api
