#include "server/http/connection.hpp"

#include <boost/asio/buffer.hpp>
#include <ctime>
#include <exception>
#include <utility>

namespace godwit::http {

namespace asio = boost::asio;
using std::chrono::seconds;

namespace {

constexpr size_t kIdleBuffer = 1 << 10, kBodyBuffer = 64 << 10;
constexpr int kLingerSeconds = 2;
constexpr int kHalfClosedSeconds = 10;  // for respond() after the client closed its sending side

}  // namespace

Connection::Connection(Service& service, asio::ip::tcp::socket socket)
    : service_(service), socket_(std::move(socket)), timer_(service.io()), request_id_(service.next_request_id()) {}

void Connection::start() {
    ErrorCode ignored;
    socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
    if (!service_.tls()) {
        due_in(service_.options().idle_seconds);
        return read();
    }
    phase_ = Phase::Handshake;
    due_in(service_.options().header_seconds);
    tls_ = std::make_unique<asio::ssl::stream<asio::ip::tcp::socket&>>(socket_, *service_.tls());
    tls_->async_handshake(asio::ssl::stream_base::server, [self = shared_from_this()](ErrorCode ec) {
        if (self->phase_ != Phase::Handshake) return;
        if (ec) return self->close();
        self->phase_ = Phase::Idle;
        self->due_in(self->service_.options().idle_seconds);
        self->read();
    });
}

void Connection::refuse() {
    if (service_.tls()) return close();  // it would cost the handshake
    fail(503, "too many connections");
    read();
}

void Connection::drain() {
    keep_alive_ = false;
    if (phase_ != Phase::Answering) close();
}

void Connection::cut_off() {
    if (phase_ != Phase::Answering || !answer_) return close();
    const auto answer = answer_;
    answer->lose();
    if (phase_ != Phase::Answering || !answer_) return;
    Response error = service_.error(503, "the server is shutting down", answer->request);
    if (!streaming_) return respond(std::move(error));
    if (event_stream_) send(fmt::format("data: {}\n\n", error.body));
    if (answer_) finish();
}

void Connection::close() {
    if (phase_ == Phase::Closed) return;
    phase_ = Phase::Closed;
    const auto self = shared_from_this();  // closed() may hold the last reference but this one
    timer_.cancel();
    ErrorCode ignored;
    socket_.close(ignored);
    service_.closed(*this);
    if (!answer_) return;
    const auto answer = std::exchange(answer_, nullptr);
    answer->sink = nullptr;
    answer->lose();
}

/// Runs a part of the machine. Out of memory: this connection ends, the others go on.
template <class Step>
void Connection::guard(Step step) {
    try {
        step();
    } catch (const std::exception&) {
        close();
    }
}

// --- Input -----------------------------------------------------------------------------------------------------------

void Connection::read() {
    if (reading_ || end_of_input_ || phase_ == Phase::Closed) return;
    // Requests sent ahead wait here, a bounded amount of them; the rest waits in the client.
    if (phase_ == Phase::Answering && input_.size() >= service_.options().header_bytes_max) return;
    reading_ = true;
    const size_t size = phase_ == Phase::Receiving || phase_ == Phase::Lingering ? kBodyBuffer : kIdleBuffer;
    if (buffer_.size() != size) buffer_ = std::string(size, '\0');
    auto done = [self = shared_from_this()](ErrorCode ec, size_t bytes) {
        self->guard([&] { self->on_read(ec, bytes); });
    };
    const auto target = asio::buffer(buffer_);
    tls_ ? tls_->async_read_some(target, std::move(done)) : socket_.async_read_some(target, std::move(done));
}

void Connection::on_read(ErrorCode ec, size_t size) {
    reading_ = false;
    if (phase_ == Phase::Closed) return;
    if (ec == asio::error::eof || ec == asio::ssl::error::stream_truncated) return on_end_of_input();
    if (ec) return close();
    if (phase_ != Phase::Lingering) {
        input_.append(buffer_, 0, size);
        consume();
    }
    read();
}

/// The client closed its sending side, or went away: nobody can tell before something is written. Streams and long work
/// end, as most clients that do this are gone; an answer that comes soon is still sent.
void Connection::on_end_of_input() {
    end_of_input_ = true;
    if (phase_ != Phase::Answering || streaming_) return complete_ ? void() : close();
    if (!answer_) return;
    due_in(kHalfClosedSeconds);
    answer_->lose();
}

void Connection::consume() {
    while (phase_ == Phase::Idle || phase_ == Phase::Receiving) {
        if (phase_ == Phase::Idle)  // RFC 9112, section 2.2: empty lines before a request are ignored
            input_.erase(0, std::min(input_.find_first_not_of("\r\n"), input_.size()));
        if (input_.empty() || !parse()) break;
    }
    if (end_of_input_ && (phase_ == Phase::Idle || phase_ == Phase::Receiving)) close();
}

/// Gives the input to the parser. False: it needs more.
bool Connection::parse() {
    const Options& options = service_.options();
    if (phase_ == Phase::Idle) {
        phase_ = Phase::Receiving;
        request_id_ = service_.next_request_id();
        parser_ = std::make_unique<RequestParser>(options.header_bytes_max, options.body_bytes_max);
        due_in(options.header_seconds);
    }
    const auto before = parser_->state();
    input_.erase(0, parser_->put(input_));
    const auto state = parser_->state();
    if (state == RequestParser::State::Failed) {
        fail(parser_->status(), parser_->message());
    } else if (state == RequestParser::State::Complete) {
        dispatch();
    } else {
        if (state == RequestParser::State::Body && before == RequestParser::State::Header) {
            due_in(options.body_seconds);
            if (parser_->expects_continue() && input_.empty()) queue("HTTP/1.1 100 Continue\r\n\r\n");
        }
        return false;
    }
    return true;
}

void Connection::dispatch() {
    const auto parser = std::move(parser_);
    Request& request = parser->request();
    phase_ = Phase::Answering;
    due_ = Clock::time_point::max();
    keep_alive_ = parser->keep_alive();
    http_1_1_ = parser->http_1_1();
    head_only_ = request.method == "HEAD";
    cors_ = service_.policy().cors_headers(request);
    identify(request);
    if (const auto why = service_.policy().refusal(request)) return answer(service_.error(403, *why, request));
    if (Policy::is_preflight(request)) return answer(Policy::preflight(request));
    answer_ = std::make_shared<Answer>();
    answer_->request = std::move(request);
    answer_->sink = this;
    if (end_of_input_) on_end_of_input();
    service_.dispatch(answer_);
}

void Connection::identify(Request& request) const {
    request.id = request_id_;
    ErrorCode ignored;
    request.peer = socket_.remote_endpoint(ignored).address().to_string();
}

// --- Output ----------------------------------------------------------------------------------------------------------

/// The connection's own answer to what is no request; the last one.
void Connection::fail(int status, const std::string& message) {
    const auto parser = std::move(parser_);
    Request request = parser ? std::move(parser->request()) : Request();
    identify(request);
    phase_ = Phase::Answering;
    due_ = Clock::time_point::max();
    keep_alive_ = false;
    unread_input_ = true;
    head_only_ = request.method == "HEAD";
    cors_ = service_.policy().cors_headers(request);
    answer(service_.error(status, message, request));
}

void Connection::answer(Response response) {
    const ResponseHead head{.status = response.status,
                            .content_type = response.content_type,
                            .length = response.body.size(),
                            .keep_alive = keep_alive_,
                            .request_id = request_id_};
    std::string bytes = response_head(head, cors_, response.headers, std::time(nullptr));
    if (!head_only_ && response.status != 204) bytes += response.body;
    complete_ = true;
    queue(std::move(bytes));
}

void Connection::respond(Response response) {
    if (streaming_) return;
    release_answer();
    answer(std::move(response));
}

void Connection::begin_stream(std::string content_type) {
    if (streaming_) return;
    if (end_of_input_) return close();
    streaming_ = true;
    event_stream_ = content_type.starts_with("text/event-stream");
    keep_alive_ = keep_alive_ && http_1_1_;
    const ResponseHead head{.content_type = content_type,
                            .framing = http_1_1_ ? Framing::Chunked : Framing::Close,
                            .keep_alive = keep_alive_,
                            .request_id = request_id_,
                            .event_stream = event_stream_};
    queue(response_head(head, cors_, {}, std::time(nullptr)));
}

void Connection::send(std::string data) {
    if (!streaming_ || head_only_ || data.empty()) return;
    const size_t unsent =
        writing_.size() - written_ + pending_.size();  // before this one: a long event alone is no fault of the reader
    if (unsent > service_.options().unsent_bytes_max) return close();
    queue(http_1_1_ ? chunk(data) : std::move(data));
}

void Connection::finish() {
    if (!streaming_) return;
    release_answer();
    complete_ = true;
    queue(http_1_1_ && !head_only_ ? std::string(kLastChunk) : std::string());
}

void Connection::abandoned() {
    if (!streaming_ && !end_of_input_)
        return respond(service_.error(500, "the request was dropped without an answer", answer_->request));
    release_answer();  // what is sent stays sent; the client sees from the missing end that it was cut off
    keep_alive_ = false;
    complete_ = true;
    if (!write_active_) close();
}

/// Nothing more comes from the exchange.
void Connection::release_answer() {
    due_ = Clock::time_point::max();
    std::exchange(answer_, nullptr)->detach();
}

void Connection::queue(std::string bytes) {
    pending_.empty() ? pending_.swap(bytes) : void(pending_ += bytes);
    sent_at_ = Clock::now();
    if (!write_active_) {
        progress_at_ = sent_at_;
        writing_ = std::exchange(pending_, {});
        written_ = 0;
        write();
    }
    schedule();
}

void Connection::write() {
    write_active_ = true;
    auto done = [self = shared_from_this()](ErrorCode ec, size_t bytes) {
        self->guard([&] { self->on_write(ec, bytes); });
    };
    const auto source = asio::buffer(writing_) + written_;
    tls_ ? tls_->async_write_some(source, std::move(done)) : socket_.async_write_some(source, std::move(done));
}

void Connection::on_write(ErrorCode ec, size_t size) {
    write_active_ = false;
    if (phase_ == Phase::Closed) return;
    if (ec) return close();
    progress_at_ = Clock::now();
    written_ += size;
    if (written_ == writing_.size()) {
        writing_ = std::exchange(pending_, {});
        written_ = 0;
    }
    if (!writing_.empty()) return write();
    if (complete_) next_request();
}

/// The answer is complete and sent.
void Connection::next_request() {
    complete_ = streaming_ = event_stream_ = false;
    cors_.clear();
    for (std::string* bytes : {&input_, &pending_, &writing_}) bytes->shrink_to_fit();  // it may be idle for long
    if (!keep_alive_) return linger();
    phase_ = Phase::Idle;
    due_in(service_.options().idle_seconds);
    consume();
    read();
}

void Connection::linger() {
    if (end_of_input_ || (!tls_ && !unread_input_ && input_.empty())) return close();
    phase_ = Phase::Lingering;
    due_in(kLingerSeconds);
    input_.clear();
    ErrorCode ignored;
    if (tls_) {
        tls_->async_shutdown([self = shared_from_this()](ErrorCode) { self->close(); });
    } else {
        socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    }
    read();
}

// --- Time ------------------------------------------------------------------------------------------------------------

void Connection::due_in(int limit) {
    due_ = Clock::now() + seconds(limit);
    schedule();
}

/// Sets the timer for whatever is due first. It is never set later than it was: a timer that rings too early costs less
/// than one that is moved for every event of a stream.
void Connection::schedule() {
    const Options& options = service_.options();
    auto next = due_;
    if (write_active_) next = std::min(next, progress_at_ + seconds(options.send_seconds));
    if (pinging()) next = std::min(next, sent_at_ + seconds(options.ping_seconds));
    if (next >= timer_at_ || phase_ == Phase::Closed) return;
    timer_at_ = next;
    timer_.expires_at(next);
    timer_.async_wait([self = shared_from_this()](ErrorCode ec) {
        if (!ec && self->phase_ != Phase::Closed) self->guard([&] { self->on_timer(); });
    });
}

void Connection::on_timer() {
    const Options& options = service_.options();
    timer_at_ = Clock::time_point::max();
    const auto now = Clock::now();
    if (now >= due_) return expire();
    if (write_active_ && now >= progress_at_ + seconds(options.send_seconds)) return close();
    if (pinging() && now >= sent_at_ + seconds(options.ping_seconds)) send(": ping\n\n");
    schedule();
}

void Connection::expire() {
    if (phase_ != Phase::Receiving) return close();
    const bool body = parser_->state() == RequestParser::State::Body;
    fail(408, body ? "the body did not arrive in time" : "the header did not arrive in time");
}

}  // namespace godwit::http
