// One connection: requests in, answers out, one after the other (HTTP/1.1 keep-alive and pipelining; HTTP/1.0). A
// machine of callbacks on the thread of run(). While an answer is awaited or sent it goes on reading (a bounded
// amount), which is how it notices that the client left.
//
//   Handshake → Idle → Receiving → Answering → Idle …      (without TLS it begins Idle)
//                                      └→ Lingering → Closed
//   any → Closed
//
// Lingering: all is sent; what still comes in is dropped for a while. If the socket were closed at once, the kernel
// would reset the connection, and the client would lose what it has not read.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "server/http/exchange.hpp"
#include "server/http/request_parser.hpp"
#include "server/http/response_head.hpp"
#include "server/http/service.hpp"

namespace godwit::http {

class Connection final : public AnswerSink, public std::enable_shared_from_this<Connection> {
public:
    Connection(Service& service, boost::asio::ip::tcp::socket socket);

    void start();
    /// In place of start(): answers 503 to whatever comes, and closes.
    void refuse();
    /// The server ends: closes unless an answer is in work, which is then the last.
    void drain();
    /// The drain is over: an answer in work ends with the error 503, in a stream as its last event.
    void cut_off();
    /// At once, whatever is in work.
    void close();

private:
    using Clock = std::chrono::steady_clock;
    using ErrorCode = boost::system::error_code;
    enum class Phase : uint8_t { Handshake, Idle, Receiving, Answering, Lingering, Closed };

    template <class Step>
    void guard(Step step);

    // AnswerSink
    void respond(Response response) override;
    void begin_stream(std::string content_type) override;
    void send(std::string data) override;
    void finish() override;
    void abandoned() override;

    // Input
    void read();
    void on_read(ErrorCode ec, size_t size);
    void on_end_of_input();
    void consume();
    bool parse();
    void dispatch();
    void identify(Request& request) const;

    // Output
    void fail(int status, const std::string& message);
    void answer(Response response);
    void queue(std::string bytes);
    void write();
    void on_write(ErrorCode ec, size_t size);
    void release_answer();
    void next_request();
    void linger();

    // Time
    void due_in(int seconds);
    bool pinging() const { return event_stream_ && !head_only_ && answer_ != nullptr; }
    void schedule();
    void on_timer();
    void expire();

    Service& service_;
    boost::asio::ip::tcp::socket socket_;
    std::unique_ptr<boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>> tls_;
    boost::asio::steady_timer timer_;
    Phase phase_ = Phase::Idle;

    std::string input_;   // not yet parsed
    std::string buffer_;  // what a read fills
    bool reading_ = false, end_of_input_ = false;
    std::unique_ptr<RequestParser> parser_;  // Receiving

    // Answering
    std::shared_ptr<Answer> answer_;  // until it is complete; null for the connection's own answers
    std::string request_id_;
    Headers cors_;
    bool keep_alive_ = true, head_only_ = false, http_1_1_ = true;
    bool streaming_ = false, event_stream_ = false;
    bool complete_ = false;      // nothing more will be queued
    bool unread_input_ = false;  // the answer came before the request was read

    std::string pending_, writing_;  // what waits for the socket, and what the socket has
    size_t written_ = 0;             // of writing_
    bool write_active_ = false;

    Clock::time_point due_ = Clock::time_point::max();       // the end of what the phase allows
    Clock::time_point timer_at_ = Clock::time_point::max();  // for which the timer is set
    Clock::time_point progress_at_, sent_at_;                // a byte was taken; something was queued
};

}  // namespace godwit::http
