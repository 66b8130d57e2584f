// Streams: events as they come, pings, clients that leave or do not read.
#include "server/http_harness.hpp"

namespace godwit::http {
namespace {

std::string get(std::string_view path) { return fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", path); }

/// Keeps the exchange, and says when the client is gone.
struct Held {
    void operator()(ExchangePtr given) {
        exchange = std::move(given);
        exchange->on_gone([this] { gone.set(); });
        if (!type.empty()) exchange->begin_stream(type);
        came.set();
    }
    std::string type;  // empty: no stream yet
    ExchangePtr exchange;
    Signal came, gone;
};

class HttpStream : public testing::Test {
protected:
    /// `held` gets the requests of `path`.
    void hold(const std::string& path, Held& held) {
        handler.on(path, [&held](ExchangePtr exchange) { held(std::move(exchange)); });
    }

    ScriptedHandler handler;
    Held events{.type = "text/event-stream"}, pending;
};

TEST_F(HttpStream, SendsEachEventAtOnce) {
    hold("/events", events);
    RunningServer server(handler);
    Client client(server.port(), get("/events"));
    ASSERT_TRUE(events.came.wait());
    const std::string head = client.head();
    for (const char* header : {"Content-Type: text/event-stream\r\n", "Cache-Control: no-cache\r\n",
                               "X-Accel-Buffering: no\r\n", "Transfer-Encoding: chunked\r\n", "x-request-id: req_"})
        EXPECT_NE(head.find(header), head.npos) << head;
    for (const std::string event : {"data: 1\n\n", "data: two\n\n"}) {
        events.exchange->send(event);
        EXPECT_EQ(client.chunk(), event);
    }
    events.exchange->send("");  // would be the last chunk
    events.exchange->send("data: 3\n\n");
    EXPECT_EQ(client.chunk(), "data: 3\n\n");
    events.exchange->finish();
    EXPECT_EQ(client.chunk(), "");
    client.send(get("/after"));
    EXPECT_EQ(client.reply().body, "GET /after? ");
    EXPECT_EQ(events.gone.count(), 0);
}

TEST_F(HttpStream, EndsWithTheConnectionInHttp10) {
    hold("/events", events);
    RunningServer server(handler);
    Client client(server.port(), "GET /events HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    ASSERT_TRUE(events.came.wait());
    events.exchange->send("data: 1\n\n");
    events.exchange->send("data: 2\n\n");
    events.exchange->finish();
    Reply reply = client.reply();
    EXPECT_EQ(reply.headers.count("transfer-encoding"), 0u);
    EXPECT_EQ(reply.body, "data: 1\n\ndata: 2\n\n");
}

TEST_F(HttpStream, IsPingedInItsSilenceIfItIsOfEvents) {
    Held plain{.type = "text/plain"};
    hold("/events", events);
    hold("/plain", plain);
    RunningServer server(handler, {.ping_seconds = 1});
    Client plain_client(server.port(), get("/plain"));
    ASSERT_TRUE(plain.came.wait());
    Client client(server.port(), get("/events"));
    client.head();
    EXPECT_EQ(client.chunk(), ": ping\n\n");
    ASSERT_TRUE(events.came.wait());
    events.exchange->send("data: 1\n\n");
    EXPECT_EQ(client.chunk(), "data: 1\n\n");
    EXPECT_EQ(client.chunk(), ": ping\n\n");
    plain.exchange->send("done");
    plain.exchange->finish();
    EXPECT_EQ(plain_client.reply().body, "done");
}

TEST_F(HttpStream, CutOffWhenItsExchangeIsDropped) {
    hold("/events", events);
    RunningServer server(handler);
    int streams = 0;
    for (const size_t size : {1, 8 << 20}) {
        Client client(server.port(), get("/events"));
        ASSERT_TRUE(events.came.wait(++streams));
        const std::string event = "data: " + std::string(size, 'x') + "\n\n";
        events.exchange->send(event);
        events.exchange.reset();
        Reply reply = client.reply();
        EXPECT_TRUE(reply.body == event);  // what was sent arrives
        EXPECT_FALSE(reply.whole);
    }
}

TEST_F(HttpStream, VanishedClientIsNoticedAtOnce) {
    hold("/events", events);
    hold("/pending", pending);
    RunningServer server(handler);
    int count = 0;
    for (const bool hard : {false, true})
        for (Held* held : {&events, &pending}) {
            Client client(server.port(), get(held == &events ? "/events" : "/pending"));
            ASSERT_TRUE(held->came.wait(1 + count / 2));
            hard ? client.reset() : client.close();
            ASSERT_TRUE(held->gone.wait(1 + count / 2));
            EXPECT_TRUE(held->exchange->gone());
            Signal late;
            held->exchange->on_gone([&] { late.set(); });
            EXPECT_TRUE(late.wait());
            held->exchange->send("nobody");
            held->exchange->finish();
            held->exchange.reset();
            ++count;
        }
    EXPECT_EQ(events.gone.count(), 2);
    EXPECT_EQ(pending.gone.count(), 2);
}

TEST_F(HttpStream, RequestsSentAheadDoNotHideThatTheClientLeft) {
    hold("/events", events);
    RunningServer server(handler);
    Client client(server.port(), get("/events") + get("/next"));
    ASSERT_TRUE(events.came.wait());
    client.send(get("/last"));
    client.close();
    EXPECT_TRUE(events.gone.wait());
    events.exchange.reset();
}

TEST_F(HttpStream, RequestsAreReadAheadOnlySoFar) {
    hold("/events", events);
    RunningServer server(handler);
    Client client(server.port(), get("/events"));
    ASSERT_TRUE(events.came.wait());
    const std::string many(1 << 20, 'x');
    size_t taken = 0;  // by the server and the kernel
    for (pollfd room{client.fd(), POLLOUT, 0}; taken < 64 << 20 && poll(&room, 1, 500) == 1;)
        taken += static_cast<size_t>(
            std::max<ssize_t>(0, ::send(client.fd(), many.data(), many.size(), MSG_DONTWAIT | MSG_NOSIGNAL)));
    EXPECT_LT(taken, size_t{64} << 20);
    events.exchange->send("data: still there\n\n");
    client.head();
    EXPECT_EQ(client.chunk(), "data: still there\n\n");
    events.exchange.reset();
}

TEST_F(HttpStream, HalfClosedClientGetsShortAnswersOnly) {
    hold("/events", events);
    hold("/pending", pending);
    RunningServer server(handler);
    Client pipe(server.port(), get("/one") + get("/two"));
    pipe.close_sending();
    EXPECT_EQ(pipe.reply().body, "GET /one? ");
    EXPECT_EQ(pipe.reply().body, "GET /two? ");
    EXPECT_TRUE(pipe.closed());

    Client waiting(server.port(), get("/pending"));
    ASSERT_TRUE(pending.came.wait());
    waiting.close_sending();
    ASSERT_TRUE(pending.gone.wait());  // work is to end …
    pending.exchange->respond({.body = "but this is there already"});
    EXPECT_EQ(waiting.reply().body, "but this is there already");
    EXPECT_TRUE(waiting.closed());

    Client dropped(server.port(), get("/pending"));
    ASSERT_TRUE(pending.came.wait(2));
    dropped.close_sending();
    ASSERT_TRUE(pending.gone.wait(2));
    pending.exchange.reset();
    EXPECT_TRUE(dropped.closed());

    Client late(server.port(), get("/pending"));
    ASSERT_TRUE(pending.came.wait(3));
    late.close_sending();
    ASSERT_TRUE(pending.gone.wait(3));
    pending.exchange->begin_stream("text/event-stream");
    EXPECT_TRUE(late.closed());

    Held first;
    hold("/first", first);
    Client ahead(server.port(), get("/first") + get("/pending"));
    ahead.close_sending();
    ASSERT_TRUE(first.came.wait() && first.gone.wait());
    first.exchange->respond({.body = "first"});
    EXPECT_EQ(ahead.reply().body, "first");
    ASSERT_TRUE(pending.gone.wait(4));  // what was sent ahead is no better
    pending.exchange->respond({.body = "second"});
    EXPECT_EQ(ahead.reply().body, "second");

    Client streaming(server.port(), get("/events"));
    ASSERT_TRUE(events.came.wait());
    streaming.head();
    streaming.close_sending();
    EXPECT_TRUE(events.gone.wait());
    EXPECT_TRUE(streaming.closed());
    events.exchange.reset();
}

TEST_F(HttpStream, SlowReaderIsCutOffAndHoldsUpNobody) {
    Held slow{.type = "text/plain"};
    hold("/slow", slow);
    hold("/events", events);
    RunningServer server(handler, {.unsent_bytes_max = 100'000});
    Client reader(server.port(), get("/events")), sleeper(server.port(), 4096);
    sleeper.send(get("/slow"));
    ASSERT_TRUE(slow.came.wait() && events.came.wait());
    reader.head();
    for (int i = 0; !slow.exchange->gone(); ++i) {  // the kernel takes some MB first
        slow.exchange->send(std::string(10'000, 'x'));
        const std::string event = fmt::format("data: {}\n\n", i);
        events.exchange->send(event);
        ASSERT_EQ(reader.chunk(), event);
    }
    EXPECT_TRUE(slow.gone.wait());
    EXPECT_EQ(events.gone.count(), 0);
    EXPECT_EQ(server->connections(), 1);
    slow.exchange.reset();
    events.exchange.reset();
}

TEST_F(HttpStream, LongEventIsNoFaultOfItsReader) {
    hold("/events", events);
    RunningServer server(handler, {.unsent_bytes_max = 1000});
    Client client(server.port(), get("/events"));
    ASSERT_TRUE(events.came.wait());
    client.head();
    const std::string event = "data: " + std::string(8 << 20, 'x') + "\n\n";
    events.exchange->send(event);
    EXPECT_EQ(client.chunk(), event);
    events.exchange->finish();
    EXPECT_EQ(client.chunk(), "");
}

TEST_F(HttpStream, ReaderThatTakesNothingForTooLongIsCutOff) {
    Held slow{.type = "text/plain"};
    hold("/slow", slow);
    handler.on("/large", [](ExchangePtr exchange) { exchange->respond({.body = std::string(64 << 20, 'x')}); });
    RunningServer server(handler, {.unsent_bytes_max = 256 << 20, .send_seconds = 1});
    Client stream(server.port(), 4096), large(server.port(), 4096);
    large.send(get("/large"));
    stream.send(get("/slow"));
    ASSERT_TRUE(slow.came.wait());
    slow.exchange->send(std::string(64 << 20, 'x'));
    EXPECT_TRUE(slow.gone.wait());
    large.head();
    EXPECT_LT(large.read_all().size(), size_t{64} << 20);
    slow.exchange.reset();
}

TEST_F(HttpStream, CallsTakeEffectInTheirOrder) {
    hold("/events", events);
    RunningServer server(handler);
    Client client(server.port(), get("/events"));
    ASSERT_TRUE(events.came.wait());
    Signal posted;
    std::thread::id first, second;
    events.exchange->post([&] {
        first = std::this_thread::get_id();
        events.exchange->send("data: 1\n\n");
        posted.set();
    });
    ASSERT_TRUE(posted.wait());
    client.head();
    EXPECT_EQ(client.chunk(), "data: 1\n\n");
    client.close();
    ASSERT_TRUE(events.gone.wait());
    events.exchange->post([&] { throw std::bad_alloc(); });
    events.exchange->post([&] {
        second = std::this_thread::get_id();
        posted.set();
    });
    ASSERT_TRUE(posted.wait(2));
    EXPECT_EQ(first, second);
    EXPECT_NE(first, std::this_thread::get_id());
    events.exchange.reset();
}

TEST_F(HttpStream, ManyThreadsSendAtOnce) {
    constexpr int kStreams = 8, kEvents = 500;
    std::vector<std::thread> senders;
    std::mutex mutex;
    handler.on("/events", [&](ExchangePtr exchange) {
        const std::lock_guard lock(mutex);
        senders.emplace_back([exchange = std::move(exchange)] {
            exchange->begin_stream("text/event-stream");
            for (int i = 0; i < kEvents; ++i) exchange->send(fmt::format("data: {}\n\n", i));
            exchange->finish();
        });
    });
    RunningServer server(handler);
    std::string expected;
    for (int i = 0; i < kEvents; ++i) expected += fmt::format("data: {}\n\n", i);
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < kStreams; ++i) clients.push_back(std::make_unique<Client>(server.port(), get("/events")));
    for (const auto& client : clients) {
        const Reply reply = client->reply();
        EXPECT_TRUE(reply.whole);
        EXPECT_EQ(reply.body, expected);
    }
    for (auto& sender : senders) sender.join();
}

}  // namespace
}  // namespace godwit::http
