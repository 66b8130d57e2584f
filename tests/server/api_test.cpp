// The OpenAI endpoints: shapes, faults, and the inputs that broke other servers (C…, D…, G…: their numbers in our list
// of such inputs).
#include <future>
#include <set>
#include <thread>

#include "server/fake_exchange.hpp"

namespace godwit::test {
namespace {

constexpr const char* kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

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
    for (Json choice :
         {Json("required"), Json{{"type", "function"}, {"function", {{"name", "f"}}}}, Json{{"type", "allowed_tools"}}})
        EXPECT_EQ(api.chat({{"tool_choice", choice}}).param(), "tool_choice");
    EXPECT_EQ(
        api.chat({{"max_tokens", 1}, {"surprise", {{"of", "any"}}}, {"tools", nullptr}, {"stop", nullptr}}).status,
        200);
}

// U6, U7: the parts and turns that the chat template is given are tested where they are read (chat_template_test.cpp).
TEST(Chat, PartsAndEmptyTurns) {
    Api api;
    auto prompt = [&](Json messages) { return api.post("/tokenize", {{"messages", std::move(messages)}}); };
    Json text = {{{"role", "user"}, {"content", "IMPORTANT"}}};
    Json part = {{{"role", "user"}, {"content", {{{"type", "input_text"}, {"text", "IMPORTANT"}}}}}};
    EXPECT_EQ(prompt(part).body, prompt(text).body);
    part[0]["content"][0]["type"] = "document";
    EXPECT_EQ(prompt(part).param(), "messages[0].content[0].type");
    EXPECT_EQ(api.chat({{"messages", part}}).param(), "messages[0].content[0].type");
    Json with_null = {{{"role", "user"}, {"content", "a"}},
                      {{"role", "assistant"}, {"content", nullptr}, {"tool_calls", Json::array()}},
                      {{"role", "tool"}, {"tool_call_id", "1"}, {"content", nullptr}},
                      {{"role", "user"}, {"content", "b"}}};
    Json empty = with_null;
    empty[1]["content"] = empty[2]["content"] = "";
    EXPECT_EQ(prompt(with_null).status, 200);
    EXPECT_EQ(prompt(with_null).body, prompt(empty).body);
}

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
        {{{"chat_template_kwargs", {{"messages", {1}}}}}, "chat_template_kwargs.messages"},
        {{{"chat_template_kwargs", {{"tools", {1}}}}}, "chat_template_kwargs.tools"},
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
TEST(Endpoints, ABodyThatIsNoJsonObjectIsRefused) {
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

TEST(Endpoints, PathsAndMethods) {
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

TEST(Endpoints, KeysGuardEveryRouteButHealth) {
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

TEST(Endpoints, AModelThatIsNotServedIs404) {
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

TEST(Endpoints, ListsModelsAsOpenAiAndAsAnthropic) {
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

TEST(Endpoints, SeveralModelsAnswerEachForItself) {
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

TEST(Endpoints, WhatNeverBecameARequestIsInTheLogAsWell) {
    std::FILE* file = std::tmpfile();
    api::Endpoints endpoints({.log_to = file});
    http::Request request{.id = "req_1", .method = "POST", .path = "/v1/completions", .peer = "10.0.0.9"};
    EXPECT_EQ(endpoints.error(413, "the body is longer than 5 bytes", request).status, 413);
    EXPECT_EQ(endpoints.error(503, "the server is shutting down", request).status, 503);  // it has a row of its own
    std::rewind(file);
    char row[200];
    ASSERT_NE(std::fgets(row, sizeof row, file), nullptr);
    EXPECT_EQ(std::string(row).substr(8), " 413 POST /v1/completions  the body is longer than 5 bytes\n");
    EXPECT_EQ(std::fgets(row, sizeof row, file), nullptr);
    std::fclose(file);
}

TEST(Endpoints, ProbesHaveARowOnlyWhereTheLogIsVerbose) {
    for (bool verbose : {false, true}) {
        std::FILE* file = std::tmpfile();
        api::Endpoints endpoints({.log = {.verbose = verbose}, .log_to = file});
        endpoints.ready();
        for (const char* path : {"/health", "/v1/health", "/metrics", "/v1/metrics", "/", "/v1/", "/version"})
            endpoints.handle(std::make_shared<FakeExchange>(http::Request{.id = "1", .method = "GET", .path = path}));
        std::rewind(file);
        int rows = 0;
        for (char row[200]; std::fgets(row, sizeof row, file) != nullptr; ++rows)
            EXPECT_TRUE(verbose || std::string(row).substr(8) == " 200 GET /version\n") << row;
        EXPECT_EQ(rows, verbose ? 7 : 1);
        std::fclose(file);
    }
}

TEST(Endpoints, IsNotHealthyWhileModelsLoad) {
    api::Endpoints endpoints({.log = {.quiet = true}});
    auto ask = [&](const char* path) {
        auto exchange = std::make_shared<FakeExchange>(http::Request{.id = "1", .method = "GET", .path = path});
        endpoints.handle(exchange);
        return exchange->reply.status;
    };
    EXPECT_EQ(ask("/health"), 503);
    EXPECT_EQ(ask("/v1/models"), 503);
    EXPECT_EQ(ask("/"), 200);
}

TEST(Endpoints, IsNotHealthyWhileAStepMakesNoProgress) {
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

TEST(Endpoints, RefusesMoreThanTheQueueHolds) {
    Api api;
    api.endpoints.models().all()[0]->in_work_max = 1;
    auto first = api.start("POST", "/v1/completions", R"({"prompt":"A","max_tokens":1})");
    Reply refused = api.post("/v1/completions", {{"prompt", "A"}});
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(refused.message(), "1 requests for letters run or wait already");
    first->run();
    first = nullptr;
}

// D1: without the client nothing is computed.
TEST(Endpoints, ALostClientsAnswerEndsAndIsForgotten) {
    Api api;
    api.add("endless", chain_llama([](int32_t) { return piece("Q"); }, 30'000));
    api::ServedModel& model = *api.endpoints.models().all()[1];
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

TEST(Chat, TheEndTokenHasAnEntryWithoutText) {
    Api api;
    for (bool stream : {false, true}) {
        Reply reply = api.chat({{"logprobs", true}, {"top_logprobs", 1}, {"temperature", 0}, {"stream", stream}});
        Json content = logprobs_of(reply, stream)["content"];
        ASSERT_EQ(content.size(), 27u);
        EXPECT_EQ(content[25]["token"].get<std::string>(), "Z");
        Json end = content[26];
        EXPECT_EQ(json_text(end["token"]) + json_text(end["bytes"]), "\"\"[]");
        EXPECT_GT(end["logprob"].get<double>(), -0.5);
        EXPECT_EQ(end["top_logprobs"][0]["logprob"], end["logprob"]);
        EXPECT_EQ(stream ? streamed_text(reply) : kAlphabet, kAlphabet);
        // Ended by a stop or by length: every entry is a token of the text.
        for (Json more : {Json{{"stop", "D"}}, Json{{"max_tokens", 4}}}) {
            more.update({{"logprobs", true}, {"temperature", 0}, {"stream", stream}});
            EXPECT_EQ(logprobs_of(api.chat(more), stream)["content"].size(), 4u) << more;
        }
    }
}

// U8: the answer would look right and not be what was asked for.
TEST(Endpoints, MembersThatWouldConstrainTheAnswerAreRefused) {
    Api api;
    const Json schema = {{"type", "object"}};
    const std::pair<const char*, Json> kConstraints[] = {
        {"guided_json", schema},
        {"guided_regex", "a+"},
        {"guided_choice", {"a", "b"}},
        {"guided_grammar", "root ::= x"},
        {"structured_outputs", {{"json", schema}}},
        {"structural_tag", schema},
        {"grammar", "root ::= x"},
        {"json_schema", schema},
        {"json_schema", Json::object()},
        {"regex", "a+"},
        {"ebnf", "root ::= x"},
        {"format", "json"},
        {"format", schema},
        {"functions", {{{"name", "f"}}}},
        {"function_call", {{"name", "f"}}},
        {"min_tokens", 5},
        {"min_new_tokens", 5},
        {"bad_words", {"a"}},
        {"stop_token_ids", {5}},
        {"allowed_token_ids", {5}},
        {"logits_processors", {"x"}},
        {"use_beam_search", true},
        {"response_format", {{"type", "json_object"}}},
        {"response_format", {{"type", "json_schema"}, {"json_schema", schema}}},
        {"response_format", {{"type", "grammar"}}},
        {"response_format", Json::object()},
        {"response_format", "json"}};
    for (const auto& [name, value] : kConstraints)
        for (bool chat : {false, true}) {
            Json body = {{"max_tokens", 1}, {name, value}};
            if (!chat) body["prompt"] = "A";
            Reply reply = chat ? api.chat(body) : api.post("/v1/completions", body);
            EXPECT_EQ(reply.status, 400) << body;
            EXPECT_EQ(reply.param(), name) << reply.body;
        }
    // What clients send where they want nothing of it.
    std::set<std::string> names = {"tool_choice"};
    for (const auto& [name, value] : kConstraints) names.insert(name);
    for (const Json& off : {Json(nullptr), Json(false), Json(0), Json(""), Json::array()}) {
        Json body = {{"max_tokens", 1}};
        for (const std::string& name : names) body[name] = off;
        EXPECT_EQ(api.chat(body).status, 200) << api.chat(body).body;
        body["prompt"] = "A";
        EXPECT_EQ(api.post("/v1/completions", body).status, 200) << body;
    }
    EXPECT_EQ(api.chat({{"max_tokens", 1}, {"function_call", "none"}, {"response_format", {{"type", "text"}}}}).status,
              200);
}

// U56.
TEST(Endpoints, ANumberThatNoDoubleHoldsMattersOnlyWhereItCounts) {
    Api api;
    const std::pair<const char*, const char*> kCases[] = {{R"("temperature":1e999)", "temperature"},
                                                          {R"("temperature":-1e999)", "temperature"},
                                                          {R"("max_tokens":1e999)", "max_tokens"},
                                                          {R"("seed":-1e999)", "seed"},
                                                          {R"("n":1e400)", "n"},
                                                          {R"("surprise":1e999)", ""},
                                                          {R"("surprise":{"x":[1e999,-1e99999]})", ""},
                                                          {R"("logit_bias":{"12":1e999})", ""},
                                                          {R"("top_p":1e-999)", ""}};
    for (const auto& [member, param] : kCases) {
        Reply reply = api.ask("POST", "/v1/completions", fmt::format(R"({{{},"prompt":"A"}})", member));
        EXPECT_EQ(reply.status, *param == '\0' ? 200 : 400) << member << reply.body;
        EXPECT_EQ(reply.status == 200 ? "" : reply.param(), param) << member;
    }
}

// U39.
TEST(Endpoints, SaysInAClearSentenceWhatIsWrongWithABody) {
    Api api;
    const std::pair<const char*, const char*> kCases[] = {
        {"", "the body is empty (expected a JSON object)"},
        {"hello", "the body is not valid JSON: line 1, column 1: expected a value"},
        {"{\"a\":", "the body is not valid JSON: line 1, column 6: the text ends too early"},
        {"{\"prompt\": \"\\ud83d!\"}",
         "the body is not valid JSON: line 1, column 13: half of a surrogate pair in a string "
         "(a character beyond \\uffff takes both)"},
        {"[1]", "the body: expected an object, got array"}};
    for (const auto& [body, message] : kCases) EXPECT_EQ(api.ask("POST", "/v1/completions", body).message(), message);
}

TEST(Tokens, SpecialOnesAreTold) {
    Api api;
    EXPECT_EQ(api.ask("GET", "/tokenizer_info").body, R"({"bos_token":"<s>","eos_token":"</s>"})");
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
    for (Json wrong : {Json(std::string(1 << 20, 'x')), Json(std::vector<int>(1000, 5)), Json(1e300), Json(nullptr)}) {
        Reply refused = api.post("/detokenize", {{"tokens", {1, wrong}}});
        EXPECT_EQ(refused.param(), "tokens");
        EXPECT_NE(refused.message().find("is no token id (0 to "), std::string::npos) << refused.message();
        EXPECT_LT(refused.message().size(), 100u);
        EXPECT_EQ(api.post("/v1/completions", {{"prompt", {1, wrong}}}).message().substr(6),
                  refused.message().substr(6));
    }
    EXPECT_EQ(api.post("/detokenize", Json::object()).param(), "tokens");
    EXPECT_EQ(api.post("/tokenize", Json::object()).param(), "prompt");
    EXPECT_EQ(api.post("/tokenize", {{"prompt", 5}}).param(), "prompt");
}

// N1: a row of logits that is no numbers ends its request, and the next one is served.
TEST(Endpoints, AFailedRequestIsAnErrorAndTheServerGoesOn) {
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
    const EngineImpl& engine = *api.endpoints.models().all()[0]->engine;
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
