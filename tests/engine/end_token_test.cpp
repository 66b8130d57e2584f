// The end token is no token of the answer, but it was chosen like one: its Finish event says which and how likely.
#include "engine/fixture.hpp"
#include "engine/seeded_model.hpp"
#include "file/temp_dir.hpp"

namespace godwit::test {
namespace {

/// The Finish events of one request to a model that ends every answer after the piece B.
std::vector<Event> finishes(GenerateRequest request) {
    TempDir folder;
    auto next = [](TokenId token) { return token == piece("B") ? kEos : piece("B"); };
    auto engine = stepped_engine({.model = folder.write("model.gguf", chain_llama(next, 256, 0.3f).bytes())});
    request.prompt = "A";
    request.sampling.temperature = 0;
    Generation generation = must(engine->submit(std::move(request)));
    run_until_idle(*engine);
    std::vector<Event> finishes;
    for (Event event; generation.next(event);)
        if (event.kind == Event::Kind::Finish) finishes.push_back(event);
    return finishes;
}

TEST(EndToken, IsToldWithItsLogprob) {
    std::vector<Event> ends = finishes({.choices = 2, .sampling = {.top_logprobs = 3}});
    ASSERT_EQ(ends.size(), 2u);
    for (const Event& end : ends) {
        EXPECT_EQ(end.reason, FinishReason::Stop);
        EXPECT_EQ(end.token, kEos);
        ASSERT_EQ(end.top.size(), 3u);
        EXPECT_EQ(end.top[0].token, kEos);
        EXPECT_EQ(end.logprob, end.top[0].logprob);
        EXPECT_LT(end.logprob, 0);
        EXPECT_EQ(end.generated_tokens, 1);
        EXPECT_EQ(end.text, "");
    }
}

TEST(EndToken, IsNoneWhereTheAnswerEndedOtherwise) {
    for (GenerateRequest request :
         {GenerateRequest{.tokens_max = 0}, GenerateRequest{.tokens_max = 1}, GenerateRequest{.stops = {"B"}},
          GenerateRequest{.tokens_max = 5, .ignore_end = true}}) {
        std::vector<Event> ends = finishes(std::move(request));
        ASSERT_EQ(ends.size(), 1u);
        EXPECT_EQ(ends[0].token, -1);
        EXPECT_TRUE(ends[0].top.empty());
    }
}

}  // namespace
}  // namespace godwit::test
