// The API without sockets: an exchange that keeps what it is told, and the endpoints around a tiny model whose every
// token decides the next.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

#include "engine/sampling_defaults.hpp"
#include "engine/seeded_model.hpp"
#include "file/temp_dir.hpp"
#include "server/api/endpoints.hpp"

namespace godwit::test {

/// What a client would have seen.
struct Reply {
    int status = 0;
    std::string content_type, body;
    http::Headers headers;

    Json json() const {
        Result<Json> parsed = parse_json(body);
        EXPECT_TRUE(parsed.ok()) << body;
        return parsed.ok() ? parsed.value() : Json::object();
    }
    /// The data of a stream's events, [DONE] not among them.
    std::vector<Json> events() const {
        std::vector<Json> events;
        for (size_t begin = 0, end; begin < body.size(); begin = end + 2) {
            end = body.find("\n\n", begin);
            EXPECT_NE(end, body.npos) << "an event without its end: " << body;
            std::string data = body.substr(begin, end - begin);
            EXPECT_TRUE(data.starts_with("data: ")) << data;
            if (data == "data: [DONE]") continue;
            Result<Json> parsed = parse_json(data.substr(6));
            EXPECT_TRUE(parsed.ok()) << data;
            if (parsed.ok()) events.push_back(parsed.value());
        }
        return events;
    }
    std::string param() const {
        return json()["error"]["param"].is_string() ? json()["error"]["param"].get<std::string>() : "";
    }
    std::string message() const { return json()["error"]["message"].get<std::string>(); }
};

/// Its "thread" is whoever calls run().
class FakeExchange final : public http::Exchange {
public:
    explicit FakeExchange(http::Request request) : request_(std::move(request)) {}

    const http::Request& request() const override { return request_; }
    void respond(http::Response response) override {
        EXPECT_FALSE(answered_) << "a second answer";
        reply.status = response.status;
        reply.content_type = response.content_type;
        reply.headers = response.headers;
        reply.body = response.body;
        answer();
    }
    void begin_stream(std::string_view content_type) override {
        EXPECT_EQ(reply.status, 0) << "a second answer";
        reply.status = 200;
        reply.content_type = content_type;
    }
    void send(std::string data) override { reply.body += data; }
    void finish() override { answer(); }
    void post(std::function<void()> call) override {
        std::lock_guard lock(mutex_);
        if (answered_) return;  // nobody runs it, and what it holds may hold this
        posted_.push_back(std::move(call));
        changed_.notify_all();
    }
    void on_gone(std::function<void()> call) override { gone_ = std::move(call); }
    bool gone() const override { return is_gone_; }

    /// The client goes away.
    void leave() {
        is_gone_ = true;
        if (gone_) gone_();
    }
    /// Does what is posted until `enough`.
    void run(const std::function<bool()>& enough) {
        std::unique_lock lock(mutex_);
        while (!enough()) {
            // Not everything that may be enough is told here: look again now and then.
            if (!changed_.wait_for(lock, std::chrono::milliseconds(1), [&] { return !posted_.empty(); })) continue;
            std::function<void()> call = std::move(posted_.front());
            posted_.pop_front();
            lock.unlock();
            call();
            call = nullptr;
            lock.lock();
        }
    }
    void run() {
        run([&] { return answered_; });
    }
    bool answered() const { return answered_; }

    Reply reply;

private:
    void answer() {
        std::deque<std::function<void()>> dropped;
        std::lock_guard lock(mutex_);
        answered_ = true;
        dropped.swap(posted_);
    }

    const http::Request request_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> posted_;
    std::function<void()> gone_;
    bool answered_ = false, is_gone_ = false;
};

/// ChatML without special tokens: the tiny vocabulary has none to spare.
inline constexpr const char* kTemplate =
    "{% for message in messages %}[{{ message.role }}]{{ message.content }}{% if not loop.last or "
    "add_generation_prompt %};{% endif %}"
    "{% endfor %}{% if tools %}<tools {{ tools | length }}>{% endif %}{% if add_generation_prompt %}[assistant]{% "
    "endif %}";

/// After a capital letter the next one, after Z the end.
inline int32_t next_letter(int32_t token) {
    if (token < kPiece0) return piece("A");
    std::string_view text = kPieces[token - kPiece0];
    if (text == "Z" || text == "▁Z") return kEos;
    char letter = text.back();
    return letter >= 'A' && letter < 'Z' ? piece(std::string(1, static_cast<char>(letter + 1))) : piece("A");
}

/// Sure of its next letter, but a logit_bias of 100 is stronger.
inline GgufWriter letters() { return chain_llama(next_letter, 256, 3); }

class Api {
public:
    explicit Api(api::EndpointsOptions options = {}, bool with_template = true) : endpoints(quiet(std::move(options))) {
        GgufWriter file = letters();
        if (with_template) file.set("tokenizer.chat_template", kTemplate);
        add("letters", file);
        endpoints.ready();
    }

    /// Another model, before it is asked for.
    void add(const std::string& name, const GgufWriter& file, std::function<void()> before_sampling = {}) {
        std::string path = folder.write(name + ".gguf", file.bytes());
        auto model = std::make_unique<api::ServedModel>();
        model->id = name;
        model->created = 1;
        Result<std::unique_ptr<EngineImpl>> engine =
            EngineImpl::make(Runtime::make({.threads = 1}), {.model = path, .sequences = 4});
        ASSERT_TRUE(engine.ok()) << engine.error().message;
        model->engine = std::move(engine).take();
        model->sampling = read_sampling_defaults(model->engine->model().file.metadata()).params;
        if (before_sampling) model->engine->on_logits = [=](auto, auto) { before_sampling(); };
        model->engine->start();
        endpoints.add(std::move(model));
    }

    std::shared_ptr<FakeExchange> start(const std::string& method, const std::string& path, const std::string& body,
                                        http::Headers headers = {}) {
        auto exchange = std::make_shared<FakeExchange>(http::Request{.id = "1",
                                                                     .method = method,
                                                                     .path = path,
                                                                     .query = "",
                                                                     .headers = std::move(headers),
                                                                     .body = body,
                                                                     .peer = "test"});
        endpoints.handle(exchange);
        return exchange;
    }
    Reply ask(const std::string& method, const std::string& path, const std::string& body = "",
              http::Headers headers = {}) {
        auto exchange = start(method, path, body, std::move(headers));
        exchange->run();
        return exchange->reply;
    }
    Reply post(const std::string& path, const Json& body) { return ask("POST", path, json_text(body)); }
    Reply chat(Json body) {
        if (!body.contains("messages")) body["messages"] = {{{"role", "user"}, {"content", "A"}}};
        return post("/v1/chat/completions", body);
    }

    TempDir folder;
    api::Endpoints endpoints;

private:
    static api::EndpointsOptions quiet(api::EndpointsOptions options) {
        options.log.quiet = options.log_to == stderr;
        return options;
    }
};

/// A logit_bias that leaves no other choice.
inline Json forced(TokenId token) { return {{std::to_string(token), 100}}; }

/// The logprobs of the only choice, whole or put together from a stream.
inline Json logprobs_of(const Reply& reply, bool stream) {
    if (!stream) return reply.json()["choices"][0]["logprobs"];
    Json all = Json::object();
    for (const Json& event : reply.events())
        if (const Json& part = event["choices"][0]["logprobs"]; !part.is_null())
            for (const auto& [list, entries] : part.items())
                if (entries.is_array())
                    for (const Json& entry : entries) all[list].push_back(entry);
    return all;
}

/// A request, and the member at fault.
struct Fault {
    Json body;
    const char* param;
};

}  // namespace godwit::test
