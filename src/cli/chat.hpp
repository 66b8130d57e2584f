// A conversation with a loaded model, turn by turn: the messages, and the prompt that the model's template makes of
// them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/reply.hpp"
#include "engine/engine_impl.hpp"
#include "text/json.hpp"

namespace godwit {

/// A file that goes along with a message.
struct TextFile {
    std::string name, text;

    /// Errors: not readable, larger than 16 MiB, no text.
    static Result<TextFile> read(const std::string& path);
};

/// Thread rule: one thread.
class Chat {
public:
    /// `request`: sampling, stops and length of every answer. The engine outlives the chat.
    Chat(EngineImpl& engine, GenerateRequest request) : engine_(engine), request_(std::move(request)) {}

    /// Answers `text`, the attached files before it; prints as print_reply() does. Errors leave the conversation as it
    /// was: it does not fit the context, the template refuses it. So does an answer cancelled before it began.
    Result<Reply> ask(const std::string& text);
    /// Answers the last message again. Error: there is none; as of ask().
    Result<Reply> ask_again();
    /// For the next message.
    void attach(TextFile file) { files_.push_back(std::move(file)); }

    /// The first message, or "".
    std::string system() const;
    /// Empty: none.
    void set_system(const std::string& text);
    /// Forgets all but the system prompt.
    void reset();
    /// Goes on with another conversation. Errors: the template refuses it, it does not fit the context.
    Result<void> set_messages(Json messages);
    const Json& messages() const { return messages_; }

    int64_t context() const { return engine_.memory().context; }
    /// Tokens of the context that the conversation takes, as of its last answer.
    int64_t used() const { return used_; }
    const std::optional<Reply>& last() const { return last_; }
    const EngineImpl& engine() const { return engine_; }
    /// Of the answers to come.
    GenerateRequest& request() { return request_; }
    const SamplingParams& sampling() const { return request_.sampling; }

private:
    Result<std::vector<TokenId>> tokens(const Json& messages) const;
    int64_t count_used(const Json& messages, int64_t otherwise) const;
    /// Adds the answer to the conversation; one that was cancelled before it began is none, and what came since
    /// `before` goes with it.
    Result<Reply> answer(const Json& before);

    EngineImpl& engine_;
    GenerateRequest request_;
    Json messages_ = Json::array();
    std::vector<TextFile> files_;
    std::optional<Reply> last_;
    int64_t used_ = 0;
};

}  // namespace godwit
