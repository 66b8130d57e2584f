// From requests to the engine to the end of the answer: submits, reads events as they come without a thread that waits,
// feeds an encoder, and keeps log and metrics. Lives in the callbacks of the exchange and the engine, all on the
// exchange's thread.
#pragma once

#include <memory>
#include <vector>

#include "server/api/call.hpp"
#include "server/api/served_model.hpp"
#include "server/api/text_request.hpp"

namespace godwit::api {

class Answer : public std::enable_shared_from_this<Answer> {
public:
    /// Any thread. The model must outlive the exchange.
    static void start(std::shared_ptr<Call> call, ServedModel& model, TextRequest request);

    Answer(std::shared_ptr<Call> call, ServedModel& model, std::unique_ptr<Encoder> encoder);
    ~Answer();

private:
    struct Choice {
        double last_token_seconds = 0;  // 0: none yet
    };
    struct Prompt {
        std::unique_ptr<Generation> generation;
        std::vector<Choice> choices;
    };

    void submit(std::vector<GenerateRequest> requests);
    void send(std::string parts);
    void drain(size_t prompt);
    void take(size_t prompt, const Event& event);
    void count_token(Choice& choice);
    void finish_choice(const Event& event);
    void complete();
    void fail(const ApiError& error);
    void gone();
    void close(const std::string& finish);

    std::shared_ptr<Call> call_;
    ServedModel& model_;
    std::unique_ptr<Encoder> encoder_;
    std::vector<Prompt> prompts_;
    size_t unfinished_ = 0;  // choices of all prompts
    bool streaming_ = false, closed_ = false;
    Usage usage_;
    std::string finish_ = "stop";
};

}  // namespace godwit::api
