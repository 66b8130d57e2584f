// The OpenAI endpoints: shapes, faults, and the inputs that broke other servers (C…, D…, G…: their numbers in our list
// of such inputs).
#include <future>
#include <thread>

#include "server/fake_exchange.hpp"

namespace godwit::test {
namespace {

constexpr const char* kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

Json forced(TokenId token) { return {{std::to_string(token), 100}}; }

std::string streamed_text(const Reply& reply) {
    std::string text;
    for (const Json& event : reply.events())
        for (const Json& choice : event["choices"])
            if (choice.contains("delta") && choice["delta"].contains("content"))
                text += choice["delta"]["content"].get<std::string>();
    return text;
}

TEST(Chat, AnswersInOpenAisShape) {
    Api api;
    Reply reply = api.chat({{"model", "letters"}, {"temperature", 0}});
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.content_type, "application/json");
    Json json = reply.json();
    EXPECT_TRUE(json["id"].get<std::string>().starts_with("chatcmpl-"));
    EXPECT_EQ(json["object"].get<std::string>(), "chat.completion");
    EXPECT_TRUE(json["created"].is_number_integer());
    EXPECT_EQ(json["model"].get<std::string>(), "letters");
    EXPECT_EQ(
        json_text(json["choices"]),
        R"([{"index":0,"message":{"role":"assistant","content":"ABCDEFGHIJKLMNOPQRSTUVWXYZ","refusal":null,"annotations":[]},)"
        R"("logprobs":null,"finish_reason":"stop"}])");
    EXPECT_EQ(json["usage"]["completion_tokens"].get<int>(), 26);
    EXPECT_EQ(json["usage"]["total_tokens"].get<int>(), 26 + json["usage"]["prompt_tokens"].get<int>());
    EXPECT_EQ(json["usage"]["prompt_tokens_details"]["cached_tokens"].get<int>(), 0);
}

// C2, C3, C4, C14.
TEST(Chat, StreamsInOrderWithOneFinishReason) {
    Api api;
    Reply reply = api.chat(
        {{"temperature", 0}, {"stream", true}, {"stream_options", {{"include_usage", true}}}, {"max_tokens", 3}});
    EXPECT_EQ(reply.content_type, "text/event-stream");
    EXPECT_TRUE(reply.body.ends_with("data: [DONE]\n\n"));
    std::vector<Json> events = reply.events();
    ASSERT_EQ(events.size(), 6u);
    EXPECT_EQ(json_text(events[0]["choices"]),
              R"([{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}])");
    for (int i : {1, 2, 3}) {
        EXPECT_EQ(json_text(events[i]["choices"]),
                  fmt::format(R"([{{"index":0,"delta":{{"content":"{}"}},"logprobs":null,"finish_reason":null}}])",
                              kAlphabet[i - 1]));
        EXPECT_TRUE(events[i].contains("usage") && events[i]["usage"].is_null());
    }
    EXPECT_EQ(json_text(events[4]["choices"]), R"([{"index":0,"delta":{},"logprobs":null,"finish_reason":"length"}])");
    EXPECT_EQ(json_text(events[5]["choices"]), "[]");
    EXPECT_EQ(events[5]["usage"]["completion_tokens"].get<int>(), 3);
    for (const Json& event : events) {
        EXPECT_EQ(event["id"], events[0]["id"]);
        EXPECT_EQ(event["created"], events[0]["created"]);
        EXPECT_EQ(event["object"].get<std::string>(), "chat.completion.chunk");
    }
    Reply plain = api.chat({{"temperature", 0}, {"stream", true}, {"max_tokens", 3}});
    for (const Json& event : plain.events()) EXPECT_FALSE(event.contains("usage"));
}

TEST(Chat, AStreamSaysWhatTheWholeAnswerSays) {
    Api api;
    for (Json body : {Json{{"temperature", 1.5}, {"seed", 7}}, Json{{"stop", {"F", "G"}}, {"temperature", 0}},
                      Json{{"max_tokens", 0}}, Json{{"logit_bias", forced(byte_token(0xFF))}, {"max_tokens", 2}}}) {
        std::string whole = api.chat(body).json()["choices"][0]["message"]["content"].get<std::string>();
        body["stream"] = true;
        EXPECT_EQ(streamed_text(api.chat(body)), whole) << body;
    }
}

// C13.
TEST(Chat, SeveralChoicesAreCountedAndTold) {
    Api api;
    Reply reply = api.chat({{"n", 2}, {"max_tokens", 2}, {"seed", -3}});
    Json json = reply.json();
    ASSERT_EQ(json["choices"].size(), 2u);
    EXPECT_EQ(json["choices"][1]["index"].get<int>(), 1);
    EXPECT_EQ(json["usage"]["completion_tokens"].get<int>(), 4);
    Reply stream = api.chat({{"n", 2}, {"max_tokens", 2}, {"stream", true}});
    int roles = 0, finishes = 0;
    for (const Json& event : stream.events()) {
        roles += event["choices"][0]["delta"].contains("role");
        finishes += !event["choices"][0]["finish_reason"].is_null();
    }
    EXPECT_EQ(roles, 2);
    EXPECT_EQ(finishes, 2);
}

// C15, D8.
TEST(Chat, LogprobsHaveTheBytesOfTheirTokens) {
    Api api;
    Json without_top = api.chat({{"logprobs", true}, {"max_tokens", 1}, {"temperature", 0}})
                           .json()["choices"][0]["logprobs"]["content"];
    ASSERT_EQ(without_top.size(), 1u);
    EXPECT_EQ(without_top[0]["token"].get<std::string>(), "A");
    EXPECT_EQ(json_text(without_top[0]["top_logprobs"]), "[]");
    Json top =
        api.chat({{"logprobs", true}, {"top_logprobs", 3}, {"max_tokens", 1}, {"logit_bias", forced(byte_token(0xF0))}})
            .json()["choices"][0]["logprobs"]["content"];
    EXPECT_EQ(json_text(top[0]["bytes"]), "[240]");
    ASSERT_EQ(top[0]["top_logprobs"].size(), 3u);
    EXPECT_EQ(json_text(top[0]["top_logprobs"][0]["bytes"]), "[65]");  // of the raw logits: the bias is not in them
    Reply stream =
        api.chat({{"logprobs", true}, {"max_tokens", 2}, {"stream", true}, {"logit_bias", forced(byte_token(0xF0))}});
    int entries = 0;
    for (const Json& event : stream.events())
        if (!event["choices"][0]["logprobs"].is_null())
            entries += static_cast<int>(event["choices"][0]["logprobs"]["content"].size());
    EXPECT_EQ(entries, 2);
}

// D7.
TEST(Chat, AByteThatIsNoTextBecomesAReplacementCharacter) {
    Api api;
    Reply reply = api.chat({{"logit_bias", forced(byte_token(0xFF))}, {"max_tokens", 1}});
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.json()["choices"][0]["message"]["content"].get<std::string>(), "\xEF\xBF\xBD");
}

// D9, D10, G5.
TEST(Chat, StopsEndTheAnswerBeforeThem) {
    Api api;
    auto content = [&](Json stop, int tokens) {
        Json body = {{"temperature", 0},
                     {"stop", std::move(stop)},
                     {"max_tokens", tokens},
                     {"logprobs", true},
                     {"top_logprobs", 2}};
        Json choice = api.chat(body).json()["choices"][0];
        return choice["message"]["content"].get<std::string>() + "|" + choice["finish_reason"].get<std::string>();
    };
    EXPECT_EQ(content("OPQ", 100), "ABCDEFGHIJKLMN|stop");
    EXPECT_EQ(content({"XX", "CD"}, 100), "AB|stop");
    EXPECT_EQ(content("EFGX", 6), "ABCDEF|length");  // what might have become a stop is given out at the end
    EXPECT_EQ(content("A", 100), "|stop");
}

// D2.
TEST(Chat, APromptThatDoesNotFitIsRefusedWithTheCodeThatClientsKnow) {
    Api api;
    Reply reply = api.chat({{"messages", {{{"role", "user"}, {"content", std::string(300, 'x')}}}}});
    EXPECT_EQ(reply.status, 400);
    EXPECT_EQ(reply.json()["error"]["code"].get<std::string>(), "context_length_exceeded");
    EXPECT_EQ(reply.param(), "messages");
}

TEST(Chat, MaxTokensIsClampedToWhatFits) {
    Api api;
    Json json = api.chat({{"max_tokens", 1'000'000}, {"ignore_eos", true}, {"temperature", 0}}).json();
    EXPECT_EQ(json["usage"]["total_tokens"].get<int>(), 256);
    EXPECT_EQ(json["choices"][0]["finish_reason"].get<std::string>(), "length");
    EXPECT_EQ(api.chat({{"max_completion_tokens", 2}, {"max_tokens", 5}, {"temperature", 0}})
                  .json()["usage"]["completion_tokens"]
                  .get<int>(),
              2);
}

TEST(Chat, TheLastMessageIsContinuedWhenAsked) {
    Api api;
    Json messages = {{{"role", "user"}, {"content", "go"}}, {{"role", "assistant"}, {"content", "ABCDE"}}};
    Json json = api.chat({{"messages", messages}, {"continue_final_message", true}, {"temperature", 0}}).json();
    EXPECT_EQ(json["choices"][0]["message"]["content"].get<std::string>(), "FGHIJKLMNOPQRSTUVWXYZ");
    Reply both = api.chat({{"messages", messages}, {"continue_final_message", true}, {"add_generation_prompt", true}});
    EXPECT_EQ(both.status, 400);
    EXPECT_EQ(both.param(), "add_generation_prompt");
}

TEST(Chat, ToolsReachTheTemplate) {
    Api api;
    Json tools = {{{"type", "function"}, {"function", {{"name", "f"}, {"parameters", {{"type", "object"}}}}}},
                  {{"type", "web_search"}}};
    auto prompt_tokens = [&](Json body) { return api.chat(body).json()["usage"]["prompt_tokens"].get<int>(); };
    int without = prompt_tokens({{"max_tokens", 1}});
    EXPECT_EQ(prompt_tokens({{"max_tokens", 1}, {"tools", tools}, {"tool_choice", "auto"}}),
              without + 9);  // "<tools 1>"
    EXPECT_EQ(prompt_tokens({{"max_tokens", 1}, {"tools", tools}, {"tool_choice", "none"}}), without);
}

TEST(Chat, WhatIsNotThereYetIsRefused) {
    Api api;
    EXPECT_EQ(api.chat({{"tool_choice", "required"}}).param(), "tool_choice");
    EXPECT_EQ(api.chat({{"tool_choice", {{"type", "function"}, {"function", {{"name", "f"}}}}}}).param(),
              "tool_choice");
    EXPECT_EQ(api.chat({{"response_format", {{"type", "json_object"}}}}).param(), "response_format");
    EXPECT_EQ(api.chat({{"response_format", {{"type", "text"}}}, {"max_tokens", 1}}).status, 200);
    EXPECT_EQ(
        api.chat({{"max_tokens", 1}, {"surprise", {{"of", "any"}}}, {"tools", nullptr}, {"stop", nullptr}}).status,
        200);
}

struct Fault {
    Json body;
    const char* param;
};

// D4, D12, G2, G3: a wrong member is 400 and named; whatever is asked, the server goes on.
TEST(Chat, WrongMembersAreNamed) {
    Api api;
    const Fault kFaults[] = {
        {{{"n", 1'000'000'000}}, "n"},
        {{{"n", 0}}, "n"},
        {{{"n", "2"}}, "n"},
        {{{"temperature", -1}}, "temperature"},
        {{{"temperature", "hot"}}, "temperature"},
        {{{"top_p", 1.5}}, "top_p"},
        {{{"top_k", -2}}, "top_k"},
        {{{"seed", "7"}}, "seed"},
        {{{"max_tokens", -5}}, "max_tokens"},
        {{{"max_tokens", 1.5}}, "max_tokens"},
        {{{"max_tokens", std::numeric_limits<uint64_t>::max()}}, "max_tokens"},
        {{{"max_completion_tokens", "all"}}, "max_completion_tokens"},
        {{{"stop", 5}}, "stop"},
        {{{"stop", Json::array({"a", 5})}}, "stop"},
        {{{"stop", std::vector<std::string>(17, "x")}}, "stop"},
        {{{"stop", std::string(257, 'x')}}, "stop"},
        {{{"stream", "yes"}}, "stream"},
        {{{"stream_options", {{"include_usage", 1}}}}, "stream_options.include_usage"},
        {{{"stream_options", 3}}, "stream_options"},
        {{{"logprobs", 1}}, "logprobs"},
        {{{"top_logprobs", 21}, {"logprobs", true}}, "top_logprobs"},
        {{{"top_logprobs", 2}}, "top_logprobs"},
        {{{"logit_bias", {{"999999", 1}}}}, "logit_bias"},
        {{{"logit_bias", {{"-1", 1}}}}, "logit_bias"},
        {{{"logit_bias", {{"12x", 1}}}}, "logit_bias"},
        {{{"logit_bias", {{"12", "much"}}}}, "logit_bias"},
        {{{"logit_bias", Json::array()}}, "logit_bias"},
        {{{"repetition_penalty", 0}}, "repetition_penalty"},
        {{{"frequency_penalty", 3}}, "frequency_penalty"},
        {{{"messages", "hello"}}, "messages"},
        {{{"messages", Json::array()}}, "messages"},
        {{{"messages", {5}}}, "messages[0]"},
        {{{"messages", Json::array({Json{{"role", "user"}}})}}, "messages[0].content"},
        {{{"messages", Json::array({Json{{"role", "user"}, {"content", 7}}})}}, "messages[0].content"},
        {{{"messages", Json::array({Json{{"role", "narrator"}, {"content", "x"}}})}}, "messages[0].role"},
        {{{"tools", {5}}}, "tools[0]"},
        {{{"tools", {{{"type", "function"}}}}}, "tools[0].function"},
        {{{"tools", {{{"type", "function"}, {"function", {{"name", 5}}}}}}}, "tools[0].function.name"},
        {{{"tools", {{{"type", "function"}, {"function", {{"name", "f"}, {"parameters", "x"}}}}}}},
         "tools[0].function.parameters"},
        {{{"tools", "all"}}, "tools"},
        {{{"chat_template_kwargs", {{"messages", {1}}}}}, "chat_template_kwargs"},
        {{{"chat_template_kwargs", 5}}, "chat_template_kwargs"},
        {{{"model", 5}}, "model"},
    };
    for (const Fault& fault : kFaults) {
        Reply reply = api.chat(fault.body);
        EXPECT_EQ(reply.status, 400) << fault.body;
        EXPECT_EQ(reply.param(), fault.param) << reply.body;
        EXPECT_EQ(reply.json()["error"]["type"].get<std::string>(), "invalid_request_error");
    }
    EXPECT_EQ(api.chat({{"max_tokens", 1}}).status, 200);
}

// G1, G2, G3.
TEST(Chat, ExtremeSamplingParametersAreHarmless) {
    Api api;
    Json extreme = {{"temperature", 0}, {"top_k", 0},         {"min_p", 1},     {"top_p", 0},
                    {"logprobs", true}, {"top_logprobs", 20}, {"max_tokens", 3}};
    EXPECT_EQ(api.chat(extreme).json()["choices"][0]["message"]["content"].get<std::string>(), "ABC");
    extreme["temperature"] = 1;
    EXPECT_EQ(api.chat(extreme).json()["choices"][0]["message"]["content"].get<std::string>(), "ABC");
    EXPECT_EQ(api.chat({{"top_k", 1'000'000'000}, {"max_tokens", 1}}).status, 200);
    EXPECT_EQ(api.chat({{"logit_bias", {{std::to_string(byte_token('x')), 1e39}}}, {"max_tokens", 2}})
                  .json()["choices"][0]["message"]["content"]
                  .get<std::string>(),
              "xx");
}

// D3: text of a user that spells the model's own markers is text.
TEST(Chat, MarkersInAMessageAreText) {
    Api api;
    auto tokens = [&](const char* text) {
        Reply reply = api.post("/tokenize", {{"messages", {{{"role", "user"}, {"content", text}}}}});
        return reply.json()["tokens"].get<std::vector<TokenId>>();
    };
    for (const char* text : {"A</s>B", "<s>", "x<unk>y"})
        for (TokenId token : tokens(text)) EXPECT_GT(token, kEos) << text;
}

// D6.
TEST(Chat, ANulInAPromptIsOneOfItsCharacters) {
    Api api;
    Reply reply = api.post("/tokenize", {{"prompt", std::string("A\0B", 3)}, {"add_special_tokens", false}});
    EXPECT_EQ(json_text(reply.json()["tokens"]), fmt::format("[{},{},{}]", piece("▁A"), byte_token(0), piece("B")));
}

// D5.
TEST(Service, ABodyThatIsNoJsonObjectIsRefused) {
    Api api;
    for (const char* body : {"", "{", "[]", "5", "{\"messages\": [\"\xff\"]}", "{\"a\":1}}", "\xff\xfe{\0}"})
        for (const char* path : {"/v1/chat/completions", "/v1/completions", "/tokenize", "/detokenize"}) {
            Reply reply = api.ask("POST", path, body);
            EXPECT_EQ(reply.status, 400) << body;
            for (const char* key : {"message", "type", "param", "code"})
                EXPECT_TRUE(reply.json()["error"].contains(key));
        }
    EXPECT_EQ(api.ask("POST", "/v1/chat/completions", std::string(200'000, '[')).status, 400);
}

TEST(Service, PathsAndMethods) {
    Api api;
    EXPECT_EQ(api.ask("GET", "/nowhere").status, 404);
    EXPECT_EQ(api.ask("GET", "/v1/chat/completions").status, 405);
    Reply wrong_method = api.ask("DELETE", "/health");
    EXPECT_EQ(wrong_method.status, 405);
    ASSERT_FALSE(wrong_method.headers.empty());
    EXPECT_EQ(wrong_method.headers[0], (std::pair<std::string, std::string>("Allow", "GET")));
    EXPECT_EQ(api.ask("HEAD", "/").status, 200);
    EXPECT_EQ(api.ask("GET", "/").status, 200);
    EXPECT_EQ(api.ask("GET", "/v1/health").status, 200);
    EXPECT_EQ(api.ask("GET", "/version").json()["version"].get<std::string>(), "0.1.0");
    EXPECT_EQ(
        api.ask("POST", "/chat/completions", R"({"messages":[{"role":"user","content":"A"}],"max_tokens":1})").status,
        200);
}

TEST(Service, KeysGuardEveryRouteButHealth) {
    Api api({.api_keys = {"first", "second"}});
    for (const char* path : {"/v1/models", "/metrics", "/props", "/", "/nowhere", "/version"}) {
        EXPECT_EQ(api.ask("GET", path).status, 401) << path;
        EXPECT_EQ(api.ask("GET", path, "", {{"authorization", "Bearer wrong"}}).status, 401) << path;
        EXPECT_EQ(api.ask("GET", path, "", {{"authorization", "Bearer firs"}}).status, 401) << path;
        EXPECT_EQ(api.ask("GET", path, "", {{"authorization", "Bearer "}}).status, 401) << path;
    }
    EXPECT_EQ(api.post("/v1/chat/completions", {{"messages", Json::array()}}).status, 401);
    EXPECT_EQ(api.ask("GET", "/v1/models", "", {{"authorization", "Bearer first"}}).status, 200);
    EXPECT_EQ(api.ask("GET", "/v1/models", "", {{"authorization", "bearer second"}}).status, 200);
    EXPECT_EQ(api.ask("GET", "/v1/models", "", {{"x-api-key", "second"}}).status, 200);
    EXPECT_EQ(api.ask("GET", "/health").status, 200);
    Reply refused = api.ask("GET", "/v1/models");
    EXPECT_EQ(refused.json()["error"]["type"].get<std::string>(), "authentication_error");
    EXPECT_EQ(refused.json()["error"]["code"].get<std::string>(), "invalid_api_key");
}

TEST(Service, AModelThatIsNotServedIs404) {
    Api api;
    for (const char* path : {"/v1/chat/completions", "/v1/completions", "/tokenize", "/detokenize"}) {
        Reply reply = api.post(
            path, {{"model", "gpt-17"}, {"messages", Json::array()}, {"prompt", "A"}, {"tokens", Json::array()}});
        EXPECT_EQ(reply.status, 404);
        EXPECT_EQ(reply.json()["error"]["code"].get<std::string>(), "model_not_found");
        EXPECT_NE(reply.message().find("letters"), std::string::npos);
    }
    EXPECT_EQ(api.ask("GET", "/v1/models/org/name").status, 404);
}

TEST(Service, ListsModelsAsOpenAiAndAsAnthropic) {
    Api api;
    Json list = api.ask("GET", "/v1/models").json();
    EXPECT_EQ(list["object"].get<std::string>(), "list");
    EXPECT_EQ(list["data"][0]["id"].get<std::string>(), "letters");
    EXPECT_EQ(list["data"][0]["object"].get<std::string>(), "model");
    EXPECT_EQ(list["data"][0]["max_model_len"].get<int>(), 256);
    EXPECT_EQ(api.ask("GET", "/v1/models/letters").json()["id"].get<std::string>(), "letters");
    Json anthropic = api.ask("GET", "/v1/models", "", {{"anthropic-version", "2023-06-01"}}).json();
    EXPECT_EQ(
        json_text(anthropic),
        R"({"data":[{"type":"model","id":"letters","display_name":"letters","created_at":"1970-01-01T00:00:01Z","max_input_tokens":256,)"
        R"("max_tokens":256}],"has_more":false,"first_id":"letters","last_id":"letters"})");
}

TEST(Service, SeveralModelsAnswerEachForItself) {
    Api api;
    GgufWriter file = chain_llama([](int32_t) { return piece("Q"); });
    api.add("q", file);
    Json body = {{"prompt", "A"}, {"max_tokens", 2}, {"temperature", 0}, {"model", "q"}};
    EXPECT_EQ(api.post("/v1/completions", body).json()["choices"][0]["text"].get<std::string>(), "QQ");
    body["model"] = "letters";
    EXPECT_EQ(api.post("/v1/completions", body).json()["choices"][0]["text"].get<std::string>(), "BC");
    Reply chat = api.chat({{"model", "q"}});
    EXPECT_EQ(chat.status, 400);
    EXPECT_NE(chat.message().find("no chat template"), std::string::npos);
}

TEST(Service, WhatNeverBecameARequestIsInTheLogAsWell) {
    std::FILE* file = std::tmpfile();
    api::Service service({.log_to = file});
    http::Request request{.id = "req_1", .method = "POST", .path = "/v1/completions", .peer = "10.0.0.9"};
    EXPECT_EQ(service.error(413, "the body is longer than 5 bytes", request).status, 413);
    EXPECT_EQ(service.error(503, "the server is shutting down", request).status, 503);  // it has a row of its own
    std::rewind(file);
    char row[200];
    ASSERT_NE(std::fgets(row, sizeof row, file), nullptr);
    EXPECT_EQ(std::string(row).substr(8), " 413 POST /v1/completions  the body is longer than 5 bytes\n");
    EXPECT_EQ(std::fgets(row, sizeof row, file), nullptr);
    std::fclose(file);
}

TEST(Service, IsNotHealthyWhileModelsLoad) {
    api::Service service({.log = {.quiet = true}});
    auto ask = [&](const char* path) {
        auto exchange = std::make_shared<FakeExchange>(http::Request{.id = "1", .method = "GET", .path = path});
        service.handle(exchange);
        return exchange->reply.status;
    };
    EXPECT_EQ(ask("/health"), 503);
    EXPECT_EQ(ask("/v1/models"), 503);
    EXPECT_EQ(ask("/"), 200);
}

TEST(Service, IsNotHealthyWhileAStepMakesNoProgress) {
    std::promise<void> go_on;
    std::shared_future<void> gate = go_on.get_future().share();
    Api api({.stuck_seconds = 0.02});
    api.add("stuck", letters(), [gate] { gate.wait(); });
    EXPECT_EQ(api.ask("GET", "/health").status, 200);
    auto request = api.start("POST", "/v1/completions", R"({"model":"stuck","prompt":"A","max_tokens":1})");
    request->run([&] { return api.ask("GET", "/health").status == 503; });
    go_on.set_value();
    request->run();
    request->run([&] { return api.ask("GET", "/health").status == 200; });
}

TEST(Service, RefusesMoreThanTheQueueHolds) {
    Api api;
    api.service.models().all()[0]->in_work_max = 1;
    auto first = api.start("POST", "/v1/completions", R"({"prompt":"A","max_tokens":1})");
    EXPECT_EQ(api.post("/v1/completions", {{"prompt", "A"}}).status, 429);
    first->run();
    first = nullptr;
}

// D1: without the client nothing is computed.
TEST(Service, ALostClientsAnswerEndsAndIsForgotten) {
    Api api;
    api.add("endless", chain_llama([](int32_t) { return piece("Q"); }, 30'000));
    api::ServedModel& model = *api.service.models().all()[1];
    for (const char* stream : {"true", "false"}) {
        auto exchange = api.start(
            "POST", "/v1/completions",
            fmt::format(R"({{"model":"endless","prompt":"A","max_tokens":30000,"n":2,"stream":{}}})", stream));
        int64_t before = model.engine->stats().generated_tokens;
        exchange->run([&] { return model.engine->stats().generated_tokens > before; });
        exchange->leave();
        exchange->run([&] { return model.in_work == 0 && model.engine->stats().running == 0; });
        EXPECT_LT(model.engine->stats().generated_tokens, 2 * 29'000);
        EXPECT_FALSE(exchange->answered());
    }
}

TEST(Completions, ContinueTextAndTokens) {
    Api api;
    auto texts = [&](Json prompt) {
        Json json =
            api.post("/v1/completions", {{"prompt", std::move(prompt)}, {"max_tokens", 3}, {"temperature", 0}}).json();
        std::string all;
        for (const Json& choice : json["choices"]) all += choice["text"].get<std::string>() + "|";
        return all;
    };
    EXPECT_EQ(texts("A"), "BCD|");
    EXPECT_EQ(texts({"A", "K"}), "BCD|LMN|");
    EXPECT_EQ(texts({kBos, piece("C")}), "DEF|");
    EXPECT_EQ(texts({{kBos, piece("C")}, {piece("M")}}), "DEF|NOP|");
}

TEST(Completions, ShapeAndDefaults) {
    Api api;
    Json json = api.post("/v1/completions", {{"prompt", "A"}, {"temperature", 0}}).json();
    EXPECT_TRUE(json["id"].get<std::string>().starts_with("cmpl-"));
    EXPECT_EQ(json["object"].get<std::string>(), "text_completion");
    EXPECT_EQ(json_text(json["choices"]),
              R"([{"index":0,"text":"BCDEFGHIJKLMNOPQ","logprobs":null,"finish_reason":"length"}])");
    EXPECT_EQ(json["usage"]["completion_tokens"].get<int>(), 16);
    Json several = api.post("/v1/completions", {{"prompt", {"A", "B"}}, {"n", 2}, {"max_tokens", 1}}).json()["choices"];
    ASSERT_EQ(several.size(), 4u);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(several[i]["index"].get<int>(), i);
}

// C16.
TEST(Completions, LogprobsHaveTheirOwnShape) {
    Api api;
    Json logprobs =
        api.post("/v1/completions", {{"prompt", "A"}, {"max_tokens", 2}, {"temperature", 0}, {"logprobs", 1}})
            .json()["choices"][0]["logprobs"];
    EXPECT_EQ(json_text(logprobs["tokens"]), R"(["B","C"])");
    EXPECT_EQ(logprobs["token_logprobs"].size(), 2u);
    EXPECT_EQ(logprobs["top_logprobs"][0].size(), 1u);
    EXPECT_TRUE(logprobs["top_logprobs"][0].contains("B"));
    EXPECT_EQ(json_text(logprobs["text_offset"]), "[0,1]");
}

TEST(Completions, EchoBringsThePromptAndItsLogprobs) {
    Api api;
    for (bool stream : {false, true}) {
        Json body = {{"prompt", "AB"}, {"max_tokens", 1}, {"temperature", 0},
                     {"echo", true},   {"logprobs", 0},   {"stream", stream}};
        Reply reply = api.post("/v1/completions", body);
        Json choice =
            Json::parse(R"({"text": "", "logprobs": {"tokens": [], "token_logprobs": [], "text_offset": []}})");
        if (!stream) choice = reply.json()["choices"][0];
        if (stream)
            for (const Json& event : reply.events()) {
                const Json& part = event["choices"][0];
                choice["text"] = choice["text"].get<std::string>() + part["text"].get<std::string>();
                for (const char* list : {"tokens", "token_logprobs", "text_offset"})
                    for (const Json& each : part["logprobs"][list]) choice["logprobs"][list].push_back(each);
            }
        EXPECT_EQ(choice["text"].get<std::string>(), "ABC");
        const Json& logprobs = choice["logprobs"];
        EXPECT_EQ(json_text(logprobs["tokens"]), R"(["<s>"," A","B","C"])");
        EXPECT_TRUE(logprobs["token_logprobs"][0].is_null());
        EXPECT_LT(logprobs["token_logprobs"][1].get<double>(), -3);  // after <s> all are as likely
        EXPECT_GT(logprobs["token_logprobs"][2].get<double>(), -0.5);
        EXPECT_EQ(json_text(logprobs["text_offset"]), "[0,0,2,3]");
    }
    // As lm-eval asks.
    Json none =
        api.post("/v1/completions", {{"prompt", "AB"}, {"max_tokens", 0}, {"echo", true}, {"logprobs", 2}}).json();
    EXPECT_EQ(none["choices"][0]["text"].get<std::string>(), "AB");
    EXPECT_EQ(none["choices"][0]["logprobs"]["top_logprobs"][1].size(), 2u);
    EXPECT_EQ(none["usage"]["completion_tokens"].get<int>(), 0);
}

TEST(Completions, WrongMembersAreNamed) {
    Api api;
    const Fault kFaults[] = {
        {Json::object(), "prompt"},
        {{{"prompt", 5}}, "prompt"},
        {{{"prompt", Json::array()}}, "prompt"},
        {{{"prompt", Json::object()}}, "prompt"},
        {{{"prompt", {"a", 5}}}, "prompt"},
        {{{"prompt", {1, -5}}}, "prompt"},
        {{{"prompt", {1, 99999}}}, "prompt"},
        {{{"prompt", {1, "a"}}}, "prompt"},
        {{{"prompt", Json::array({Json::array()})}}, "prompt"},
        {{{"prompt", "a"}, {"suffix", "b"}}, "suffix"},
        {{{"prompt", "a"}, {"best_of", 3}}, "best_of"},
        {{{"prompt", "a"}, {"logprobs", 21}}, "logprobs"},
        {{{"prompt", "a"}, {"echo", "yes"}}, "echo"},
        {{{"prompt", std::vector<std::string>(257, "a")}}, "prompt"},
        {{{"prompt", std::vector<std::string>(100, "a")}, {"n", 100}}, "n"},
    };
    for (const Fault& fault : kFaults) {
        Reply reply = api.post("/v1/completions", fault.body);
        EXPECT_EQ(reply.status, 400) << fault.body;
        EXPECT_EQ(reply.param(), fault.param) << reply.body;
    }
}

TEST(Tokens, GoThereAndBack) {
    Api api;
    Json tokens = api.post("/tokenize", {{"prompt", "AB é"}, {"return_token_strs", true}}).json();
    EXPECT_EQ(tokens["count"].get<size_t>(), tokens["tokens"].size());
    EXPECT_EQ(tokens["tokens"][0].get<int>(), kBos);
    EXPECT_EQ(tokens["token_strs"][1].get<std::string>(), " A");
    Json without = api.post("/tokenize", {{"content", "AB é"}, {"add_special", false}}).json()["tokens"];
    EXPECT_EQ(api.post("/detokenize", {{"tokens", without}}).json()["prompt"].get<std::string>(), "AB é");
    EXPECT_EQ(api.post("/detokenize", {{"tokens", {-1}}}).param(), "tokens");
    EXPECT_EQ(api.post("/detokenize", {{"tokens", "x"}}).param(), "tokens");
    EXPECT_EQ(api.post("/detokenize", Json::object()).param(), "tokens");
    EXPECT_EQ(api.post("/tokenize", Json::object()).param(), "prompt");
    EXPECT_EQ(api.post("/tokenize", {{"prompt", 5}}).param(), "prompt");
}

// N1: a row of logits that is no numbers ends its request, and the next one is served.
TEST(Service, AFailedRequestIsAnErrorAndTheServerGoesOn) {
    Api api;
    GgufWriter broken = letters();
    for (auto& tensor : broken.tensors)
        if (tensor.name == "output.weight") tensor.data = std::string(tensor.data.size(), '\xff');  // NaN
    api.add("broken", broken);
    Reply reply = api.post("/v1/completions", {{"model", "broken"}, {"prompt", "A"}});
    EXPECT_EQ(reply.status, 500);
    EXPECT_EQ(reply.json()["error"]["type"].get<std::string>(), "server_error");
    Reply stream = api.post("/v1/completions", {{"model", "broken"}, {"prompt", "A"}, {"stream", true}});
    EXPECT_NE(stream.body.find("data: {\"error\":"), std::string::npos) << stream.body;
    EXPECT_EQ(api.post("/v1/completions", {{"prompt", "A"}}).status, 200);
}

// D11.
TEST(Metrics, AreInPrometheusForm) {
    Api api;
    api.chat({{"temperature", 0}});
    api.chat({{"max_tokens", 2}});
    const EngineImpl& engine = *api.service.models().all()[0]->engine;
    while (engine.stats().generated_tokens < 28 || engine.stats().running > 0)
        std::this_thread::yield();  // told at the end of a step
    Reply reply = api.ask("GET", "/metrics");
    EXPECT_EQ(reply.content_type, "text/plain; version=0.0.4; charset=utf-8");
    auto has = [&](const std::string& line) { return reply.body.find(line + "\n") != std::string::npos; };
    EXPECT_TRUE(has("# TYPE vllm:time_to_first_token_seconds histogram"));
    EXPECT_TRUE(has("vllm:time_to_first_token_seconds_count{model_name=\"letters\"} 2"));
    EXPECT_TRUE(has("vllm:time_to_first_token_seconds_bucket{model_name=\"letters\",le=\"+Inf\"} 2"));
    EXPECT_TRUE(has("vllm:inter_token_latency_seconds_count{model_name=\"letters\"} 26"));
    EXPECT_TRUE(has("vllm:request_success_total{model_name=\"letters\",finished_reason=\"stop\"} 1"));
    EXPECT_TRUE(has("vllm:request_success_total{model_name=\"letters\",finished_reason=\"length\"} 1"));
    EXPECT_TRUE(has("vllm:generation_tokens_total{model_name=\"letters\"} 28"));
    EXPECT_TRUE(has("vllm:num_requests_running{model_name=\"letters\"} 0"));
}

TEST(Props, TellTheResolvedDefaults) {
    Api api;
    GgufWriter file = letters();
    file.set("general.sampling.temp", 0.25f).set("general.sampling.top_k", uint32_t{7});
    api.add("cool", file);
    Json models = api.ask("GET", "/props").json()["models"];
    Json built_in = {{"temperature", 0.8},
                     {"top_k", 40},
                     {"top_p", 0.95},
                     {"min_p", 0.05},
                     {"repetition_penalty", 1.f},
                     {"frequency_penalty", 0.f},
                     {"presence_penalty", 0.f}};
    EXPECT_EQ(models[0]["default_generation_settings"], built_in);
    built_in.update({{"temperature", 0.25f}, {"top_k", 7}});
    EXPECT_EQ(models[1]["default_generation_settings"], built_in);
}

}  // namespace
}  // namespace godwit::test
