// godwit run: one answer, written as it comes; or with --batch the answers to a file of prompts (batch.cpp).
#include <CLI/CLI.hpp>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <random>

#include "cli/batch.hpp"
#include "cli/cli.hpp"
#include "cli/common.hpp"
#include "godwit/engine.hpp"

namespace godwit {
namespace {

constexpr int kExitInterrupted = 130;

std::atomic<Generation*> current_answer = nullptr;
static_assert(std::atomic<Generation*>::is_always_lock_free, "used in a signal handler");

/// The first Ctrl-C ends the answer, the second one the program.
void on_interrupt(int) {
    if (Generation* answer = current_answer.load()) answer->cancel();
    std::signal(SIGINT, SIG_DFL);
}

struct RunOptions {
    ModelOptions model;
    GenerateRequest request;
    BatchOptions batch;
    bool has_prompt = false, has_seed = false, raw = false;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void write_out(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

Result<std::string> read_prompt(const RunOptions& options) {
    if (options.has_prompt) return options.request.prompt;
    if (::isatty(STDIN_FILENO) != 0) return error("no prompt: give -p TEXT, or pipe it in");
    return read_text("-");
}

/// Writes the answer as it comes; the last event. prompt_seconds stays 0 if no token came.
Event stream_answer(Generation& answer, double& prompt_seconds, double& generate_seconds) {
    auto start = std::chrono::steady_clock::now();
    Event event;
    for (bool first = true; answer.next(event); first = false) {
        if (first && event.kind == Event::Kind::Token) {
            prompt_seconds = seconds_since(start);
            start = std::chrono::steady_clock::now();
        }
        write_out(event.text);
        if (event.kind == Event::Kind::Finish) break;
    }
    generate_seconds = seconds_since(start);
    write_out("\n");
    return event;
}

Result<int> run_once(RunOptions& options) {
    options.request.prompt = TRY(read_prompt(options));
    auto runtime = Runtime::make({.threads = options.model.threads});
    auto engine = TRY(Engine::open(runtime, options.model.engine(1)));
    if (!options.has_seed) options.request.sampling.seed = std::random_device{}();
    Generation answer = TRY(engine->submit(std::move(options.request)));

    current_answer = &answer;
    std::signal(SIGINT, on_interrupt);
    double prompt_seconds = 0, generate_seconds = 0;
    Event last = stream_answer(answer, prompt_seconds, generate_seconds);
    current_answer = nullptr;
    if (last.reason == FinishReason::Failed) return Error{last.error};

    // The first token comes with the prompt: one token has no speed of its own.
    auto rate = [](int64_t tokens, double seconds) {
        return tokens > 0 && seconds > 0 ? fmt::format(", {:.1f} tokens/s", static_cast<double>(tokens) / seconds) : "";
    };
    fmt::print(stderr, "[prompt {} tokens{}; answer {} tokens{}; {} backend, {} threads]\n", last.prompt_tokens,
               rate(last.prompt_tokens, prompt_seconds), last.generated_tokens,
               rate(last.generated_tokens - 1, generate_seconds), engine->backend(), runtime->threads());
    return last.reason == FinishReason::Cancelled ? kExitInterrupted : 0;
}

Result<int> run(RunOptions options) {
    if (!options.raw)
        return error("chat needs the model's template, which this version cannot render yet; add --raw to continue the "
                     "prompt as it stands");
    if (options.batch.file.empty()) return run_once(options);
    options.batch.defaults = options.request;
    return run_batch(options.model, options.batch);
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
    GenerateRequest& request = options->request;
    CLI::App* command = app.add_subcommand("run", "one answer, written as it comes; or the answers to a file of prompts");
    options->model.add_to(*command);
    auto* prompt = command->add_option("-p,--prompt", request.prompt, "the prompt (default: standard input)");
    command->add_flag("--raw", options->raw, "continue the prompt as it stands, without a chat template");
    command->add_option("-n,--tokens", request.tokens_max, "at most this many tokens (default: what fits)")
        ->check(CLI::Range(int64_t{0}, int64_t{1} << 30));
    command->add_option("--stop", request.stops, "end the answer before this text (may be given again)")
        ->allow_extra_args(false);
    auto* seed = command->add_option("--seed", request.sampling.seed, "same seed, same answer (default: random)");
    add_sampling(*command, request.sampling);
    command->add_option("--batch", options->batch.file, "answer every line of this file of JSON objects; - is standard input")
        ->excludes(prompt);
    command->add_option("--parallel", options->batch.parallel, "answers at once, with --batch (default: 8)")
        ->check(CLI::Range(1, 1024));
    command->footer(
        "Examples:\n"
        "  godwit run model.gguf --raw -p 'The capital of France is' -n 16 --temperature 0\n"
        "  git diff | godwit run model.gguf --raw --seed 7\n"
        "  godwit run model.gguf --raw --batch prompts.jsonl > answers.jsonl\n"
        "Lines in:  {\"prompt\": TEXT, \"max_tokens\": N, \"temperature\": T, \"seed\": N, \"stop\": [TEXT], …}\n"
        "Lines out: {\"index\": N, \"text\": TEXT, \"finish\": \"stop\" or \"length\", \"usage\": {…}}, in the same order");
    command->callback([=, &action] {
        options->has_prompt = prompt->count() > 0;
        options->has_seed = seed->count() > 0;
        action = [options] { return run(*options); };
    });
}

}  // namespace godwit
