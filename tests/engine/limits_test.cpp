// What an engine refuses, what it survives, and where an answer ends. Names in brackets are ids of the collection of
// inputs that broke other engines: W1 D6 D7 D9 D10 G5 N1 P4.
#include <gtest/gtest.h>

#include <cfenv>
#include <filesystem>
#include <limits>
#include <thread>

#include "engine/fixture.hpp"
#include "engine/seeded_model.hpp"
#include "file/temp_dir.hpp"

namespace godwit::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
const SamplingParams kGreedy{.temperature = 0};
const SamplingParams kGreedyEndless{.logit_bias = {{kEos, -100.0f}}, .temperature = 0};

void expect_start(const std::string& text, const std::string& start) {
    EXPECT_EQ(text.substr(0, start.size()), start) << text;
}

LlamaShape small_shape(int64_t context) {
    return {.embedding = 32, .layers = 2, .heads = 4, .kv_heads = 2, .ffn = 48, .context = context};
}

class Limits : public testing::Test {
protected:
    std::string seeded(int64_t context) {
        return dir_.write("seeded.gguf", seeded_llama(small_shape(context), 1).bytes());
    }
    std::string chain(const std::function<int32_t(int32_t)>& next) {
        return dir_.write("chain.gguf", chain_llama(next).bytes());
    }
    /// A chain that goes through these tokens, then repeats the last one.
    std::string chain(const std::vector<int32_t>& tokens) {
        return chain([=](int32_t token) {
            auto found = std::find(tokens.begin(), tokens.end(), token);
            if (found == tokens.end()) return kEos;
            return found + 1 == tokens.end() ? tokens.back() : found[1];
        });
    }
    Answer answer(const std::string& model, const GenerateRequest& request) {
        return answers_alone({.model = model}, request)[0];
    }

    TempDir dir_;
};

// ---- Requests that are refused, and say why

TEST_F(Limits, FieldsOutOfRange) {
    auto engine = stepped_engine({.model = seeded(128)});
    auto fault = [&](GenerateRequest request) {
        if (request.tokens.empty()) request.tokens = {5};
        return error_of(engine->submit(std::move(request)));
    };
    expect_start(fault({.choices = 0}), "choices: 0");
    expect_start(fault({.choices = 129}), "choices: 129");
    expect_start(fault({.choices = -1}), "choices: -1");
    expect_start(fault({.tokens_max = -2}), "tokens_max: -2");
    expect_start(fault({.tokens = {-1}}), "token -1");
    expect_start(fault({.tokens = {5, static_cast<TokenId>(kVocabulary)}}), fmt::format("token {}", kVocabulary));
    expect_start(fault({.tokens = std::vector<TokenId>(128, 5)}), "prompt: it has 128 tokens, the context only 128");
    expect_start(fault({.stops = {std::string(20000, 'x')}}), "stops: 20001 bytes");
    expect_start(fault({.sampling = {.temperature = kNan}}), "temperature: nan");
    expect_start(fault({.sampling = {.top_p = kNan}}), "top_p: nan");
    expect_start(fault({.sampling = {.min_p = kNan}}), "min_p: nan");
    expect_start(fault({.sampling = {.repetition_penalty = kNan}}), "repetition_penalty: nan");
    expect_start(fault({.sampling = {.frequency_penalty = kNan}}), "frequency_penalty: nan");
    expect_start(fault({.sampling = {.presence_penalty = kNan}}), "presence_penalty: nan");
    expect_start(fault({.sampling = {.logit_bias = {{3, kNan}}}}), "logit_bias: the bias of token 3");
    expect_start(fault({.sampling = {.logit_bias = {{999, 1.0f}}}}), "logit_bias: token 999");
    expect_start(fault({.sampling = {.top_logprobs = -2}}), "top_logprobs: -2");
    EXPECT_FALSE(engine->step()) << "nothing of it was taken";
}

TEST_F(Limits, EmptyPrompt) {
    GgufWriter file = seeded_llama(small_shape(128), 1);
    file.set("tokenizer.ggml.add_bos_token", false);
    auto engine = stepped_engine({.model = dir_.write("no-bos.gguf", file.bytes())});
    EXPECT_EQ(error_of(engine->submit({.prompt = ""})), "prompt: it is empty");
    // A model that wants a BOS begins with it: there is always a prompt.
    EXPECT_EQ(answer(seeded(128), {.prompt = "", .tokens_max = 2, .sampling = kGreedyEndless}).prompt_tokens, 1);
}

TEST_F(Limits, EngineOptionsOutOfRange) {
    auto fault = [&](EngineOptions options) {
        options.model = seeded(128);
        return error_of(Engine::open(Runtime::make({.threads = 1}), options));
    };
    expect_start(fault({.sequences = 0}), "sequences: 0");
    expect_start(fault({.sequences = 1025}), "sequences: 1025");
    expect_start(fault({.step_rows = 0}), "step_rows: 0");
    expect_start(fault({.step_rows = 8193}), "step_rows: 8193");
    expect_start(fault({.context = -1}), "context: -1");
    expect_start(fault({.kv_bytes = 100}), "the cache of 100 bytes does not hold one sequence of 128 tokens");
}

TEST_F(Limits, CachesBeyondTheReachOfSlots) {
    auto fault = error_of(
        Engine::open(Runtime::make({.threads = 1}), {.model = seeded(1 << 30), .context = 1 << 30, .sequences = 64}));
    expect_start(fault, "64 sequences of 1073741824 tokens");
}

// ---- How long answers get

TEST_F(Limits, TokensMax) {
    std::string model = seeded(128);
    Answer none = answer(model, {.tokens = {5, 6, 7}, .tokens_max = 0, .sampling = kGreedyEndless});
    EXPECT_EQ(none.reason, FinishReason::Length);
    EXPECT_EQ(none.tokens.size(), 0u);
    EXPECT_EQ(none.prompt_tokens, 3);
    Answer all = answer(model, {.tokens = {5, 6, 7}, .tokens_max = -1, .sampling = kGreedyEndless});
    EXPECT_EQ(all.reason, FinishReason::Length);
    EXPECT_EQ(all.generated_tokens, 125);
    Answer more = answer(
        model, {.tokens = {5, 6, 7}, .tokens_max = std::numeric_limits<int64_t>::max(), .sampling = kGreedyEndless});
    EXPECT_EQ(more, all);
    Answer longest = answer(model, {.tokens = std::vector<TokenId>(127, 5), .sampling = kGreedyEndless});
    EXPECT_EQ(longest.generated_tokens, 1);
}

TEST_F(Limits, AnIgnoredEndIsATokenLikeOthers) {
    std::string model = chain({piece("▁A"), piece("▁B"), kEos});
    GenerateRequest request{.prompt = "A", .tokens_max = 4, .sampling = kGreedy};
    EXPECT_EQ(answer(model, request).tokens, (std::vector<TokenId>{piece("▁B")}));
    request.ignore_end = true;
    Answer got = answer(model, request);
    EXPECT_EQ(got.tokens, (std::vector<TokenId>{piece("▁B"), kEos, kEos, kEos}));
    EXPECT_EQ(got.reason, FinishReason::Length);
    EXPECT_EQ(got.text(), " B");
}

TEST_F(Limits, ManyChoices) {
    GenerateRequest request{.tokens = {5, 6}, .tokens_max = 3, .choices = 128, .sampling = kGreedyEndless};
    auto engine = stepped_engine({.model = seeded(128), .sequences = 3});
    Generation generation = must(engine->submit(request));
    run_until_idle(*engine);
    for (const Answer& each : collect(generation, 128)) EXPECT_EQ(each.generated_tokens, 3);
    EXPECT_EQ(engine->stats().generated_tokens, 128 * 3);
    EXPECT_EQ(engine->stats().prompt_tokens, 2);
}

TEST_F(Limits, CacheOfOneSequenceForFour) {  // W1
    std::string model = seeded(1024);
    EngineOptions options{.model = model, .context = 768, .sequences = 1};
    options.kv_bytes = stepped_engine(options)->memory().kv;
    options.sequences = 4;
    auto engine = must(Engine::open(Runtime::make({.threads = 2}), options));
    EXPECT_EQ(engine->memory().kv, options.kv_bytes);
    std::vector<GenerateRequest> requests(4, {.tokens_max = 300, .sampling = kGreedyEndless});
    std::vector<Generation> generations;
    for (size_t i = 0; i < requests.size(); ++i) {
        requests[i].tokens.assign(163, static_cast<TokenId>(40 + i));
        generations.push_back(must(engine->submit(requests[i])));
    }
    for (size_t i = 0; i < requests.size(); ++i) {
        Answer got = collect(generations[i])[0];
        EXPECT_EQ(got.generated_tokens, 300) << got.error;
        EXPECT_EQ(got, answers_alone(options, requests[i])[0]);
    }
}

// ---- Readers

TEST_F(Limits, WhoNeverReadsLosesOnlyTheOwnRequest) {
    EngineOptions options{.model = seeded(256), .sequences = 20};
    auto engine = stepped_engine(options);
    GenerateRequest flood{.tokens = {5}, .choices = 16, .sampling = kGreedyEndless};
    flood.sampling.top_logprobs = static_cast<int32_t>(kVocabulary);
    GenerateRequest other{.tokens = {6, 7}, .sampling = kGreedyEndless};
    Generation unread = must(engine->submit(flood)), beside = must(engine->submit(other));
    run_until_idle(*engine);
    size_t bytes = 0;
    for (const Answer& each : collect(unread, 16)) {
        EXPECT_EQ(each.reason, FinishReason::Cancelled);
        EXPECT_GT(each.tokens.size(), 0u);
        for (const auto& top : each.tops) bytes += sizeof(Event) + top.size() * sizeof(TokenLogprob);
    }
    EXPECT_NEAR(static_cast<double>(bytes), kEventBytesMax, 100'000);
    EXPECT_EQ(collect(beside)[0], answers_alone(options, other)[0]);
}

TEST_F(Limits, CancelledWithinOneStep) {
    auto engine = stepped_engine({.model = seeded(128)});
    Generation generation = must(engine->submit({.tokens = {5}, .choices = 2, .sampling = kGreedyEndless}));
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(engine->step());
    generation.cancel();
    EXPECT_FALSE(engine->step());
    for (const Answer& each : collect(generation, 2)) {
        EXPECT_EQ(each.reason, FinishReason::Cancelled);
        EXPECT_EQ(each.generated_tokens, 5);
    }
    EXPECT_EQ(engine->stats().running, 0);
}

TEST_F(Limits, CancelledBeforeItBegan) {
    auto engine = stepped_engine({.model = seeded(128)});
    Generation generation = must(engine->submit({.tokens = {5}, .choices = 3}));
    generation.cancel();
    EXPECT_FALSE(engine->step());
    for (const Answer& each : collect(generation, 3)) EXPECT_EQ(each.reason, FinishReason::Cancelled);
}

TEST_F(Limits, AnotherInItsPlaceCancels) {
    auto engine = stepped_engine({.model = seeded(128)});
    Generation first = must(engine->submit({.tokens = {5}, .sampling = kGreedyEndless}));
    Generation second = must(engine->submit({.tokens = {6}, .sampling = kGreedyEndless}));
    engine->step();
    EXPECT_EQ(engine->stats().running, 2);
    first = std::move(second);
    engine->step();
    EXPECT_EQ(engine->stats().running, 1);
    run_until_idle(*engine);
    EXPECT_EQ(collect(first)[0].generated_tokens, 127);
}

// ---- Broken weights

/// A model whose embedding of one token is NaN.
std::string model_with_nan(const TempDir& dir, TokenId token) {
    GgufWriter file = seeded_llama(small_shape(128), 1);
    std::string& embedding = file.tensors[0].data;
    for (int64_t i = 0; i < 32; ++i) embedding.replace((token * 32 + i) * 4, 4, raw_bytes(kNan));
    return dir.write("nan.gguf", file.bytes());
}

TEST_F(Limits, NanFailsItsRequestAlone) {  // N1
    EngineOptions options{.model = model_with_nan(dir_, 77), .sequences = 3};
    auto engine = stepped_engine(options);
    GenerateRequest good{.tokens = {5, 6}, .tokens_max = 40, .sampling = kGreedyEndless};
    good.sampling.logit_bias.emplace_back(77, -100.0f);
    GenerateRequest bad{.tokens = {5, 77, 6}, .choices = 2};
    Generation before = must(engine->submit(good)), broken = must(engine->submit(bad));
    for (int i = 0; i < 5; ++i) engine->step();
    Generation after = must(engine->submit(good));  // in the blocks that held NaN
    run_until_idle(*engine);
    for (const Answer& each : collect(broken, 2)) {
        EXPECT_EQ(each.reason, FinishReason::Failed);
        EXPECT_EQ(each.generated_tokens, 0);
        EXPECT_NE(each.error.find("position 3: the logit of token 0 is"), std::string::npos) << each.error;
        EXPECT_NE(each.error.find("damaged weights"), std::string::npos) << each.error;
    }
    Answer alone = answers_alone(options, good)[0];
    EXPECT_EQ(alone.generated_tokens, 40);
    EXPECT_EQ(collect(before)[0], alone);
    EXPECT_EQ(collect(after)[0], alone);
}

// ---- Where the text ends

std::vector<int32_t> alphabet() {
    std::vector<int32_t> tokens;
    for (char letter = 'A'; letter <= 'Z'; ++letter) tokens.push_back(piece(std::string("▁") + letter));
    return tokens;
}

TEST_F(Limits, StopOverSeveralTokens) {  // D9
    Answer got =
        answer(chain(alphabet()), {.prompt = "A B C D E F G H I J K", .stops = {"O P Q"}, .sampling = kGreedy});
    EXPECT_EQ(got.text(), " L M N ");
    EXPECT_EQ(got.reason, FinishReason::Stop);
    EXPECT_EQ(got.generated_tokens, 6);
    EXPECT_EQ(got.texts, (std::vector<std::string>{" L", " M", " N", " ", "", "", ""}));
}

TEST_F(Limits, TheFirstStopWins) {
    Answer got = answer(chain(alphabet()), {.prompt = "A", .stops = {"E F G H", "C D", "Z"}, .sampling = kGreedy});
    EXPECT_EQ(got.text(), " B ");
}

TEST_F(Limits, StopThatNeverComesIsGivenBack) {  // D10
    Answer got = answer(chain({piece("▁A"), piece("▁B"), piece("?"), kEos}),
                        {.prompt = "A", .stops = {"?\n"}, .sampling = kGreedy});
    EXPECT_EQ(got.text(), " B?");
    EXPECT_EQ(got.reason, FinishReason::Stop);
    EXPECT_EQ(got.texts, (std::vector<std::string>{" B", "", "?"}));
    Answer cut = answer(chain({piece("▁A"), piece("▁B"), piece("?")}),
                        {.prompt = "A", .tokens_max = 2, .stops = {"?\n"}, .sampling = kGreedy});
    EXPECT_EQ(cut.text(), " B?");
    EXPECT_EQ(cut.reason, FinishReason::Length);
}

TEST_F(Limits, StopOnTheFirstToken) {  // G5
    GenerateRequest request{.prompt = "A", .choices = 2, .stops = {" B"}, .sampling = kGreedy};
    request.sampling.top_logprobs = 3;
    for (const Answer& each : answers_alone({.model = chain(alphabet())}, request)) {
        EXPECT_EQ(each.text(), "");
        EXPECT_EQ(each.reason, FinishReason::Stop);
        ASSERT_EQ(each.tokens.size(), 1u);
        EXPECT_EQ(each.tops[0].size(), 3u);
        EXPECT_EQ(each.tops[0][0].first, piece("▁B"));
    }
}

TEST_F(Limits, ByteThatIsNoText) {  // D7
    Answer got = answer(chain({piece("▁A"), piece("▁B"), byte_token(0xFF), piece("C"), kEos}),
                        {.prompt = "A", .sampling = kGreedy});
    EXPECT_EQ(got.text(), " B\uFFFDC");
    EXPECT_EQ(got.reason, FinishReason::Stop);
    Answer unfinished =
        answer(chain({piece("▁A"), byte_token(0xF0), byte_token(0x9F), kEos}), {.prompt = "A", .sampling = kGreedy});
    EXPECT_EQ(unfinished.text(), "");
}

TEST_F(Limits, NulInThePrompt) {  // D6
    auto engine = stepped_engine({.model = chain({byte_token(0), piece("B"), kEos})});
    std::string prompt("A\0", 2);
    EXPECT_EQ(engine->tokenize(prompt), (std::vector<TokenId>{kBos, piece("▁A"), byte_token(0)}));
    Generation generation = must(engine->submit({.prompt = prompt, .sampling = kGreedy}));
    run_until_idle(*engine);
    Answer got = collect(generation)[0];
    EXPECT_EQ(got.text(), "B");
    EXPECT_EQ(got.prompt_tokens, 3);
}

// ---- Company

TEST_F(Limits, ConversationsTakeTurns) {  // P4
    EngineOptions options{.model = seeded(256), .sequences = 2, .step_rows = 16};
    auto engine = must(Engine::open(Runtime::make({.threads = 2}), options));
    std::vector<TokenId> histories[2] = {{5, 6, 7, 8, 9}, {5, 6, 7, 8, 10}};
    for (int turn = 0; turn < 4; ++turn)
        for (std::vector<TokenId>& history : histories) {
            GenerateRequest request{.tokens = history, .tokens_max = 40, .sampling = kGreedyEndless};
            Generation generation = must(engine->submit(request));
            Answer got = collect(generation)[0];
            EXPECT_EQ(got, answers_alone(options, request)[0]) << "turn " << turn;
            history.insert(history.end(), got.tokens.begin(), got.tokens.end());
            history.push_back(static_cast<TokenId>(20 + turn));
        }
}

/// Does a plane of F16 hold anything but zeros for this place of its only block? Keys stand side by side, values one
/// after the other.
bool holds(const View& plane, bool keys, int64_t place) {
    const auto* halves = reinterpret_cast<const uint16_t*>(plane.buffer->host() + plane.offset);
    const int64_t stride = keys ? 1 : plane.shape[3];
    bool found = false;
    for (int64_t i = 0; i < plane.shape.elements(); ++i) found |= i / stride % kBlockTokens == place && halves[i] != 0;
    return found;
}

TEST_F(Limits, NothingOfAnotherSequenceIsLeftInABlock) {
    // One block in all: the second sequence gets that of the first.
    auto engine = stepped_engine({.model = seeded(128), .context = kBlockTokens, .sequences = 1});
    Generation longer = must(engine->submit({.tokens = std::vector<TokenId>(30, 7), .tokens_max = 1}));
    run_until_idle(*engine);
    Generation shorter = must(engine->submit({.tokens = {8, 9}, .tokens_max = 1}));
    run_until_idle(*engine);
    for (int32_t layer = 0; layer < 2; ++layer)
        for (int64_t place = 0; place < kBlockTokens; ++place) {
            EXPECT_EQ(holds(engine->cache().keys(layer), true, place), place < 2) << place;
            EXPECT_EQ(holds(engine->cache().values(layer), false, place), place < 2) << place;
        }
}

/// Whoever opens the engine may have set the floating-point mode for purposes of his own.
TEST_F(Limits, FloatModeOfTheCallerChangesNothing) {
    EngineOptions options{.model = seeded(128)};
    GenerateRequest request{.tokens = {5, 6}, .tokens_max = 30, .sampling = {.seed = 1, .top_logprobs = 3}};
    Answer expected = answers_alone(options, request)[0];
    std::fesetround(FE_UPWARD);
    auto engine = must(Engine::open(Runtime::make({.threads = 2}), options));
    Generation generation = must(engine->submit(request));
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(collect(generation)[0], expected);
}

// ---- Memory

/// Weights are copied out of the file; only types without kernels are read from it later.
TEST_F(Limits, AModelFileMayShrinkOnceItIsLoaded) {
    const std::string path = seeded(64);
    GenerateRequest request{.tokens = {5, 6, 7}, .tokens_max = 20, .sampling = kGreedyEndless};
    const Answer expected = answers_alone({.model = path}, request)[0];
    auto engine = stepped_engine({.model = path});
    std::filesystem::resize_file(path, 0);
    Generation generation = must(engine->submit(request));
    run_until_idle(*engine);
    EXPECT_EQ(collect(generation)[0], expected);
    std::filesystem::remove(path);
}

TEST_F(Limits, EnginesShareTheBudget) {
    EngineOptions options{.model = seeded(128), .sequences = 2};
    MemoryPlan plan = stepped_engine(options)->memory();
    auto runtime = Runtime::make({.threads = 1, .memory_bytes = plan.total() + plan.weights});
    auto first = must(Engine::open(runtime, options));
    EXPECT_EQ(first->memory().total(), plan.total());
    EXPECT_EQ(error_of(Engine::open(runtime, options)),
              fmt::format("the plan needs {} bytes, but only {} of the memory budget are left (a smaller context or "
                          "fewer sequences?)",
                          plan.total(), plan.weights));
    first.reset();
    EXPECT_EQ(must(Engine::open(runtime, options))->memory().total(), plan.total());
}

TEST_F(Limits, TheCacheTakesWhatTheBudgetLeaves) {
    EngineOptions options{.model = seeded(128), .sequences = 4};
    MemoryPlan plan = stepped_engine(options)->memory();
    uint64_t one_sequence = plan.kv / 4, rest = plan.total() - plan.kv;
    auto runtime = Runtime::make({.threads = 1, .memory_bytes = rest + 2 * one_sequence});
    auto engine = must(Engine::open(runtime, options));
    EXPECT_EQ(engine->memory().kv, 2 * one_sequence);
    engine.reset();
    auto less = Runtime::make({.threads = 1, .memory_bytes = rest + one_sequence - 1});
    std::string fault = error_of(Engine::open(less, options));
    expect_start(fault, fmt::format("the memory budget has {} bytes left", rest + one_sequence - 1));
    EXPECT_NE(fault.find("one sequence of 128 tokens"), std::string::npos) << fault;
}

}  // namespace
}  // namespace godwit::test
