// HTTP/1.1 for the API: connections, limits, TLS, compressed bodies, event streams. Knows nothing of models; its caller
// is a Handler. One thread (run()'s) does all input and output; handlers run on a few worker threads, so that a large
// request never holds up a stream.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace godwit::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
    std::string id;      // ours, unique in the process: header x-request-id of the response, and the log's
    std::string method;  // "GET"
    std::string path;    // percent-decoded, without the query: "/v1/models/org/name"
    std::string query;   // as sent, without '?'
    Headers headers;     // names in lower case
    std::string body;    // decompressed
    std::string peer;    // address of the client

    /// The first header of that (lower-case) name, or empty.
    std::string_view header(std::string_view name) const;
};

struct Response {
    int status = 200;
    std::string content_type = "application/json";
    std::string body;
    Headers headers;  // more of them
};

/// One request and the answer to it: respond() once, or begin_stream(), send() …, finish(). Calls may come from any
/// thread, never wait, and take effect in the order in which they were made. After the client has gone they do nothing;
/// only a client that closed its sending side alone (`nc -N`, which looks the same until one writes) still gets what
/// respond() gives it.
class Exchange {
public:
    virtual ~Exchange() = default;
    virtual const Request& request() const = 0;

    virtual void respond(Response response) = 0;
    /// 200 and this type; what follows is sent as it comes (chunked). An event stream also gets pings in its silences.
    virtual void begin_stream(std::string_view content_type) = 0;
    /// In an event stream whole events, as a ping may come between two calls.
    virtual void send(std::string data) = 0;
    virtual void finish() = 0;

    /// Runs `call` on the thread of run(), after all that was posted before. Also after the client has gone, but not
    /// after run() returned.
    virtual void post(std::function<void()> call) = 0;
    /// `call` runs once, on the thread of run(), if the client goes away (or closes its sending side), reads too
    /// slowly, or the drain at the end of the server takes too long, before respond() or finish(). Set it before the
    /// first send(); at once if it has happened already.
    virtual void on_gone(std::function<void()> call) = 0;
    virtual bool gone() const = 0;
};

class Handler {
public:
    virtual ~Handler() = default;
    /// On a worker thread. Must see to it that the exchange is answered, now or later; an exchange that is destroyed
    /// unanswered answers 500, a stream that is destroyed unfinished is cut off.
    virtual void handle(std::shared_ptr<Exchange> exchange) = 0;
    /// The answer to what handle() never gets (400, 403, 408, 413, 431 …), and to what it left unanswered (5xx), in the
    /// form that this API's clients read. On any thread, at any time. `request` is what was read of it: it may lack all
    /// but id and peer.
    virtual Response error(int status, std::string_view message, const Request& request) = 0;
};

struct Options {
    std::string host = "127.0.0.1";
    uint16_t port = 8080;                   // 0: any free one
    std::string tls_cert, tls_key;          // files (PEM); both or none
    std::vector<std::string> cors_origins;  // allowed beside loopback ones, as parse_origin() spells them; "*": all
    /// Further names that a Host header may have while `host` is a loopback address
    std::vector<std::string> host_names;
    size_t header_bytes_max = 16 << 10;
    size_t body_bytes_max = 32 << 20;  // also after decompression
    int connections_max = 4096;
    int workers = 2;
    int header_seconds = 10;            // to send the header
    int body_seconds = 60;              // to send the body
    int idle_seconds = 300;             // between requests
    size_t unsent_bytes_max = 1 << 20;  // of a stream: a reader that is further behind when more comes is gone
    int send_seconds = 60;              // without a byte taken by a reader that has some waiting: it is gone
    int ping_seconds = 15;              // silence in a stream before a comment line is sent
    int drain_seconds = 30;             // for answers in work, once stop() was called
    /// Called by run() when it begins to end while answers are in work, with their number.
    std::function<void(size_t answers)> on_drain{};
};

/// Whether only this machine can reach a server at `host`: localhost, 127.x.y.z or ::1, in either case, without
/// brackets or a port. A name like 127.example is none of them.
bool is_loopback(std::string_view host);

/// An origin as browsers send it: "https://chat.example", "http://10.0.0.5:3000"; in lower case, without a final slash
/// or the scheme's own port. "*" stays. Error: it is none (a path, no scheme, …).
Result<std::string> parse_origin(std::string_view text);

class Server {
public:
    /// Binds and listens. Errors: address in use, a certificate that cannot be read, …
    static Result<std::unique_ptr<Server>> make(const Options& options, Handler& handler);
    virtual ~Server() = default;
    virtual uint16_t port() const = 0;
    /// Serves until stop() or SIGTERM or SIGINT, then takes no more connections, lets answers in work finish within the
    /// drain time, and returns.
    virtual void run() = 0;
    /// Any thread.
    virtual void stop() = 0;
    /// For /metrics and /health.
    virtual int connections() const = 0;
    virtual bool draining() const = 0;
};

}  // namespace godwit::http
