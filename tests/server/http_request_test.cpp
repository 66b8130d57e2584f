// Requests and plain answers over real sockets.
#include <algorithm>

#include "server/http_harness.hpp"

namespace godwit::http {
namespace {

constexpr std::string_view kGet = "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n";

std::string post(std::string_view body, std::string_view headers = "") {
    return fmt::format("POST /b HTTP/1.1\r\nHost: localhost\r\n{}Content-Length: {}\r\n\r\n{}", headers, body.size(),
                       body);
}

class HttpRequest : public testing::Test {
protected:
    ScriptedHandler handler;
    RunningServer server{handler, {.cors_origins = {"https://chat.example"}, .body_bytes_max = 100'000}};
};

TEST_F(HttpRequest, HasTheHeadersOfEveryResponse) {
    Client client(server.port(), kGet);
    Reply first = client.reply();
    EXPECT_TRUE(first.head.starts_with("HTTP/1.1 200 OK\r\n")) << first.head;
    EXPECT_EQ(first.body, "GET /a? ");
    EXPECT_EQ(first.headers["content-type"], "text/plain");
    EXPECT_EQ(first.headers["connection"], "keep-alive");
    EXPECT_EQ(first.headers["server"], "godwit");
    EXPECT_EQ(first.headers["vary"], "Origin");
    tm when{};
    const char* end = strptime(first.headers["date"].c_str(), "%a, %d %b %Y %H:%M:%S GMT", &when);
    ASSERT_TRUE(end && !*end) << first.headers["date"];
    EXPECT_LE(std::abs(timegm(&when) - time(nullptr)), 60);

    client.send(kGet);
    Reply second = client.reply();
    EXPECT_TRUE(first.headers["x-request-id"].starts_with("req_"));
    EXPECT_NE(first.headers["x-request-id"], second.headers["x-request-id"]);
}

TEST_F(HttpRequest, ReachesTheHandlerWhole) {
    Request seen;
    handler.on("/v1/models/org/name", [&](ExchangePtr exchange) {
        seen = exchange->request();
        exchange->respond({.status = 201, .body = "{}", .headers = {{"X-More", "a\r\nInjected: b"}}});
    });
    const std::string_view body("a\0b\xff", 4);
    Client client(server.port(),
                  "PATCH /v1/models/org%2Fname?a=%20&b HTTP/1.1\r\nHOST: localhost\r\nX-Two:  1 \r\nx-two: 2\r\n"
                  "Content-Length: 4\r\n\r\n");
    client.send(body);
    Reply reply = client.reply();
    EXPECT_EQ(reply.status, 201);
    EXPECT_EQ(reply.headers["x-more"], "a  Injected: b");
    EXPECT_EQ(seen.method, "PATCH");
    EXPECT_EQ(seen.query, "a=%20&b");
    EXPECT_EQ(seen.header("x-two"), "1");
    EXPECT_EQ(std::ranges::count(seen.headers, std::pair<std::string, std::string>("x-two", "2")), 1);
    EXPECT_EQ(seen.body, body);
    EXPECT_EQ(seen.peer, "127.0.0.1");
    EXPECT_EQ(seen.id, reply.headers["x-request-id"]);
}

TEST_F(HttpRequest, ArrivesInPiecesOfOneByte) {
    const std::string head = "POST /b HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
    Client client(server.port());
    for (const std::string& text :
         {post("abcde"), head + "3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: t\r\n\r\n", head + "0\r\n\r\n", post("")}) {
        for (const char byte : text) client.send({&byte, 1});
        EXPECT_EQ(client.reply().body, text.find("abc") != text.npos ? "POST /b? abcde" : "POST /b? ");
    }
}

TEST_F(HttpRequest, PipelinedOnesAreAnsweredInOrder) {
    ExchangePtr slow;
    Signal slow_came, fast_came;
    handler.on("/slow", [&](ExchangePtr exchange) {
        slow = std::move(exchange);
        slow_came.set();
    });
    handler.on("/fast", [&](ExchangePtr exchange) {
        fast_came.set();  // before the answer, with which the test may end
        exchange->respond({.body = "fast"});
    });
    Client client(server.port(), "GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n" + post("body") +
                                     "GET /fast HTTP/1.1\r\nHost: localhost\r\n\r\n\r\n");
    ASSERT_TRUE(slow_came.wait());
    EXPECT_EQ(fast_came.count(), 0);
    slow->respond({.body = "slow"});
    EXPECT_EQ(client.reply().body, "slow");
    EXPECT_EQ(client.reply().body, "POST /b? body");
    EXPECT_EQ(client.reply().body, "fast");
    client.send(kGet);
    EXPECT_EQ(client.reply().body, "GET /a? ");
}

TEST_F(HttpRequest, MorePipelinedThanIsReadAheadIsNotLost) {
    constexpr int kMany = 3000;  // 100 kB
    Client client(server.port());
    std::string many;
    for (int i = 0; i < kMany; ++i) many += kGet;
    std::thread sender([&] { client.send(many); });
    int answered = 0;
    while (answered < kMany && client.reply().body == "GET /a? ") ++answered;
    sender.join();
    EXPECT_EQ(answered, kMany);
}

TEST_F(HttpRequest, HeadHasTheHeadersOfGetAndNoBody) {
    Client client(server.port(), "HEAD /a HTTP/1.1\r\nHost: localhost\r\n\r\n");
    Reply reply = client.reply(true);
    EXPECT_EQ(reply.headers["content-length"], "9");
    client.send(kGet);
    EXPECT_EQ(client.reply().body, "GET /a? ");

    handler.on("/stream", [](ExchangePtr exchange) {
        exchange->begin_stream("text/event-stream");
        exchange->send("data: 1\n\n");
        exchange->finish();
    });
    client.send("HEAD /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(client.reply(true).headers["transfer-encoding"], "chunked");
    client.send(kGet);
    EXPECT_EQ(client.reply().body, "GET /a? ");
}

TEST_F(HttpRequest, IsToldToContinueWhenItAsks) {
    Client client(server.port(),
                  "POST /b HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    EXPECT_EQ(client.reply().head, "HTTP/1.1 100 Continue\r\n");
    client.send("ab");
    EXPECT_EQ(client.reply().body, "POST /b? ab");

    EXPECT_EQ(
        Client(server.port(), "POST /b HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 100001\r\n\r\n")
            .reply()
            .status,
        413);
    EXPECT_EQ(Client(server.port(), "POST /b HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nContent-Length: 2\r\n\r\nab")
                  .reply()
                  .status,
              417);
    EXPECT_EQ(
        Client(server.port(), "POST /b HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab").reply().body,
        "POST /b? ab");
}

TEST_F(HttpRequest, KeepsTheConnectionAsTheVersionSays) {
    Client old(server.port(), "GET /a HTTP/1.0\r\n\r\n");
    Reply reply = old.reply();
    EXPECT_EQ(reply.body, "GET /a? ");
    EXPECT_EQ(reply.headers["connection"], "close");
    EXPECT_TRUE(old.closed());

    Client closing(server.port(), "GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(closing.reply().headers["connection"], "close");
    EXPECT_TRUE(closing.closed());

    Client keeping(server.port(), "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(keeping.reply().headers["connection"], "keep-alive");
    keeping.send("GET /a HTTP/1.0\r\n\r\n");
    EXPECT_EQ(keeping.reply().body, "GET /a? ");
    EXPECT_TRUE(keeping.closed());
}

TEST_F(HttpRequest, TargetMayBeAbsolute) {
    EXPECT_EQ(
        Client(server.port(), "GET http://localhost:1/a/b?c HTTP/1.1\r\nHost: other.example\r\n\r\n").reply().body,
        "GET /a/b?c ");
    EXPECT_EQ(Client(server.port(), "GET http://evil.example/a HTTP/1.1\r\nHost: localhost\r\n\r\n").reply().status,
              403);
}

TEST_F(HttpRequest, AnyMethodIsTheHandlersToJudge) {
    EXPECT_EQ(Client(server.port(), "BREW /pot HTTP/1.1\r\nHost: localhost\r\n\r\n").reply().body, "BREW /pot? ");
    EXPECT_EQ(Client(server.port(), "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n").reply().body, "OPTIONS *? ");
}

TEST_F(HttpRequest, MalformedOnesAreRefusedAndTheConnectionClosed) {
    const std::string get = "GET /a HTTP/1.1\r\n", post = "POST /b HTTP/1.1\r\nHost: a\r\n",
                      chunked = post + "Transfer-Encoding: chunked\r\n\r\n";
    const std::pair<int, std::string> cases[] = {
        {400, "\x16\x03\x01\x02"},
        {400, "GET\r\n\r\n"},
        {400, "GET /a\r\n\r\n"},
        {400, "GET /a HTTP/2.0\r\nHost: a\r\n\r\n"},
        {400, "GET a HTTP/1.1\r\nHost: a\r\n\r\n"},
        {400, "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n"},
        {400, "GET /%2 HTTP/1.1\r\nHost: a\r\n\r\n"},
        {400, "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n"},
        {400, "GET /a%00b HTTP/1.1\r\nHost: a\r\n\r\n"},
        {400, get + "\r\n"},
        {400, get + "Host: a\r\nHost: b\r\n\r\n"},
        {400, get + "Host: a\r\nBad Name: x\r\n\r\n"},
        {400, get + "Host: a\r\nX: a\x01\r\n\r\n"},
        {400, get + "Host: a\nX: b\r\n\r\n"},
        {400, post + "Content-Length: -1\r\n\r\n"},
        {400, post + "Content-Length: 1x\r\n\r\n"},
        {400, post + "Content-Length: 99999999999999999999\r\n\r\n"},
        {400, post + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n"},
        {400, post + "Content-Length: 1, 2\r\n\r\n"},
        {400, post + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"},
        {400, post + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n"},
        {400, post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"},
        {400, "POST /b HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
        {400, post + "Transfer-Encoding: gzip, chunked\r\n\r\n"},
        {400, post + "Transfer-Encoding: xchunked\r\n\r\n"},
        {400, chunked + "x\r\n"},
        {400, chunked + "3\r\nabcdef\r\n"},
        {400, chunked + "ffffffffffffffffff\r\n"},
    };
    for (const auto& [status, text] : cases) {
        Client client(server.port(), text);
        Reply reply = client.reply();
        EXPECT_EQ(reply.status, status) << text;
        EXPECT_TRUE(reply.body.starts_with(fmt::format("error {} ", status))) << reply.body;
        EXPECT_EQ(reply.headers["connection"], "close");
        EXPECT_FALSE(reply.headers["x-request-id"].empty());
        EXPECT_TRUE(client.closed()) << text;
    }
}

TEST_F(HttpRequest, WithoutAnAnswerGets500) {
    handler.on("/drop", [](ExchangePtr) {});
    handler.on("/throw", [](ExchangePtr) { throw std::bad_alloc(); });
    Client client(server.port());
    for (const std::string path : {"/drop", "/throw"}) {
        client.send(fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", path));
        Reply reply = client.reply();
        EXPECT_EQ(reply.status, 500);
        EXPECT_TRUE(reply.body.starts_with("error 500 " + path));
    }
}

TEST_F(HttpRequest, IsAnsweredOnce) {
    handler.on("/many", [](ExchangePtr exchange) {
        exchange->send("too early");
        exchange->finish();
        exchange->respond({.body = "one"});
        exchange->respond({.body = "two"});
        exchange->begin_stream("text/plain");
        exchange->send("three");
        exchange->finish();
    });
    Client client(server.port(), "GET /many HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(client.reply().body, "one");
    client.send(kGet);
    EXPECT_EQ(client.reply().body, "GET /a? ");
}

TEST_F(HttpRequest, CompressedBodiesAreUnpacked) {
    // printf 'hello' | gzip -9n
    const std::string gzip("\x1f\x8b\x08\0\0\0\0\0\x02\x03\xcb\x48\xcd\xc9\xc9\x07\0\x86\xa6\x10\x36\x05\0\0\0", 25);
    Client client(server.port(), post(gzip, "Content-Encoding: gzip\r\n"));
    EXPECT_EQ(client.reply().body, "POST /b? hello");
    client.send(post(gzip.substr(0, 20), "Content-Encoding: gzip\r\n"));
    EXPECT_EQ(client.reply().status, 400);
    client.send(post(gzip, "Content-Encoding: br\r\n"));
    EXPECT_EQ(client.reply().status, 415);
}

TEST_F(HttpRequest, FromWebPagesFollowsThePolicy) {
    Client client(server.port(), post("", "Origin: https://chat.example\r\n"));
    EXPECT_EQ(client.reply().headers["access-control-allow-origin"], "https://chat.example");
    client.send(
        "OPTIONS /b HTTP/1.1\r\nHost: localhost\r\nOrigin: https://chat.example\r\nAccess-Control-Request-Method: "
        "POST\r\n"
        "Access-Control-Request-Headers: content-type,x-stainless-os\r\n\r\n");
    Reply preflight = client.reply();
    EXPECT_EQ(preflight.status, 204);
    EXPECT_EQ(preflight.headers["access-control-allow-origin"], "https://chat.example");
    EXPECT_EQ(preflight.headers["access-control-allow-headers"], "content-type,x-stainless-os");
    EXPECT_EQ(preflight.headers.count("content-length"), 0u);
    EXPECT_EQ(preflight.headers.count("access-control-allow-private-network"), 0u);
    client.send(
        "OPTIONS /b HTTP/1.1\r\nHost: localhost\r\nOrigin: https://chat.example\r\nAccess-Control-Request-Method: "
        "POST\r\nAccess-Control-Request-Private-Network: true\r\n\r\n");
    EXPECT_EQ(client.reply().headers["access-control-allow-private-network"], "true");
    client.send(
        "OPTIONS /b HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\nAccess-Control-Request-Method: "
        "POST\r\nAccess-Control-Request-Private-Network: true\r\n\r\n");
    EXPECT_EQ(client.reply().headers.count("access-control-allow-private-network"), 0u);
    client.send(post("", "Origin: https://evil.example\r\n"));
    Reply refused = client.reply();
    EXPECT_EQ(refused.status, 403);
    EXPECT_EQ(refused.headers.count("access-control-allow-origin"), 0u);
    EXPECT_EQ(refused.body,
              "error 403 /b: Origin 'https://evil.example' is not allowed (to allow it: --cors https://evil.example)");
    ASSERT_FALSE(handler.refused().empty());
    const Request logged = handler.refused().back();  // all that a row of the log needs
    EXPECT_EQ(logged.method + " " + logged.path + " " + logged.peer, "POST /b 127.0.0.1");
    EXPECT_EQ(logged.id, refused.headers["x-request-id"]);
    client.send("GET /a HTTP/1.1\r\nHost: rebound.example\r\n\r\n");
    EXPECT_EQ(client.reply().status, 403);
    // a page has to be able to read why
    client.send(post(std::string(100'001, 'x'), "Origin: https://chat.example\r\n"));
    Reply too_long = client.reply();
    EXPECT_EQ(too_long.status, 413);
    EXPECT_EQ(too_long.headers["access-control-allow-origin"], "https://chat.example");
}

}  // namespace
}  // namespace godwit::http
