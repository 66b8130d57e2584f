// What a step costs beside the model: no allocation once the engine is warm, no CPU time when there is nothing to do.
#include <gtest/gtest.h>

#include <ctime>
#include <thread>

#include "engine/fixture.hpp"

extern std::atomic<int64_t> allocations;  // tests/sample/count_allocations.cpp

namespace godwit::test {
namespace {

/// All kinds of sampling; answers that never end by themselves.
GenerateRequest endless(int64_t i) {
    GenerateRequest request{.tokens = {5, 6, static_cast<TokenId>(10 + i)}};
    request.sampling = {.logit_bias = {{2, -100.0f}},
                        .temperature = 0,
                        .top_k = 0,
                        .top_p = 1,
                        .min_p = 0,
                        .seed = static_cast<uint64_t>(i)};
    if (i % 2 == 1) request.sampling.temperature = 1;
    if (i % 4 == 1) request.sampling.top_k = 20, request.sampling.top_p = 0.8f, request.sampling.min_p = 0.01f;
    if (i % 4 == 3) request.sampling.repetition_penalty = 1.2f, request.sampling.presence_penalty = 0.5f;
    if (i % 3 == 0) request.sampling.top_logprobs = 20;
    if (i % 5 == 0) request.stops = {"never comes", "\x01\x02\x03"};
    return request;
}

class SteadyState : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(SteadyState, StepsAllocateNothing) {
    auto [model, threads] = GetParam();
    auto engine = stepped_engine({.model = tiny_model(model), .sequences = 16}, threads);
    std::vector<Generation> generations;
    for (int64_t i = 0; i < 16; ++i) generations.push_back(must(engine->submit(endless(i))));
    Event event;
    auto run = [&](int steps) {
        int64_t during_steps = 0;
        for (int i = 0; i < steps; ++i) {
            int64_t before = allocations;
            engine->step();
            during_steps += allocations - before;
            for (Generation& each : generations) each.next(event);
        }
        return during_steps;
    };
    engine->step();  // the prompts
    for (Generation& each : generations) each.next(event);
    EXPECT_GT(run(50), 0) << "the counter works";
    EXPECT_EQ(run(60), 0);
    EXPECT_EQ(engine->stats().running, 16);
}

INSTANTIATE_TEST_SUITE_P(Models, SteadyState,
                         testing::Values(std::tuple{"llama.f16.gguf", 1}, std::tuple{"gemma3.f32.gguf", 1},
                                         std::tuple{"qwen3.f16.gguf", 3}));

double cpu_seconds() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

TEST(Idle, TakesNoProcessorTime) {  // I8
    auto engine = must(Engine::open(Runtime::make({.threads = 4}), {.model = tiny_model("llama.f32.gguf")}));
    Generation generation = must(engine->submit(endless(0)));
    collect(generation);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the workers' last spin
    double before = cpu_seconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_LT(cpu_seconds() - before, 0.002);
}

/// A figure, not a bar: docs/benchmarks has it with the machine it was measured on.
TEST(Bookkeeping, AtSixtyFourSequences) {
    auto engine = stepped_engine({.model = tiny_model("llama.f16.gguf"), .sequences = 64, .step_rows = 256});
    std::vector<Generation> generations;
    for (int64_t i = 0; i < 64; ++i)
        generations.push_back(must(engine->submit({.tokens = {5, 6, 7}, .sampling = endless(0).sampling})));
    Event event;
    auto run = [&](int steps) {
        for (; steps > 0; --steps) {
            engine->step();
            for (Generation& each : generations) each.next(event);
        }
        return engine->stats();
    };
    EngineStats before = run(20), after = run(100);
    ASSERT_EQ(after.rows - before.rows, 64 * 100);
    double microseconds = (after.bookkeeping_seconds - before.bookkeeping_seconds) / 100 * 1e6;
    std::printf("bookkeeping at 64 sequences: %.1f us a step (sampling %.1f, forward %.1f)\n", microseconds,
                (after.sampling_seconds - before.sampling_seconds) / 100 * 1e6,
                (after.compute_seconds - before.compute_seconds) / 100 * 1e6);
    RecordProperty("microseconds_a_step", std::to_string(microseconds));
}

}  // namespace
}  // namespace godwit::test
