// A server with a scripted handler, and a client that is a bare socket: the tests decide about every byte.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/ascii.hpp"
#include "server/http/http.hpp"

namespace godwit::http {

inline constexpr auto kPatience = std::chrono::seconds(10);  // only a broken server makes a test wait as long

/// Asks again and again, as long as patience lasts.
template <class Predicate>
[[nodiscard]] bool eventually(Predicate predicate) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!predicate() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return predicate();
}

/// Something that happens on another thread.
class Signal {
public:
    void set() {
        const std::lock_guard lock(mutex_);
        ++count_;
        changed_.notify_all();
    }
    [[nodiscard]] bool wait(int count = 1) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, kPatience, [&] { return count_ >= count; });
    }
    int count() const {
        const std::lock_guard lock(mutex_);
        return count_;
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    int count_ = 0;
};

using ExchangePtr = std::shared_ptr<Exchange>;

/// Answers by path; those without a script say what was asked. Errors are `error STATUS: MESSAGE`.
class ScriptedHandler : public Handler {
public:
    void on(const std::string& path, std::function<void(ExchangePtr)> script) {
        const std::lock_guard lock(mutex_);
        scripts_[path] = std::move(script);
    }

    void handle(ExchangePtr exchange) override {
        const Request& request = exchange->request();
        if (const auto script = find(request.path)) return script(std::move(exchange));
        exchange->respond({.content_type = "text/plain",
                           .body = request.method + " " + request.path + "?" + request.query + " " + request.body});
    }
    Response error(int status, std::string_view message, const Request& request) override {
        {
            const std::lock_guard lock(mutex_);
            refused_.push_back(request);
        }
        return {.status = status,
                .content_type = "text/plain",
                .body = fmt::format("error {} {}: {}", status, request.path, message)};
    }
    /// What error() was asked for.
    std::vector<Request> refused() {
        const std::lock_guard lock(mutex_);
        return refused_;
    }

private:
    std::function<void(ExchangePtr)> find(const std::string& path) {
        const std::lock_guard lock(mutex_);
        const auto script = scripts_.find(path);
        return script == scripts_.end() ? nullptr : script->second;
    }

    std::mutex mutex_;
    std::map<std::string, std::function<void(ExchangePtr)>> scripts_;
    std::vector<Request> refused_;
};

/// Runs on a thread of its own until the end of the test.
class RunningServer {
public:
    explicit RunningServer(ScriptedHandler& handler, Options options = {}) {
        options.port = 0;
        auto made = Server::make(options, handler);
        if (!made.ok()) throw std::runtime_error(made.error().message);
        server_ = std::move(made).take();
        thread_ = std::thread([this] {
            server_->run();
            ended.set();
        });
    }
    ~RunningServer() {
        server_->stop();
        thread_.join();
    }
    Server* operator->() { return server_.get(); }
    uint16_t port() const { return server_->port(); }

    Signal ended;

private:
    std::unique_ptr<Server> server_;
    std::thread thread_;
};

struct Reply {
    int status = 0;
    std::string head;  // status line and header
    std::map<std::string, std::string> headers;
    std::string body;
    bool whole = false;  // not cut off
};

class Client {
public:
    explicit Client(uint16_t port, int receive_buffer = 0) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        if (receive_buffer) setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    }
    Client(uint16_t port, std::string_view text) : Client(port) { send(text); }
    ~Client() { close(); }
    Client(Client&& other) noexcept : fd_(std::exchange(other.fd_, -1)), input_(std::move(other.input_)) {}

    int fd() const { return fd_; }
    void close() {
        if (fd_ >= 0) ::close(std::exchange(fd_, -1));
    }
    void close_sending() { shutdown(fd_, SHUT_WR); }
    /// Without a word: the other side sees a reset.
    void reset() {
        const linger hard{1, 0};
        setsockopt(fd_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
        close();
    }

    /// False: the server does not take it any more.
    bool send(std::string_view text) {
        while (!text.empty()) {
            const ssize_t sent = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            text.remove_prefix(static_cast<size_t>(sent));
        }
        return true;
    }

    /// What has come so far, once it contains `text` (or the server has closed).
    const std::string& wait_for(std::string_view text) {
        while (input_.find(text) == input_.npos && receive()) {
        }
        return input_;
    }
    /// Status line and header, which it takes.
    std::string head() {
        const size_t end = wait_for("\r\n\r\n").find("\r\n\r\n");
        if (end == input_.npos) return {};
        std::string head = input_.substr(0, end + 2);
        input_.erase(0, end + 4);
        EXPECT_TRUE(head.starts_with("HTTP/1.1 ")) << head;
        return head;
    }
    /// All until the server closes.
    std::string read_all() {
        while (receive()) {
        }
        return std::exchange(input_, {});
    }
    /// The server closes, and has nothing more to say.
    bool closed() { return input_.empty() && !receive() && !timed_out_; }

    Reply reply(bool head_only = false) {
        Reply reply;
        reply.head = head();
        if (reply.head.empty()) return reply;
        parse_head(reply);
        if (head_only || reply.status == 204 || reply.status == 100) {
            reply.whole = true;
        } else if (reply.headers.contains("content-length")) {
            reply.whole = take(static_cast<size_t>(number(reply.headers["content-length"], 10)), reply.body);
        } else if (reply.headers.contains("transfer-encoding")) {
            reply.whole = take_chunks(reply.body);
        } else {
            reply.body = read_all();
        }
        return reply;
    }

    /// The next chunk's data; empty at the last one.
    std::string chunk() {
        wait_for("\r\n");
        const size_t end = input_.find("\r\n");
        if (end == input_.npos) return {};
        const auto size = static_cast<size_t>(number(input_.substr(0, end), 16));
        input_.erase(0, end + 2);
        std::string data;
        if (take(size + 2, data)) data.resize(size);
        return data;
    }

private:
    static long number(std::string_view text, int base) {
        long value = -1;
        std::from_chars(text.data(), text.data() + text.size(), value, base);
        return value;
    }

    void parse_head(Reply& reply) {
        reply.status = static_cast<int>(number(std::string_view(reply.head).substr(9, 3), 10));
        for (size_t at = reply.head.find("\r\n") + 2; at < reply.head.size();) {
            const size_t end = reply.head.find("\r\n", at), colon = reply.head.find(": ", at);
            reply.headers[lower_case(reply.head.substr(at, colon - at))] =
                reply.head.substr(colon + 2, end - colon - 2);
            at = end + 2;
        }
    }

    bool take(size_t size, std::string& out) {
        while (input_.size() < size && receive()) {
        }
        const bool whole = input_.size() >= size;
        out += input_.substr(0, size);
        input_.erase(0, size);
        input_.shrink_to_fit();  // memory is measured
        return whole;
    }

    bool take_chunks(std::string& out) {
        for (;;) {
            const std::string data = chunk();
            if (data.empty()) return timed_out_ || ended_ ? false : true;
            out += data;
        }
    }

    bool receive() {
        pollfd ready{fd_, POLLIN, 0};
        const auto patience = std::chrono::milliseconds(kPatience).count();
        timed_out_ = poll(&ready, 1, static_cast<int>(patience)) != 1;
        EXPECT_FALSE(timed_out_) << "nothing comes";
        char bytes[4096];
        const ssize_t size = timed_out_ ? 0 : recv(fd_, bytes, sizeof bytes, 0);
        ended_ = size <= 0;
        if (!ended_) input_.append(bytes, static_cast<size_t>(size));
        return !ended_;
    }

    int fd_;
    std::string input_;
    bool timed_out_ = false, ended_ = false;
};

}  // namespace godwit::http
