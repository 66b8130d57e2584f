// What the engine's tests share: engines that the test drives step by step, and answers in a form that can be compared.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "engine/engine_impl.hpp"

namespace godwit::test {

/// One choice of a request, read to its end. Logprobs as bits: equal means equal.
struct Answer {
    std::vector<TokenId> tokens;
    std::vector<std::string> texts;  // of every event
    std::vector<uint32_t> logprobs;
    std::vector<std::vector<std::pair<TokenId, uint32_t>>> tops;
    FinishReason reason{};
    std::pair<TokenId, uint32_t> end{-1, 0};  // the end token and its logprob
    std::string error;
    int64_t prompt_tokens = 0, generated_tokens = 0;
    int finishes = 0;

    void add(const Event& event) {
        EXPECT_EQ(finishes, 0) << "an event after Finish";
        texts.push_back(event.text);
        if (event.kind == Event::Kind::Finish) {
            ++finishes;
            end = {event.token, std::bit_cast<uint32_t>(event.logprob)};
            reason = event.reason;
            error = event.error;
            prompt_tokens = event.prompt_tokens;
            generated_tokens = event.generated_tokens;
            return;
        }
        tokens.push_back(event.token);
        logprobs.push_back(std::bit_cast<uint32_t>(event.logprob));
        auto& top = tops.emplace_back();
        for (const TokenLogprob& one : event.top) top.emplace_back(one.token, std::bit_cast<uint32_t>(one.logprob));
    }

    std::string text() const {
        std::string all;
        for (const std::string& each : texts) all += each;
        return all;
    }

    bool operator==(const Answer&) const = default;
};

inline void PrintTo(const Answer& answer, std::ostream* out) {
    *out << "tokens";
    for (TokenId token : answer.tokens) *out << " " << token;
    *out << ", text '" << answer.text() << "', reason " << static_cast<int>(answer.reason) << ", error '"
         << answer.error << "', " << answer.prompt_tokens << " + " << answer.generated_tokens << " tokens, logprobs";
    for (uint32_t bits : answer.logprobs) *out << " " << std::bit_cast<float>(bits);
}

/// Reads to the end. An engine that nobody steps must have finished them.
inline std::vector<Answer> collect(Generation& generation, int32_t choices = 1) {
    std::vector<Answer> answers(choices);
    Event event;
    while (generation.next(event)) answers.at(event.choice).add(event);
    for (const Answer& answer : answers) EXPECT_EQ(answer.finishes, 1);
    return answers;
}

/// The value, or a failed test and the process's end: nothing sensible could follow.
template <class T>
T must(Result<T> result) {
    if (result.ok()) return std::move(result).take();
    ADD_FAILURE() << result.error().message;
    std::abort();
}

inline std::string error_of(auto&& result) { return result.ok() ? "(no error)" : result.error().message; }

/// An engine without a thread.
inline std::unique_ptr<EngineImpl> stepped_engine(const EngineOptions& options, int threads = 1) {
    return must(EngineImpl::make(Runtime::make({.threads = threads}), options));
}

inline void run_until_idle(EngineImpl& engine) {
    while (engine.step()) {
    }
}

/// The answers to a request that has an engine for itself.
inline std::vector<Answer> answers_alone(const EngineOptions& options, const GenerateRequest& request) {
    EngineOptions alone = options;
    alone.sequences = 1;
    alone.kv_bytes = 0;
    auto engine = stepped_engine(alone);
    Generation generation = must(engine->submit(request));
    run_until_idle(*engine);
    return collect(generation, request.choices);
}

inline std::string tiny_model(const std::string& name) { return GODWIT_TEST_DATA "/models/data/" + name; }

}  // namespace godwit::test
