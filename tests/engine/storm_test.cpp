// Submitting, reading, cancelling, forgetting and ending from many threads at once. For the thread sanitizer, and for
// deadlocks.
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <random>
#include <thread>

#include "engine/fixture.hpp"

namespace godwit::test {
namespace {

EngineOptions storm_options() {
    return {.model = tiny_model("llama.f32.gguf"), .context = 64, .sequences = 4, .step_rows = 16};
}

std::vector<GenerateRequest> storm_requests() {
    return {
        {.prompt = "the godwit", .tokens_max = 20, .sampling = {.temperature = 0}},
        {.prompt = "flies", .tokens_max = 30, .choices = 3, .sampling = {.seed = 3}},
        {.prompt = "non-stop from Alaska to New Zealand",
         .tokens_max = 5,
         .priority = 1,
         .sampling = {.seed = 4, .top_logprobs = 5}},
        {.prompt = "a", .tokens_max = -1, .stops = {"e", "qq"}, .sampling = {.repetition_penalty = 1.2f, .seed = 5}},
        {.prompt = "b", .tokens_max = 0},
    };
}

/// Reads everything; what is wrong with it, seen beside the answers of an engine without company.
void read_and_compare(Generation& generation, const GenerateRequest& request, const std::vector<Answer>& alone) {
    EXPECT_EQ(collect(generation, request.choices), alone);
}

void client(Engine& engine, uint64_t seed, const std::vector<GenerateRequest>& requests,
            const std::vector<std::vector<Answer>>& alone) {
    std::mt19937_64 random(seed);
    std::optional<Generation> kept;
    for (int round = 0; round < 100; ++round) {
        size_t i = random() % requests.size();
        Generation generation = must(engine.submit(requests[i]));
        switch (random() % 5) {
            case 0:
                read_and_compare(generation, requests[i], alone[i]);
                break;
            case 1:
                break;  // destroyed unread
            case 2: {   // cancelled by somebody else while it is read
                std::thread other([&] { generation.cancel(); });
                collect(generation, requests[i].choices);
                other.join();
                break;
            }
            case 3: {  // read in part
                Event event;
                for (uint64_t count = random() % 10; count > 0 && generation.next(event); --count) {
                }
                break;
            }
            case 4: {  // outlives the round; what it replaces is cancelled
                if (kept) *kept = std::move(generation);
                else kept.emplace(std::move(generation));
                engine.stats();
                break;
            }
        }
    }
}

TEST(Storm, ManyClients) {
    std::vector<GenerateRequest> requests = storm_requests();
    std::vector<std::vector<Answer>> alone;
    for (const GenerateRequest& request : requests) alone.push_back(answers_alone(storm_options(), request));
    auto engine = must(Engine::open(Runtime::make({.threads = 3}), storm_options()));
    std::vector<std::thread> clients;
    for (uint64_t i = 0; i < 4; ++i) clients.emplace_back([&, i] { client(*engine, i, requests, alone); });
    for (std::thread& one : clients) one.join();
    // All clients are gone: what they left behind ends within a step.
    Generation last = must(engine->submit(requests[0]));
    read_and_compare(last, requests[0], alone[0]);
}

/// Every Generation ends, at whatever moment the engine does.
TEST(Storm, EngineEndsWithWorkInFlight) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 60; ++round) {
        auto engine = must(Engine::open(Runtime::make({.threads = 2}), storm_options()));
        std::vector<GenerateRequest> requests = storm_requests();
        std::vector<Generation> generations;
        for (const GenerateRequest& request : requests) generations.push_back(must(engine->submit(request)));
        std::atomic<int64_t> events = 0;
        std::atomic<size_t> ended = 0;
        std::vector<std::thread> readers;
        for (size_t i = 0; i < requests.size(); ++i)
            readers.emplace_back([&, i] {
                std::vector<Answer> answers(requests[i].choices);
                for (Event event; generations[i].next(event); ++events) answers.at(event.choice).add(event);
                ++ended;
                for (const Answer& answer : answers) {
                    EXPECT_EQ(answer.finishes, 1);
                    EXPECT_NE(answer.reason, FinishReason::Failed) << answer.error;
                }
            });
        auto enough = static_cast<int64_t>(random() % 150);
        while (events < enough && ended < readers.size()) std::this_thread::yield();
        engine.reset();
        for (std::thread& reader : readers) reader.join();
        Event event;
        EXPECT_FALSE(generations[0].next(event));
    }
}

TEST(Storm, EngineEndsBeforeTheFirstStep) {
    for (int round = 0; round < 10; ++round) {
        auto engine = must(Engine::open(Runtime::make({.threads = 1}), storm_options()));
        Generation generation = must(engine->submit(storm_requests()[1]));
        engine.reset();
        collect(generation, 3);
    }
}

/// Two engines take turns on one pool of threads.
TEST(Storm, TwoEnginesShareThreads) {
    auto runtime = Runtime::make({.threads = 3});
    EngineOptions options[] = {storm_options(), storm_options()};
    options[1].model = tiny_model("gemma3.f16.gguf");
    std::vector<std::thread> clients;
    for (const EngineOptions& each : options)
        clients.emplace_back([&] {
            auto engine = must(Engine::open(runtime, each));
            std::vector<GenerateRequest> requests = storm_requests();
            std::vector<std::vector<Answer>> alone;
            for (const GenerateRequest& request : requests) alone.push_back(answers_alone(each, request));
            client(*engine, 1, requests, alone);
        });
    for (std::thread& one : clients) one.join();
}

}  // namespace
}  // namespace godwit::test
