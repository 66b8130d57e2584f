// godwit run: one answer, written as it comes.
#include <CLI/CLI.hpp>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <random>

#include "cli/cli.hpp"
#include "cli/common.hpp"
#include "engine/solo.hpp"
#include "sample/sampler.hpp"
#include "text/stream_decoder.hpp"

namespace godwit {
namespace {

constexpr int64_t kPromptRows = 128;
constexpr int kExitInterrupted = 130;

volatile std::sig_atomic_t interrupted = 0;

/// The first Ctrl-C ends the answer, the second one the program.
void on_interrupt(int) {
    interrupted = 1;
    std::signal(SIGINT, SIG_DFL);
}

struct RunOptions {
    ModelOptions model;
    std::string prompt;
    bool has_prompt = false, has_seed = false, raw = false;
    int64_t tokens_max = -1;
    std::vector<std::string> stops;
    SamplingParams sampling;
};

struct RunStats {
    int64_t prompt_tokens = 0, generated_tokens = 0;
    double prompt_seconds = 0, generate_seconds = 0;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void write_out(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

Result<std::string> read_prompt(const RunOptions& options) {
    if (options.has_prompt) return options.prompt;
    if (::isatty(STDIN_FILENO) != 0) return error("no prompt: give -p TEXT, or pipe it in");
    return read_text("-");
}

/// BOS where the model wants one, and at least one token, so that there is something to continue.
Result<std::vector<TokenId>> prompt_tokens(const Tokenizer& tokenizer, const std::string& prompt) {
    std::vector<TokenId> ids = tokenizer.encode(prompt, Specials::All);
    bool has_bos = !ids.empty() && tokenizer.bos() && ids.front() == *tokenizer.bos();
    if (tokenizer.add_bos() && !has_bos) ids.insert(ids.begin(), *tokenizer.bos());
    if (ids.empty()) return error("the prompt is empty (-p TEXT)");
    return ids;
}

/// The prompt in pieces, so that Ctrl-C does not wait for all of it. The logits after its last token.
Result<std::span<const float>> read_in(Solo& solo, std::span<const TokenId> prompt) {
    std::span<const float> logits;
    while (!prompt.empty() && interrupted == 0) {
        auto part = prompt.first(std::min<size_t>(prompt.size(), kPromptRows));
        logits = TRY(solo.extend(part));
        prompt = prompt.subspan(part.size());
    }
    return logits;
}

/// Samples and feeds back until an end token, a stop string, `tokens_max`, the end of the context, or Ctrl-C.
Result<void> generate(Solo& solo, const Model& model, Sampler& sampler, std::span<const float> logits,
                      int64_t tokens_max, StreamDecoder& decoder, RunStats& stats) {
    SampleScratch scratch;
    while (stats.generated_tokens < tokens_max && interrupted == 0) {
        TokenId token = TRY(sampler.sample(logits, 0, solo.length(), scratch)).token;
        if (model.tokenizer->ends_generation(token)) break;
        sampler.accept(token);
        ++stats.generated_tokens;
        write_out(decoder.push(model.tokenizer->bytes(token)));
        if (decoder.stopped() || stats.generated_tokens == tokens_max) break;
        logits = TRY(solo.extend({&token, 1}));
    }
    return done();
}

void print_stats(const RunStats& stats, const LoadedModel& loaded) {
    auto rate = [](int64_t tokens, double seconds) { return seconds > 0 ? static_cast<double>(tokens) / seconds : 0; };
    fmt::print(stderr, "[prompt {} tokens, {:.1f} tokens/s; answer {} tokens, {:.1f} tokens/s; {} backend, {} threads]\n",
               stats.prompt_tokens, rate(stats.prompt_tokens, stats.prompt_seconds), stats.generated_tokens,
               rate(stats.generated_tokens, stats.generate_seconds), loaded.device->name(), loaded.pool->size());
}

Result<int> run(RunOptions options) {
    if (!options.raw)
        return error("chat needs the model's template, which this version cannot render yet; add --raw to continue the "
                     "prompt as it stands");
    std::string text = TRY(read_prompt(options));
    LoadedModel loaded = TRY(load_model(options.model));
    const Model& model = *loaded.model;
    std::vector<TokenId> prompt = TRY(prompt_tokens(*model.tokenizer, text));
    if (!options.has_seed) options.sampling.seed = std::random_device{}();
    TRY(validate(options.sampling, static_cast<int32_t>(model.plan.vocabulary)));
    Solo solo = TRY(Solo::make(model, *loaded.device, options.model.settings(kPromptRows, 1)));
    int64_t room = solo.memory().context - static_cast<int64_t>(prompt.size());
    if (room <= 0)
        return error("the prompt has {} tokens, the context only {} (give a larger --context)", prompt.size(),
                     solo.memory().context);
    int64_t tokens_max = options.tokens_max < 0 ? room : std::min(options.tokens_max, room);

    std::signal(SIGINT, on_interrupt);
    RunStats stats{.prompt_tokens = static_cast<int64_t>(prompt.size())};
    auto start = std::chrono::steady_clock::now();
    std::span<const float> logits = TRY(read_in(solo, prompt));
    stats.prompt_seconds = seconds_since(start);

    start = std::chrono::steady_clock::now();
    Sampler sampler(options.sampling, static_cast<int32_t>(model.plan.vocabulary));
    sampler.accept_prompt(prompt);
    StreamDecoder decoder(options.stops);
    Result<void> generated = generate(solo, model, sampler, logits, tokens_max, decoder, stats);
    stats.generate_seconds = seconds_since(start);
    write_out(decoder.finish() + "\n");
    TRY(std::move(generated));
    print_stats(stats, loaded);
    return interrupted != 0 ? kExitInterrupted : 0;
}

void add_sampling(CLI::App& command, SamplingParams& sampling) {
    command.add_option("--temperature", sampling.temperature, "0: always the likeliest token (default: 1)");
    command.add_option("--top-k", sampling.top_k, "only the K likeliest tokens (default: 0, off)");
    command.add_option("--top-p", sampling.top_p, "only the likeliest tokens that reach this probability (default: 1, off)");
    command.add_option("--min-p", sampling.min_p, "only tokens at least this likely beside the likeliest (default: 0, off)");
    command.add_option("--repetition-penalty", sampling.repetition_penalty, "over prompt and answer (default: 1, off)");
    command.add_option("--frequency-penalty", sampling.frequency_penalty, "over the answer (default: 0, off)");
    command.add_option("--presence-penalty", sampling.presence_penalty, "over the answer (default: 0, off)");
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
    auto options = std::make_shared<RunOptions>();
    CLI::App* command = app.add_subcommand("run", "one answer, written as it comes");
    options->model.add_to(*command);
    auto* prompt = command->add_option("-p,--prompt", options->prompt, "the prompt (default: standard input)");
    command->add_flag("--raw", options->raw, "continue the prompt as it stands, without a chat template");
    command->add_option("-n,--tokens", options->tokens_max, "at most this many tokens (default: what fits)")
        ->check(CLI::NonNegativeNumber);
    command->add_option("--stop", options->stops, "end the answer before this text (may be given again)");
    auto* seed = command->add_option("--seed", options->sampling.seed, "same seed, same answer (default: random)");
    add_sampling(*command, options->sampling);
    command->footer(
        "Examples:\n"
        "  godwit run model.gguf --raw -p 'The capital of France is' -n 16 --temperature 0\n"
        "  git diff | godwit run model.gguf --raw --seed 7");
    command->callback([=, &action] {
        options->has_prompt = prompt->count() > 0;
        options->has_seed = seed->count() > 0;
        action = [options] { return run(*options); };
    });
}

}  // namespace godwit
