#include "server/http/exchange.hpp"

#include <exception>
#include <utility>

namespace godwit::http {

namespace {

void run_guarded(std::vector<std::function<void()>> calls) {
    for (auto& call : calls) {
        try {
            std::exchange(call, nullptr)();
        } catch (const std::exception&) {
            // out of memory, say: its exchange will be answered with 500 when it is destroyed
        }
    }
}

class ExchangeImpl : public Exchange {
public:
    ExchangeImpl(std::shared_ptr<Answer> answer, std::shared_ptr<Inbox> inbox)
        : answer_(std::move(answer)), inbox_(std::move(inbox)) {}

    ~ExchangeImpl() override {
        to_sink([](AnswerSink& sink) { sink.abandoned(); });
    }

    const Request& request() const override { return answer_->request; }

    void respond(Response response) override {
        to_sink([response = std::move(response)](AnswerSink& sink) mutable { sink.respond(std::move(response)); });
    }
    void begin_stream(std::string_view content_type) override {
        to_sink([type = std::string(content_type)](AnswerSink& sink) mutable { sink.begin_stream(std::move(type)); });
    }
    void send(std::string data) override {
        if (gone()) return;
        to_sink([data = std::move(data)](AnswerSink& sink) mutable { sink.send(std::move(data)); });
    }
    void finish() override {
        to_sink([](AnswerSink& sink) { sink.finish(); });
    }

    void post(std::function<void()> call) override { inbox_->post(std::move(call)); }
    void on_gone(std::function<void()> call) override {
        inbox_->post([answer = answer_, call = std::move(call)]() mutable {
            if (answer->gone) return call();
            if (answer->sink) answer->on_gone = std::move(call);
        });
    }
    bool gone() const override { return answer_->gone; }

private:
    template <class Call>
    void to_sink(Call call) {
        inbox_->post([answer = answer_, call = std::move(call)]() mutable {
            if (answer->sink) call(*answer->sink);
        });
    }

    std::shared_ptr<Answer> answer_;
    std::shared_ptr<Inbox> inbox_;
};

}  // namespace

void Inbox::post(std::function<void()> call) {
    const std::lock_guard lock(mutex_);
    if (!wake_) return;
    calls_.push_back(std::move(call));
    if (calls_.size() == 1) wake_();
}

void Inbox::run_all() {
    std::vector<std::function<void()>> calls;
    {
        const std::lock_guard lock(mutex_);
        calls.swap(calls_);
    }
    run_guarded(std::move(calls));
}

void Inbox::close() {
    std::vector<std::function<void()>> calls;
    {
        const std::lock_guard lock(mutex_);
        wake_ = nullptr;
        calls.swap(calls_);
    }
    run_guarded(std::move(calls));
}

void Answer::lose() {
    gone = true;
    if (auto call = std::exchange(on_gone, nullptr)) call();
}

void Answer::detach() {
    sink = nullptr;
    on_gone = nullptr;
}

std::shared_ptr<Exchange> make_exchange(std::shared_ptr<Answer> answer, std::shared_ptr<Inbox> inbox) {
    return std::make_shared<ExchangeImpl>(std::move(answer), std::move(inbox));
}

}  // namespace godwit::http
