// Invariant I1 as one property: whatever shares the steps of a request, its answers have the bits that it would have
// alone. A run is decided by its seed, but for which thread computes what. GODWIT_SEED=n replays one seed,
// GODWIT_SEEDS=n runs n of them.
#include <gtest/gtest.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <random>
#include <unordered_map>

#include "base/utf8.hpp"
#include "engine/fixture.hpp"
#include "engine/seeded_model.hpp"
#include "engine/solo.hpp"
#include "file/temp_dir.hpp"

namespace godwit::test {
namespace {

#ifndef __has_feature  // g++
#define __has_feature(x) 0
#endif
constexpr bool kSlowBuild = __has_feature(address_sanitizer);

std::optional<uint64_t> number_from(const char* variable) {
    const char* text = std::getenv(variable);
    if (text == nullptr) return std::nullopt;
    uint64_t value = 0;
    std::from_chars(text, text + std::strlen(text), value);
    return value;
}

class Random {
public:
    explicit Random(uint64_t seed) : engine_(seed) {}
    /// low … high
    int64_t between(int64_t low, int64_t high) {
        return low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(high - low + 1));
    }
    bool chance(int64_t percent) { return between(1, 100) <= percent; }
    template <class T>
    T one_of(std::initializer_list<T> values) {
        return values.begin()[between(0, static_cast<int64_t>(values.size()) - 1)];
    }

private:
    std::mt19937_64 engine_;
};

uint64_t hash(std::span<const std::byte> bytes) {
    uint64_t h = 0xcbf29ce484222325;
    for (std::byte byte : bytes) h = (h ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
    return h;
}
template <class T>
uint64_t hash_of(std::span<const T> values) {
    return hash(std::as_bytes(values));
}

/// What happened over a whole test: a property that never met a preemption proves little.
struct Met {
    int64_t preemptions = 0, cancelled = 0, forks = 0, stops = 0, rows_compared = 0;
};

struct Subject {
    std::string model;
    uint64_t first_seed;
    int64_t requests_max, answer_max;
};

class Crowd {
public:
    Crowd(const Subject& subject, uint64_t seed, Met& met) : subject_(subject), random_(seed), met_(met) {}

    void run() {
        choose_options();
        for (int64_t i = random_.between(2, subject_.requests_max); i > 0; --i) add_request();
        run_together();
        Solo solo = must(
            Solo::make(*model_, *device_, {.context = 0, .kv = options_.kv, .step = {.rows = 64, .logit_rows = 64}}));
        for (Member& member : members_) {
            compare(member);
            compute_logits(solo, member);
        }
        compare_logits();
    }

private:
    struct Member {
        GenerateRequest request;
        std::vector<Answer> alone, together;
        std::optional<Generation> generation;
        bool cancelled = false;
    };

    void choose_options() {
        device_ = must(make_device(pool_));
        model_ = must(Model::load(subject_.model, *device_));
        context_ = std::min<int64_t>(model_->plan.context, random_.between(40, 128));
        options_ = {.model = subject_.model,
                    .context = context_,
                    .sequences = random_.between(1, 6),
                    .step_rows = random_.one_of<int64_t>({1, 3, 8, 17, 33, 128}),
                    .kv = random_.one_of({KvFormat::F32, KvFormat::F16})};
        EngineSettings one = engine_settings(options_);
        one.sequences = 1;
        uint64_t bytes = must(plan_memory(model_->file, model_->plan, *device_, one)).kv;
        if (random_.chance(80)) options_.kv_bytes = bytes * random_.between(100, 250) / 100;
    }

    std::vector<TokenId> random_tokens() {
        int64_t count = random_.chance(70) ? random_.between(1, 20) : random_.between(1, context_ - 1);
        std::vector<TokenId> tokens;
        if (!members_.empty() && random_.chance(30)) {  // begins like another one
            tokens = members_[random_.between(0, std::ssize(members_) - 1)].request.tokens;
            if (random_.chance(60)) tokens.resize(random_.between(0, std::ssize(tokens)));
        }
        while (std::ssize(tokens) < count)
            tokens.push_back(static_cast<TokenId>(random_.between(0, model_->plan.vocabulary - 1)));
        return tokens;
    }

    SamplingParams random_sampling() {
        SamplingParams s{.top_k = 0, .top_p = 1, .min_p = 0, .seed = static_cast<uint64_t>(random_.between(0, 1000))};
        s.temperature = random_.one_of({0.0f, 0.0f, 0.3f, 1.0f, 2.0f});
        if (random_.chance(30)) s.top_k = static_cast<int32_t>(random_.between(1, 50));
        if (random_.chance(30)) s.top_p = 0.7f;
        if (random_.chance(30)) s.min_p = 0.02f;
        if (random_.chance(40)) s.repetition_penalty = 1.3f, s.frequency_penalty = 0.4f, s.presence_penalty = -0.3f;
        if (random_.chance(20)) s.logit_bias = {{2, 3.0f}, {40, -100.0f}};  // 2: the end token
        s.top_logprobs = random_.one_of({-1, 0, 3, static_cast<int32_t>(model_->plan.vocabulary)});
        return s;
    }

    void add_request() {
        Member& member = members_.emplace_back();
        GenerateRequest& request = member.request;
        request.tokens = random_tokens();
        request.tokens_max = random_.chance(10) ? -1 : random_.between(0, subject_.answer_max);
        request.choices = static_cast<int32_t>(random_.chance(70) ? 1 : random_.between(2, 4));
        request.priority = static_cast<int32_t>(random_.between(-1, 1));
        request.sampling = random_sampling();
        member.alone = run_alone(request);
        if (random_.chance(40)) {
            add_stops(request, member.alone[0].text());
            member.alone = run_alone(request);
        }
    }

    /// A piece of the answer, so that it ends there; or its last letters and more, so that they are held back in vain.
    void add_stops(GenerateRequest& request, const std::string& answer) {
        std::vector<std::string> letters;
        for (std::string_view rest = answer; !rest.empty(); rest.remove_prefix(letters.back().size()))
            letters.emplace_back(rest.substr(0, next_utf8(rest).size));
        if (letters.empty()) return;
        int64_t first = random_.between(0, std::ssize(letters) - 1),
                last = std::min(first + random_.between(0, 5), std::ssize(letters) - 1);
        std::string stop;
        for (int64_t i = first; i <= last; ++i) stop += letters[i];
        request.stops = {stop, letters.back() + "never",
                         stop.substr(0, stop.size() - letters[last].size()) + "neither"};
    }

    std::vector<Answer> run_alone(const GenerateRequest& request) {
        EngineOptions alone{.model = subject_.model, .context = context_, .sequences = 1, .kv = options_.kv};
        auto engine = stepped_engine(alone);
        observe(*engine);
        Generation generation = must(engine->submit(request));
        run_until_idle(*engine);
        return collect(generation, request.choices);
    }

    void observe(EngineImpl& engine) {
        engine.on_logits = [this](std::span<const TokenId> tokens, std::span<const float> logits) {
            observed_.emplace_back(hash_of(tokens), hash_of(logits));
        };
    }

    void run_together() {
        auto engine = stepped_engine(options_, static_cast<int>(random_.between(1, 4)));
        observe(*engine);
        size_t submitted = 0;
        int64_t arrival_percent = random_.between(3, 60),
                cancel_percent = random_.chance(50) ? 0 : random_.between(1, 5);
        for (bool idle = false; !idle || submitted < members_.size();) {
            if (submitted < members_.size() && (idle || random_.chance(arrival_percent))) {
                Member& member = members_[submitted++];
                member.generation = must(engine->submit(member.request));
            } else if (submitted > 0 && random_.chance(cancel_percent)) {
                Member& member = members_[random_.between(0, static_cast<int64_t>(submitted) - 1)];
                member.cancelled = true;
                member.generation->cancel();
            }
            idle = !engine->step();
        }
        for (Member& member : members_) member.together = collect(*member.generation, member.request.choices);
        EngineStats stats = engine->stats();
        EXPECT_EQ(stats.running + stats.waiting, 0);
        met_.preemptions += stats.preemptions;
        check_nothing_leaked(*engine);
    }

    /// One sequence of the whole context fits, so it must still fit.
    void check_nothing_leaked(EngineImpl& engine) {
        if (!random_.chance(25)) return;
        GenerateRequest request{.tokens = {5}, .sampling = {.logit_bias = {{2, -100.0f}}, .temperature = 0}};
        Generation generation = must(engine.submit(request));
        run_until_idle(engine);
        Answer answer = collect(generation)[0];
        EXPECT_EQ(answer.generated_tokens, context_ - 1) << answer.error;
    }

    void compare(const Member& member) {
        for (int32_t choice = 0; choice < member.request.choices; ++choice) {
            const Answer &alone = member.alone[choice], &together = member.together[choice];
            ASSERT_NE(alone.reason, FinishReason::Failed) << alone.error;
            met_.forks += choice > 0;
            met_.stops += !member.request.stops.empty() && alone.reason == FinishReason::Stop;
            if (!member.cancelled || together.reason != FinishReason::Cancelled) {
                EXPECT_EQ(together, alone) << "choice " << choice;
                continue;
            }
            ++met_.cancelled;
            size_t count = together.tokens.size();
            ASSERT_LE(count, alone.tokens.size());
            EXPECT_TRUE(std::equal(together.tokens.begin(), together.tokens.end(), alone.tokens.begin()));
            EXPECT_TRUE(std::equal(together.logprobs.begin(), together.logprobs.end(), alone.logprobs.begin()));
            EXPECT_TRUE(std::equal(together.texts.begin(), together.texts.begin() + static_cast<ptrdiff_t>(count),
                                   alone.texts.begin()));
        }
    }

    /// The definition: the logits after every token of the answers, and what is drawn from them.
    void compute_logits(Solo& solo, const Member& member) {
        for (int32_t choice = 0; choice < member.request.choices; ++choice) {
            const Answer& answer = member.alone[choice];
            std::vector<TokenId> tokens = member.request.tokens;
            int64_t prompt = std::ssize(tokens);
            tokens.insert(tokens.end(), answer.tokens.begin(), answer.tokens.end());
            Sampler sampler(member.request.sampling, static_cast<int32_t>(model_->plan.vocabulary));
            sampler.accept_prompt(member.request.tokens);
            solo.clear();
            Result<void> extended = solo.extend_all(tokens, [&](int64_t i, std::span<const float> logits) {
                expected_[hash_of(std::span<const TokenId>(tokens).first(i + 1))] = hash_of(logits);
                if (i + 1 < prompt || i + 1 == std::ssize(tokens)) return;
                Sample sample =
                    must(sampler.sample(logits, static_cast<uint32_t>(choice), static_cast<uint64_t>(i + 1), scratch_));
                EXPECT_EQ(sample.token, tokens[i + 1]);
                EXPECT_EQ(std::bit_cast<uint32_t>(sample.logprob), answer.logprobs[i + 1 - prompt]);
                sampler.accept(sample.token);
            });
            ASSERT_TRUE(extended.ok()) << extended.error().message;
        }
    }

    void compare_logits() {
        for (auto [tokens, logits] : observed_) {
            auto found = expected_.find(tokens);
            if (found == expected_.end()) continue;  // an answer without its stops, or the leak check
            EXPECT_EQ(logits, found->second) << "logits";
            ++met_.rows_compared;
        }
    }

    const Subject& subject_;
    Random random_;
    Met& met_;
    ThreadPool pool_{1};
    std::unique_ptr<Device> device_;
    std::unique_ptr<Model> model_;
    EngineOptions options_;
    int64_t context_ = 0;
    std::vector<Member> members_;
    std::vector<std::pair<uint64_t, uint64_t>> observed_;  // hashes of tokens and of the logits after them
    std::unordered_map<uint64_t, uint64_t> expected_;
    SampleScratch scratch_;
};

/// True: all seeds ran, so everything should have been met.
bool run_seeds(const Subject& subject, uint64_t seeds, Met& met) {
    std::optional<uint64_t> only = number_from("GODWIT_SEED");
    if (only) seeds = 1;
    else seeds = number_from("GODWIT_SEEDS").value_or(kSlowBuild ? std::max<uint64_t>(1, seeds / 20) : seeds);
    for (uint64_t i = 0; i < seeds && !testing::Test::HasFailure(); ++i) {
        uint64_t seed = only.value_or(subject.first_seed + i);
        SCOPED_TRACE(fmt::format("replay with GODWIT_SEED={}", seed));
        Crowd(subject, seed, met).run();
    }
    std::printf("met: %ld preemptions, %ld cancelled, %ld forks, %ld stops, %ld rows of logits compared\n",
                met.preemptions, met.cancelled, met.forks, met.stops, met.rows_compared);
    return !only && seeds >= 20;
}

/// No two models with the same seeds.
uint64_t first_seed(std::string_view name) { return hash(std::as_bytes(std::span(name))) % 1000 * 1'000'000; }

class TinyModels : public testing::TestWithParam<const char*> {};

TEST_P(TinyModels, TogetherAsAlone) {
    Met met;
    bool all = run_seeds(
        {.model = tiny_model(GetParam()), .first_seed = first_seed(GetParam()), .requests_max = 10, .answer_max = 50},
        100, met);
    if (!all) return;
    EXPECT_GT(met.preemptions, 0);
    EXPECT_GT(met.cancelled, 0);
    EXPECT_GT(met.forks, 0);
    EXPECT_GT(met.stops, 0);
    EXPECT_GT(met.rows_compared, 1000);
}

INSTANTIATE_TEST_SUITE_P(Invariance, TinyModels,
                         testing::Values("llama.f32.gguf", "llama-tied.f32.gguf", "llama-rope-yarn.f32.gguf",
                                         "qwen2.f16.gguf", "qwen3.f32.gguf", "gemma3.f32.gguf", "gemma3.f16.gguf",
                                         "gemma3-rope-linear.f32.gguf"),
                         [](const auto& each) {
                             std::string name = each.param;
                             std::replace_if(
                                 name.begin(), name.end(), [](char c) { return c == '.' || c == '-'; }, '_');
                             return name;
                         });

class SeededModels : public testing::TestWithParam<DType> {};

TEST_P(SeededModels, TogetherAsAlone) {
    TempDir dir;
    std::string path = dir.write("seeded.gguf", seeded_llama({.dtype = GetParam()}, 7).bytes());
    Met met;
    run_seeds({.model = path, .first_seed = first_seed(dtype_name(GetParam())), .requests_max = 4, .answer_max = 40}, 4,
              met);
    EXPECT_GT(met.rows_compared, 0);
}

std::vector<DType> weight_types() {
    if (kSlowBuild) return {DType::Q4_K};
    return {std::begin(kWeightTypes), std::end(kWeightTypes)};
}

INSTANTIATE_TEST_SUITE_P(Invariance, SeededModels, testing::ValuesIn(weight_types()),
                         [](const auto& each) { return std::string(dtype_name(each.param)); });

}  // namespace
}  // namespace godwit::test
