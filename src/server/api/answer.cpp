#include "server/api/answer.hpp"

namespace godwit::api {

void Answer::start(std::shared_ptr<Call> call, ServedModel& model, TextRequest request) {
    http::Exchange& exchange = call->exchange();
    auto answer = std::make_shared<Answer>(std::move(call), model, std::move(request.encoder));
    exchange.post([answer, prompts = std::move(request.prompts)]() mutable { answer->submit(std::move(prompts)); });
}

Answer::Answer(std::shared_ptr<Call> call, ServedModel& model, std::unique_ptr<Encoder> encoder)
    : call_(std::move(call)), model_(model), encoder_(std::move(encoder)) {
    ++model_.in_work;
}

Answer::~Answer() { --model_.in_work; }

void Answer::submit(std::vector<GenerateRequest> requests) {
    std::weak_ptr<Answer> weak = weak_from_this();
    call_->exchange().on_gone([weak] {
        if (auto self = weak.lock()) self->gone();
    });
    if (closed_) return;  // gone already
    prompts_.resize(requests.size());
    for (size_t i = 0; i < requests.size(); ++i) {
        prompts_[i].choices.resize(requests[i].choices);
        unfinished_ += requests[i].choices;
        // The engine holds this answer by its wake-ups until the last event; then nothing does.
        requests[i].wake = [self = shared_from_this(), i] {
            self->call_->exchange().post([self, i] { self->drain(i); });
        };
        Result<Generation> generation = model_.engine->submit(std::move(requests[i]));
        if (!generation.ok()) return fail(generation.error());
        prompts_[i].generation = std::make_unique<Generation>(std::move(generation).take());
    }
    if (!encoder_->streams()) return;
    streaming_ = true;
    call_->exchange().begin_stream("text/event-stream");
    send(encoder_->begin());
}

void Answer::send(std::string parts) {
    if (!parts.empty()) call_->exchange().send(std::move(parts));
}

void Answer::drain(size_t prompt) {
    Event event;
    while (!closed_ && prompts_[prompt].generation->try_next(event)) take(prompt, event);
}

void Answer::take(size_t prompt, const Event& event) {
    Choice& choice = prompts_[prompt].choices[event.choice];
    if (event.kind == Event::Kind::Token) count_token(choice);
    if (event.kind == Event::Kind::Finish) {
        if (event.reason == FinishReason::Failed || event.reason == FinishReason::Cancelled)
            return fail(event.error.empty() ? ApiError(503, "the server is shutting down")
                                            : ApiError(500, event.error));
        finish_choice(event);
    }
    usage_.count(event);
    send(encoder_->event(prompt, event));
    if (unfinished_ == 0) complete();
}

void Answer::count_token(Choice& choice) {
    RequestRecord& record = call_->record();
    double now = call_->seconds();
    if (record.first_token_seconds == 0) {
        record.first_token_seconds = now;
        model_.metrics.first_token(now);
    }
    if (choice.last_token_seconds > 0) model_.metrics.next_token(now - choice.last_token_seconds);
    choice.last_token_seconds = now;
}

void Answer::finish_choice(const Event& event) {
    --unfinished_;
    if (event.reason == FinishReason::Length) finish_ = "length";
    call_->record().queue_seconds = std::max(call_->record().queue_seconds, event.queue_seconds);
}

void Answer::complete() {
    http::Exchange& exchange = call_->exchange();
    if (streaming_) {
        exchange.send(encoder_->end(usage_));
        exchange.finish();
    } else {
        exchange.respond({.body = json_text(encoder_->whole(usage_))});
    }
    close(finish_);
}

void Answer::fail(const ApiError& error) {
    call_->record().error = error.message;
    call_->record().status = error.status;
    if (streaming_) {
        call_->exchange().send(sse(encoder_->error(error)));
        call_->exchange().finish();
    } else {
        call_->exchange().respond(error.response(encoder_->error(error)));
    }
    close("error");
}

void Answer::gone() {
    if (!closed_) close("cancelled");
}

void Answer::close(const std::string& finish) {
    closed_ = true;
    prompts_.clear();  // cancels what runs, and ends the circle answer → generation → wake-up → answer
    RequestRecord& record = call_->record();
    record.prompt_tokens = std::max(record.prompt_tokens, usage_.prompt_tokens);
    record.output_tokens = usage_.output_tokens;
    record.finish = finish;
    call_->close();
    model_.metrics.finished(record);
}

}  // namespace godwit::api
