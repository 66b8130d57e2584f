// The server: listens, counts connections, hands requests to workers, ends.
#include <sys/resource.h>

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <csignal>
#include <exception>
#include <random>
#include <unordered_set>

#include "server/http/body_encoding.hpp"
#include "server/http/connection.hpp"
#include "server/http/http.hpp"
#include "server/http/service.hpp"
#include "server/http/tls.hpp"

namespace godwit::http {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr int kRefusalsMax = 64;  // connections beyond the limit that are being told so; others are just closed
constexpr auto kLastWords = std::chrono::seconds(1);           // for the errors that cut-off answers end with
constexpr auto kAcceptPause = std::chrono::milliseconds(100);  // when the process is out of file descriptors

/// As many open files as connections need, if the system lets us: the soft limit is often 1024.
void raise_file_limit(int connections_max) {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    const auto wanted = static_cast<rlim_t>(connections_max + kRefusalsMax + 256);
    if (limit.rlim_cur >= wanted) return;
    limit.rlim_cur = std::min(wanted, limit.rlim_max);
    setrlimit(RLIMIT_NOFILE, &limit);
}

Result<tcp::endpoint> resolve(asio::io_context& io, const std::string& host, uint16_t port) {
    error_code ec;
    const auto address = asio::ip::make_address(host, ec);
    if (!ec) return tcp::endpoint(address, port);
    const auto found = tcp::resolver(io).resolve(host, "", asio::ip::resolver_base::passive, ec);
    if (ec || found.empty()) return error("listen: '{}' is no address of this machine: {}", host, ec.message());
    auto best = found.begin();
    for (auto it = found.begin(); it != found.end(); ++it)  // what clients of "localhost" expect first
        if (it->endpoint().address().is_v4()) {
            best = it;
            break;
        }
    return tcp::endpoint(best->endpoint().address(), port);
}

class ServerImpl final : public Server, public Service {
public:
    ServerImpl(const Options& options, Handler& handler)
        : options_(options), policy_(options), handler_(handler), pool_(static_cast<size_t>(options.workers)) {
        inbox_ = std::make_shared<Inbox>([this] { asio::post(io_, [inbox = inbox_] { inbox->run_all(); }); });
    }
    ~ServerImpl() override { inbox_->close(); }

    Result<void> listen();

    // Server
    uint16_t port() const override { return port_; }
    void run() override;
    void stop() override {
        inbox_->post([this] { begin_drain(); });
    }
    int connections() const override { return count_; }
    bool draining() const override { return draining_; }

    // Service
    const Options& options() const override { return options_; }
    const Policy& policy() const override { return policy_; }
    asio::io_context& io() override { return io_; }
    asio::ssl::context* tls() override { return tls_.get(); }
    std::string next_request_id() override { return fmt::format("req_{:016x}{:08x}", id_prefix_, ++id_count_); }
    Response error(int status, std::string_view message, const Request& request) override;
    void dispatch(std::shared_ptr<Answer> answer) override;
    void closed(Connection& connection) override;

private:
    void accept();
    void on_accept(error_code ec, tcp::socket socket);
    void add(tcp::socket socket);
    void wait_for_signal();
    void begin_drain();
    void cut_off_all();
    void close_all();
    void end();
    void work(Answer& answer, const std::shared_ptr<Exchange>& exchange);

    const Options options_;
    const Policy policy_;
    Handler& handler_;
    asio::io_context io_{1};
    tcp::acceptor acceptor_{io_};
    asio::signal_set signals_{io_};
    asio::steady_timer drain_timer_{io_}, accept_timer_{io_};
    std::unique_ptr<asio::ssl::context> tls_;
    std::shared_ptr<Inbox> inbox_;
    std::unordered_set<std::shared_ptr<Connection>> connections_;
    std::atomic<int> count_ = 0;
    std::atomic<bool> draining_ = false;
    uint16_t port_ = 0;
    const uint64_t id_prefix_ = std::random_device()() * (uint64_t{1} << 32) | std::random_device()();
    uint64_t id_count_ = 0;
    asio::thread_pool pool_;  // the last member: its threads end before what they use
};

Result<void> ServerImpl::listen() {
    if (!options_.tls_cert.empty() || !options_.tls_key.empty())
        tls_ = TRY(make_tls_context(options_.tls_cert, options_.tls_key));
    raise_file_limit(options_.connections_max);
    const tcp::endpoint endpoint = TRY(resolve(io_, options_.host, options_.port));
    error_code ec;
    acceptor_.open(endpoint.protocol(), ec);
    if (!ec) acceptor_.set_option(tcp::acceptor::reuse_address(true), ec);
    if (!ec) acceptor_.bind(endpoint, ec);
    if (!ec) acceptor_.listen(tcp::acceptor::max_listen_connections, ec);
    if (!ec) port_ = acceptor_.local_endpoint(ec).port();
    if (!ec) return done();
    if (ec == boost::system::errc::address_not_available)
        return godwit::error("listen: '{}' is no address of this machine", options_.host);
    return godwit::error("listen: {} port {}: {}{}", options_.host, options_.port, ec.message(),
                         ec == asio::error::address_in_use ? " (another server runs there; choose another port)" : "");
}

void ServerImpl::run() {
    error_code ignored;
    signals_.add(SIGINT, ignored);
    signals_.add(SIGTERM, ignored);
    wait_for_signal();
    accept();
    for (bool again = true; again;) {
        try {
            io_.run();
            again = false;
        } catch (const std::exception&) {
            // out of memory, for a call of the inbox, say
        }
    }
    signals_.clear(ignored);  // from here on they end the program
    pool_.stop();             // all connections are closed: nobody waits for what has not begun
    pool_.join();
    inbox_->close();
}

void ServerImpl::wait_for_signal() {
    signals_.async_wait([this](error_code ec, int) {
        if (ec) return;
        draining_ ? cut_off_all() : begin_drain();
        if (!connections_.empty()) wait_for_signal();
    });
}

// --- Connections -----------------------------------------------------------------------------------------------------

void ServerImpl::accept() {
    acceptor_.async_accept([this](error_code ec, tcp::socket socket) { on_accept(ec, std::move(socket)); });
}

void ServerImpl::on_accept(error_code ec, tcp::socket socket) {
    if (draining_) return;
    if (ec == asio::error::no_descriptors || ec == asio::error::no_memory || ec == asio::error::no_buffer_space) {
        accept_timer_.expires_after(kAcceptPause);
        return accept_timer_.async_wait([this](error_code cancelled) {
            if (!cancelled && !draining_) accept();
        });
    }
    if (!ec && count_ < options_.connections_max + kRefusalsMax) add(std::move(socket));
    accept();
}

void ServerImpl::add(tcp::socket socket) {
    try {
        const auto connection = std::make_shared<Connection>(*this, std::move(socket));
        connections_.insert(connection);
        ++count_ > options_.connections_max ? connection->refuse() : connection->start();
    } catch (const std::exception&) {
        // out of memory: one connection less
    }
}

void ServerImpl::closed(Connection& connection) {
    connections_.erase(connection.shared_from_this());
    --count_;
    if (draining_ && connections_.empty()) end();
}

// --- Requests --------------------------------------------------------------------------------------------------------

void ServerImpl::dispatch(std::shared_ptr<Answer> answer) {
    auto exchange = make_exchange(answer, inbox_);
    asio::post(pool_, [this, answer = std::move(answer), exchange = std::move(exchange)] {
        try {
            work(*answer, exchange);
        } catch (const std::exception&) {
            // the exchange answers 500 when it is destroyed
        }
    });
}

void ServerImpl::work(Answer& answer, const std::shared_ptr<Exchange>& exchange) {
    Request& request = answer.request;
    DecodedBody decoded =
        decode_body(request.header("content-encoding"), std::move(request.body), options_.body_bytes_max);
    if (decoded.status != 200) return exchange->respond(error(decoded.status, decoded.message, request));
    request.body = std::move(decoded.body);
    handler_.handle(exchange);
}

Response ServerImpl::error(int status, std::string_view message, const Request& request) {
    try {
        return handler_.error(status, message, request);
    } catch (const std::exception&) {
        return {.status = status, .content_type = "text/plain"};
    }
}

// --- The end ---------------------------------------------------------------------------------------------------------

void ServerImpl::begin_drain() {
    if (draining_.exchange(true)) return;
    error_code ignored;
    acceptor_.close(ignored);
    accept_timer_.cancel();
    for (const auto& connection : std::vector(connections_.begin(), connections_.end())) connection->drain();
    if (connections_.empty()) return end();
    if (options_.on_drain) options_.on_drain(connections_.size());
    drain_timer_.expires_after(std::chrono::seconds(options_.drain_seconds));
    drain_timer_.async_wait([this](error_code ec) {
        if (!ec) cut_off_all();
    });
}

void ServerImpl::cut_off_all() {
    for (const auto& connection : std::vector(connections_.begin(), connections_.end())) connection->cut_off();
    if (connections_.empty()) return;
    drain_timer_.expires_after(kLastWords);
    drain_timer_.async_wait([this](error_code ec) {
        if (!ec) close_all();
    });
}

void ServerImpl::close_all() {
    for (const auto& connection : std::vector(connections_.begin(), connections_.end())) connection->close();
}

/// Nothing is left to wait for: run() comes to its end.
void ServerImpl::end() {
    error_code ignored;
    signals_.cancel(ignored);
    drain_timer_.cancel();
}

}  // namespace

Result<std::unique_ptr<Server>> Server::make(const Options& options, Handler& handler) {
    auto server = std::make_unique<ServerImpl>(options, handler);
    TRY(server->listen());
    return Result<std::unique_ptr<Server>>(std::move(server));
}

}  // namespace godwit::http
