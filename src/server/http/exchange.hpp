// The two ends of an answer: the Exchange that a handler holds, on any thread, and the connection that it goes to, on
// the thread of run().
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/http.hpp"

namespace godwit::http {

/// Calls for the thread of run(), in order, from all others. Closed when run() is over: exchanges live on, their calls
/// no longer count.
class Inbox {
public:
    /// `wake` makes the thread of run() call run_all() soon; it is called at most once between two of those.
    explicit Inbox(std::function<void()> wake) : wake_(std::move(wake)) {}

    void post(std::function<void()> call);
    /// Runs what has been posted. An exception of a call ends that call alone.
    void run_all();
    /// Runs what has been posted, and drops all that comes later. Afterwards `wake` is never called again.
    void close();

private:
    std::mutex mutex_;
    std::vector<std::function<void()>> calls_;
    std::function<void()> wake_;  // empty: closed
};

/// Where an answer goes. The thread of run() only.
class AnswerSink {
public:
    virtual void respond(Response response) = 0;
    virtual void begin_stream(std::string content_type) = 0;
    virtual void send(std::string data) = 0;
    virtual void finish() = 0;
    /// The exchange was destroyed before respond() or finish().
    virtual void abandoned() = 0;

protected:
    ~AnswerSink() = default;
};

/// A request on its way through a handler. Everything but `request` and `gone` belongs to the thread of run().
struct Answer {
    Request request;
    std::atomic<bool> gone = false;
    AnswerSink* sink = nullptr;     // null once the answer is complete, or nobody is left to take it
    std::function<void()> on_gone;  // not yet called

    /// The client is gone: says so, once.
    void lose();
    /// The answer is complete, or the sink goes away.
    void detach();
};

std::shared_ptr<Exchange> make_exchange(std::shared_ptr<Answer> answer, std::shared_ptr<Inbox> inbox);

}  // namespace godwit::http
