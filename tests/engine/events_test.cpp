// Events without a thread that waits, logprobs of a prompt, and what an engine tells of itself.
#include <thread>

#include "engine/fixture.hpp"
#include "engine/solo.hpp"

namespace godwit::test {
namespace {

constexpr int64_t kStepRows = 5;  // so that prompts come in chunks

const std::vector<TokenId> kPrompt = {1, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 17};

/// The next token's logprob and the two most probable ones, as bits, after each token of the prompt but the last: from
/// one sequence alone.
std::vector<std::vector<uint32_t>> expected_logprobs(const std::vector<TokenId>& prompt) {
    ThreadPool pool(1);
    auto device = must(make_device(pool));
    auto model = must(Model::load(tiny_model("llama.f32.gguf"), *device));
    Solo solo = must(Solo::make(*model, *device, {.kv = KvFormat::F16, .step = {.rows = 64, .logit_rows = 64}}));
    std::vector<std::vector<uint32_t>> all;
    SampleScratch scratch;
    Result<void> done = solo.extend_all(prompt, [&](int64_t i, std::span<const float> logits) {
        if (i + 1 == std::ssize(prompt)) return;
        Sample sample = must(score(logits, prompt[i + 1], 2, 0, scratch));
        all.push_back({static_cast<uint32_t>(sample.token), std::bit_cast<uint32_t>(sample.logprob)});
        for (const TokenLogprob& top : sample.top) {
            all.back().push_back(static_cast<uint32_t>(top.token));
            all.back().push_back(std::bit_cast<uint32_t>(top.logprob));
        }
    });
    EXPECT_TRUE(done.ok());
    return all;
}

/// The same from a request's events; the others are counted.
std::vector<std::vector<uint32_t>> prompt_events(Generation& generation, int& others) {
    std::vector<std::vector<uint32_t>> all;
    for (Event event; generation.next(event);) {
        if (event.kind != Event::Kind::Prompt) {
            ++others;
            continue;
        }
        EXPECT_EQ(others, 0) << "a Prompt event after the first token";
        all.push_back({static_cast<uint32_t>(event.token), std::bit_cast<uint32_t>(event.logprob)});
        for (const TokenLogprob& top : event.top) {
            all.back().push_back(static_cast<uint32_t>(top.token));
            all.back().push_back(std::bit_cast<uint32_t>(top.logprob));
        }
    }
    return all;
}

TEST(PromptLogprobs, AreThoseOfASequenceAloneHoweverItIsChunked) {
    std::vector<std::vector<uint32_t>> expected = expected_logprobs(kPrompt);
    for (int64_t sequences : {1, 3, 4}) {
        auto engine =
            stepped_engine({.model = tiny_model("llama.f32.gguf"), .sequences = sequences, .step_rows = kStepRows});
        GenerateRequest request{.tokens = kPrompt,
                                .tokens_max = 2,
                                .choices = 2,
                                .ignore_end = true,
                                .prompt_logprobs = true,
                                .sampling = {.temperature = 0, .top_logprobs = 2}};
        std::vector<Generation> generations;
        for (int i = 0; i < 3; ++i) generations.push_back(must(engine->submit(request)));
        run_until_idle(*engine);
        for (Generation& generation : generations) {
            int others = 0;
            EXPECT_EQ(prompt_events(generation, others), expected);
            EXPECT_EQ(others, 2 * 3);  // two tokens and a Finish for each choice
        }
    }
}

TEST(PromptLogprobs, NeedNoAnswer) {
    auto engine = stepped_engine({.model = tiny_model("llama.f32.gguf")});
    Generation generation = must(
        engine->submit({.tokens = kPrompt, .tokens_max = 0, .prompt_logprobs = true, .sampling = {.top_logprobs = 2}}));
    run_until_idle(*engine);
    int others = 0;
    EXPECT_EQ(prompt_events(generation, others), expected_logprobs(kPrompt));
    EXPECT_EQ(others, 1);
}

TEST(Wake, ComesWithTheFirstEventOfAnEmptyQueue) {
    auto engine = stepped_engine({.model = tiny_model("llama.f32.gguf")});
    int wakes = 0;
    GenerateRequest request{.tokens = kPrompt, .tokens_max = 4, .ignore_end = true};
    request.wake = [&] { ++wakes; };
    Generation generation = must(engine->submit(request));
    Event event;
    EXPECT_FALSE(generation.try_next(event));
    run_until_idle(*engine);
    EXPECT_EQ(wakes, 1);  // nothing was read between
    int tokens = 0, finishes = 0;
    while (generation.try_next(event)) (event.kind == Event::Kind::Token ? tokens : finishes) += 1;
    EXPECT_EQ(tokens, 4);
    EXPECT_EQ(finishes, 1);
    EXPECT_FALSE(generation.next(event));
}

// Whoever drains at every wake-up, on another thread, misses nothing.
TEST(Wake, NoEventIsMissed) {
    auto engine = must(Engine::open(Runtime::make({.threads = 1}), {.model = tiny_model("llama.f32.gguf")}));
    std::mutex mutex;
    std::condition_variable changed;
    int wakes = 0;
    GenerateRequest request{.tokens = kPrompt, .tokens_max = 40, .choices = 3, .ignore_end = true};
    request.wake = [&] {
        std::lock_guard lock(mutex);
        ++wakes;
        changed.notify_one();
    };
    Generation generation = must(engine->submit(request));
    int tokens = 0, finishes = 0;
    while (finishes < 3) {
        {
            std::unique_lock lock(mutex);
            changed.wait(lock, [&] { return wakes > 0; });
            wakes = 0;
        }
        for (Event event; generation.try_next(event);) (event.kind == Event::Kind::Token ? tokens : finishes) += 1;
    }
    EXPECT_EQ(tokens, 3 * 40);
}

TEST(Stats, TellHowFullTheCacheIs) {
    auto engine = stepped_engine({.model = tiny_model("llama.f32.gguf"), .sequences = 2});
    EXPECT_EQ(engine->stats().cache_share, 0);
    Generation generation = must(engine->submit({.tokens = kPrompt, .tokens_max = 4, .ignore_end = true}));
    engine->step();
    EXPECT_GT(engine->stats().cache_share, 0);
    EXPECT_LT(engine->stats().cache_share, 1);
    run_until_idle(*engine);
    EXPECT_EQ(engine->stats().cache_share, 0);
    for (Event event; generation.next(event);) EXPECT_GE(event.queue_seconds, 0);
}

}  // namespace
}  // namespace godwit::test
