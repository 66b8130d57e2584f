// POST /v1/completions: shapes, logprobs, faults.
#include "server/fake_exchange.hpp"

namespace godwit::test {
namespace {

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
    EXPECT_EQ(json_text(logprobs["text_offset"]), "[1,2]");  // U4: from the start of the prompt
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
        EXPECT_EQ(json_text(logprobs["text_offset"]), "[0,0,1,2]");
    }
    // As lm-eval asks.
    Json none =
        api.post("/v1/completions", {{"prompt", "AB"}, {"max_tokens", 0}, {"echo", true}, {"logprobs", 2}}).json();
    EXPECT_EQ(none["choices"][0]["text"].get<std::string>(), "AB");
    EXPECT_EQ(none["choices"][0]["logprobs"]["top_logprobs"][1].size(), 3u);  // two, and its own
    EXPECT_EQ(none["usage"]["completion_tokens"].get<int>(), 0);
}

// U1: evaluation harnesses ask for one token more than they want and drop the last entry, which may be the end token's.
TEST(Completions, TheEndTokenHasAnEntryWithoutText) {
    Api api;
    for (bool stream : {false, true}) {
        Json body = {{"prompt", "XYZ"}, {"max_tokens", 1}, {"temperature", 0},
                     {"logprobs", 1},   {"echo", true},    {"stream", stream}};
        Reply reply = api.post("/v1/completions", body);
        Json logprobs = logprobs_of(reply, stream);
        EXPECT_EQ(json_text(logprobs["tokens"]), R"(["<s>"," X","Y","Z",""])");
        EXPECT_EQ(json_text(logprobs["text_offset"]), "[0,0,1,2,3]");
        EXPECT_GT(logprobs["token_logprobs"][4].get<double>(), -0.5);
        EXPECT_EQ(logprobs["top_logprobs"][4][""], logprobs["token_logprobs"][4]);
        EXPECT_EQ(logprobs["top_logprobs"][4].size(), 1u);
        Json last = stream ? reply.events().back() : reply.json();
        EXPECT_EQ(last["choices"][0]["finish_reason"].get<std::string>(), "stop");

        body["echo"] = false;
        body["max_tokens"] = 5;
        body["prompt"] = "X";
        logprobs = logprobs_of(api.post("/v1/completions", body), stream);
        EXPECT_EQ(json_text(logprobs["tokens"]), R"(["Y","Z",""])");
        EXPECT_EQ(json_text(logprobs["text_offset"]), "[1,2,3]");
    }
}

// U3: "up to logprobs + 1 elements".
TEST(Completions, TheChosenTokenIsAmongTheTopOnes) {
    Api api;
    for (bool stream : {false, true})
        for (int count : {0, 1, 2}) {
            Json body = {{"prompt", "AxC"}, {"max_tokens", 2},   {"logit_bias", forced(byte_token('x'))},
                         {"echo", true},    {"logprobs", count}, {"stream", stream}};
            Json logprobs = logprobs_of(api.post("/v1/completions", body), stream);
            ASSERT_EQ(logprobs["tokens"].size(), 6u);
            EXPECT_TRUE(logprobs["top_logprobs"][0].is_null());  // the first token follows from nothing
            for (size_t i = 1; i < 6; ++i) {
                const Json& top = logprobs["top_logprobs"][i];
                EXPECT_EQ(top.value(logprobs["tokens"][i].get<std::string>(), Json()), logprobs["token_logprobs"][i]);
                EXPECT_GE(top.size(), std::max<size_t>(count, 1));
                EXPECT_LE(top.size(), static_cast<size_t>(count) + 1);
            }
            EXPECT_EQ(logprobs["top_logprobs"][5].size(), static_cast<size_t>(count) + 1);  // the bias made it chosen
        }
}

// U5.
TEST(Completions, IntegersMayBeSpelledAsFloats) {
    Api api;
    auto tokens = [&](Json body) {
        if (!body.contains("prompt")) body["prompt"] = "A";
        body["temperature"] = 0;
        return api.post("/v1/completions", body).json()["usage"].value("completion_tokens", -1);
    };
    EXPECT_EQ(tokens({{"max_tokens", 3.0}}), 3);
    EXPECT_EQ(tokens({{"max_completion_tokens", 2}}), 2);
    EXPECT_EQ(tokens({{"max_completion_tokens", 2.0}, {"max_tokens", 5}}), 2);
    EXPECT_EQ(tokens({{"max_tokens", 1}, {"n", 2.0}, {"top_k", 5.0}, {"logprobs", 1.0}, {"seed", -7.0}}), 2);
    EXPECT_EQ(tokens({{"max_tokens", 2}, {"prompt", {1.0, static_cast<double>(piece("A"))}}}), 2);
    EXPECT_EQ(tokens({{"max_tokens", 1}, {"stop", std::vector<std::string>(16, std::string(256, 'x'))}}), 1);
    EXPECT_EQ(api.post("/detokenize", {{"tokens", {static_cast<double>(piece("B"))}}}).json()["prompt"], "B");
    for (double wrong : {512.5, -1.0, 1e19, -1e19}) {
        Reply reply = api.post("/v1/completions", {{"prompt", "A"}, {"max_tokens", wrong}});
        EXPECT_EQ(reply.param(), "max_tokens") << wrong << reply.body;
    }
    EXPECT_EQ(api.post("/v1/completions", {{"prompt", {1, 2.5}}}).param(), "prompt");
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

}  // namespace
}  // namespace godwit::test
