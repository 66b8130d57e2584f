// Limits of size, time and number; the end of the server; what make() refuses.
#include <csignal>
#include <filesystem>
#include <fstream>

#include "server/http_harness.hpp"

namespace godwit::http {
namespace {

std::string get(std::string_view path) { return fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", path); }

class HttpLimits : public testing::Test {
protected:
    ScriptedHandler handler;
};

TEST_F(HttpLimits, OfBytes) {
    RunningServer server(handler, {.header_bytes_max = 1000, .body_bytes_max = 5000});
    const std::string post = "POST /b HTTP/1.1\r\nHost: localhost\r\n",
                      chunked = post + "Transfer-Encoding: chunked\r\n\r\n";
    std::string many_lines = "GET / HTTP/1.1\r\nHost: localhost\r\n";
    while (many_lines.size() < 1000) many_lines += "A: b\r\n";
    const std::pair<int, std::string> cases[] = {
        {200, "GET /" + std::string(900, 'a') + " HTTP/1.1\r\nHost: localhost\r\n\r\n"},
        {414, "GET /" + std::string(2000, 'a')},
        {431, "GET / HTTP/1.1\r\nHost: localhost\r\nA: " + std::string(2000, 'a')},
        {431, many_lines},
        {431, many_lines + "\r\n"},
        {200, post + "Content-Length: 5000\r\n\r\n" + std::string(5000, 'a')},
        {413, post + "Content-Length: 5001\r\n\r\n"},  // refused before the body comes
        {200, chunked + "1388\r\n" + std::string(5000, 'a') + "\r\n0\r\n\r\n"},
        {413, chunked + "1389\r\n"},
        {413, chunked + "1388\r\n" + std::string(5000, 'a') + "\r\n1\r\n"},
        {400, chunked + "1;" + std::string(2000, 'a')},
        {400, chunked + "0\r\nA: " + std::string(2000, 'a')},
    };
    for (const auto& [status, text] : cases) {
        Client client(server.port(), text);
        EXPECT_EQ(client.reply().status, status) << text.substr(0, 200);
        EXPECT_TRUE(status == 200 || client.closed());
    }
    // line by line: what has been parsed counts too
    Client lines(server.port());
    for (const auto& part : {many_lines.substr(0, 300), many_lines.substr(300, 300), many_lines.substr(600)})
        lines.send(part);
    EXPECT_EQ(lines.reply().status, 431);
}

TEST_F(HttpLimits, ClientThatGoesOnSendingCanReadWhyItWasRefused) {
    RunningServer server(handler, {.body_bytes_max = 5000});
    Client client(server.port(), "POST /b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3000000\r\n\r\n");
    client.send(std::string(3'000'000, 'x'));
    EXPECT_EQ(client.reply().status, 413);
}

TEST_F(HttpLimits, OfTime) {
    // 0 seconds: over as soon as the server looks at its timers
    RunningServer header(handler, {.header_seconds = 0}), body(handler, {.body_seconds = 0}),
        idle(handler, {.idle_seconds = 0});
    Client slow_header(header.port(), "GET /a HTTP/1.1\r\nHost: lo");
    Reply reply = slow_header.reply();
    EXPECT_EQ(reply.status, 408);
    EXPECT_TRUE(slow_header.closed());

    Client slow_body(body.port(), "POST /b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nab");
    reply = slow_body.reply();
    EXPECT_EQ(reply.status, 408);
    EXPECT_TRUE(reply.body.starts_with("error 408 /b")) << reply.body;
    EXPECT_TRUE(slow_body.closed());

    Client silent(idle.port());
    EXPECT_TRUE(silent.closed());
}

TEST_F(HttpLimits, OfConnections) {
    RunningServer server(handler, {.connections_max = 2});
    Client one(server.port(), get("/1")), two(server.port(), get("/2"));
    EXPECT_EQ(one.reply().status, 200);
    EXPECT_EQ(two.reply().status, 200);
    Client three(server.port(), get("/3"));
    Reply refused = three.reply();
    EXPECT_EQ(refused.status, 503);
    EXPECT_TRUE(refused.body.starts_with("error 503 ")) << refused.body;
    EXPECT_TRUE(three.closed());
    three.close();
    one.close();
    EXPECT_TRUE(eventually([&] { return server->connections() == 1; }));
    EXPECT_EQ(Client(server.port(), get("/4")).reply().status, 200);
    two.send(get("/5"));
    EXPECT_EQ(two.reply().body, "GET /5? ");
}

TEST_F(HttpLimits, OfRefusals) {
    RunningServer server(handler, {.connections_max = 0});
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 64; ++i) {
        clients.push_back(std::make_unique<Client>(server.port()));
        EXPECT_EQ(clients.back()->reply().status, 503);
    }
    EXPECT_TRUE(Client(server.port()).closed());
}

class HttpEnd : public HttpLimits {
protected:
    void SetUp() override {
        handler.on("/work", [this](ExchangePtr exchange) {
            working = std::move(exchange);
            working->on_gone([this] { gone.set(); });
            working->begin_stream("text/event-stream");
            came.set();
        });
    }
    ExchangePtr working;
    Signal came, gone;
};

TEST_F(HttpEnd, LetsAnswersInWorkFinish) {
    RunningServer server(handler);
    Client idle(server.port(), get("/a")), half(server.port(), "GET /b HTTP/1.1\r\n"),
        busy(server.port(), get("/work") + get("/next"));
    EXPECT_EQ(idle.reply().status, 200);
    ASSERT_TRUE(came.wait());
    EXPECT_FALSE(server->draining());
    server->stop();
    EXPECT_TRUE(idle.closed());
    EXPECT_TRUE(half.closed());
    EXPECT_TRUE(server->draining());
    const int late = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{
        .sin_family = AF_INET, .sin_port = htons(server.port()), .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    EXPECT_NE(connect(late, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    close(late);
    EXPECT_EQ(server.ended.count(), 0);
    working->send("data: last\n\n");
    working->finish();
    const Reply reply = busy.reply();
    EXPECT_EQ(reply.body, "data: last\n\n");
    EXPECT_TRUE(reply.whole);
    EXPECT_TRUE(busy.closed());
    busy.close();
    EXPECT_TRUE(server.ended.wait());
    EXPECT_EQ(gone.count(), 0);
}

TEST_F(HttpEnd, WaitsForThemOnlySoLong) {
    RunningServer server(handler, {.drain_seconds = 0});
    Client busy(server.port(), get("/work"));
    ASSERT_TRUE(came.wait());
    server->stop();
    EXPECT_TRUE(gone.wait());
    EXPECT_TRUE(server.ended.wait());
    const Reply reply = busy.reply();
    EXPECT_TRUE(reply.whole);
    EXPECT_NE(reply.body.find("the server is shutting down"), std::string::npos) << reply.body;
    // exchanges may live longer than run(), and their calls fall on deaf ears
    working->send("x");
    working->on_gone([] { ADD_FAILURE(); });
    working->post([] { ADD_FAILURE(); });
    working.reset();
}

TEST_F(HttpEnd, ComesWithASignalAndAtOnceWithTheSecond) {
    RunningServer server(handler);
    Client busy(server.port(), get("/work"));
    ASSERT_TRUE(came.wait());
    kill(getpid(), SIGTERM);
    EXPECT_TRUE(eventually([&] { return server->draining(); }));
    EXPECT_EQ(server.ended.count(), 0);
    kill(getpid(), SIGINT);
    EXPECT_TRUE(server.ended.wait());
    EXPECT_EQ(gone.count(), 1);
    working.reset();
}

TEST_F(HttpEnd, MayComeBeforeTheBeginning) {
    auto server = Server::make({.port = 0}, handler);
    ASSERT_TRUE(server.ok()) << server.error().message;
    server.value()->stop();
    server.value()->run();
    auto unused = Server::make({.port = 0}, handler);
    ASSERT_TRUE(unused.ok());
}

TEST_F(HttpLimits, MakeSaysWhatIsWrong) {
    RunningServer server(handler);
    const auto message = [&](const Options& options) {
        auto made = Server::make(options, handler);
        return made.ok() ? "no error" : made.error().message;
    };
    EXPECT_EQ(message({.port = server.port()}),
              fmt::format(
                  "listen: 127.0.0.1 port {}: Address already in use (another server runs there; choose another port)",
                  server.port()));
    EXPECT_TRUE(message({.host = "no such host", .port = 0})
                    .starts_with("listen: 'no such host' is no address of this machine: "));
    EXPECT_EQ(message({.host = "192.0.2.1", .port = 0}), "listen: '192.0.2.1' is no address of this machine");
    EXPECT_TRUE(message({.port = 0, .tls_cert = "cert.pem"}).starts_with("tls: "));
}

TEST_F(HttpLimits, ListensOnNamesAndIPv6) {
    for (const char* host : {"localhost", "0.0.0.0"}) {
        RunningServer server(handler, {.host = host});
        EXPECT_EQ(Client(server.port(), get("/a")).reply().status, 200) << host;
    }
    auto six = Server::make({.host = "::1", .port = 0}, handler);
    EXPECT_TRUE(six.ok() || six.error().message.starts_with("listen: ::1 port 0: "));  // not every machine has IPv6
}

}  // namespace
}  // namespace godwit::http
