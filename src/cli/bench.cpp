// godwit bench: how fast the engine reads prompts and generates, and how much of the memory's bandwidth it uses.
//
// A repeat is two or three passes over `batch` sequences of random tokens:
//   prompt    depth + prompt tokens each, until all have given their first token,
//   depth     the same with `depth` tokens; this time is taken off the first;
//   generate  `depth` tokens each, then, timed, `generate` steps in which all of them generate.
// The engine has no thread of its own here: bench makes its steps, so that it knows what it times.
// With --url it measures a server instead (bench_url.cpp).
#include <algorithm>
#include <chrono>
#include <random>

#include "base/check.hpp"
#include "base/memory_bandwidth.hpp"
#include "cli/bench_url.hpp"
#include "cli/cli.hpp"
#include "cli/common.hpp"
#include "cli/model_options.hpp"
#include "cli/progress.hpp"
#include "engine/engine_impl.hpp"
#include "hub/resolve_model.hpp"
#include "text/json.hpp"

namespace godwit {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct BenchOptions {
    ModelOptions model;
    int64_t prompt = 512, generate = 64, depth = 0, batch = 1, repeat = 5;
    bool json = false;

    /// The engine's default, or more: prompts must move on beside sequences that generate.
    int64_t step_rows() const { return std::max(EngineOptions{}.step_rows, 2 * batch); }
    /// A sequence that generates needs a token to begin with.
    int64_t begin() const { return std::max<int64_t>(depth, 1); }
    /// Tokens that the first sequence of a batch has generated, at most, when the last one begins.
    int64_t lead() const { return (batch - 1) * begin() / (step_rows() - batch) + 2; }
    int64_t context() const {
        return std::max(prompt > 0 ? depth + prompt : 0, generate > 0 ? begin() + lead() + generate : 0) + 1;
    }
};

/// What a model is to a benchmark.
struct Subject {
    int64_t vocabulary = 0;
    uint64_t step_bytes = 0;  // of weights that every step reads
};

/// All weights, but of the embedding only a few rows are read, unless it is the output matrix as well.
uint64_t count_step_bytes(const CheckedModel& model) {
    uint64_t bytes = 0, embedding = 0;
    bool has_output = false;
    for (const TensorSlot& slot : model.plan.tensors) {
        const TensorInfo* tensor = model.file.find(slot.name);
        if (tensor == nullptr) continue;
        if (slot.role == Role::Output) has_output = true;
        (slot.role == Role::TokenEmbedding ? embedding : bytes) += tensor->data.size();
    }
    return has_output ? bytes : bytes + embedding;
}

Result<Subject> examine(const BenchOptions& options) {
    ThreadPool pool(1);
    std::unique_ptr<Device> device = TRY(make_device(pool));
    CheckedModel model = TRY(check_model(options.model.path, *device));
    if (options.context() > model.plan.context)
        return error("{}: this needs a context of {} tokens, the model has {} (less --depth, --prompt or --generate)",
                     file_name(options.model.path), options.context(), model.plan.context);
    return Subject{model.plan.vocabulary, count_step_bytes(model)};
}

Result<double> read_bandwidth(int threads) {
    ThreadPool pool(threads);
    return measure_read_bandwidth(pool);
}

/// The passes. Prompts are random, the same in every run of the program.
class Passes {
public:
    Passes(EngineImpl& engine, const BenchOptions& options, int64_t vocabulary)
        : engine_(engine), options_(options), token_(0, static_cast<TokenId>(vocabulary - 1)) {}

    /// Seconds until `batch` prompts of `tokens` tokens have all given their first token, with which they end.
    Result<double> prompts(int64_t tokens) {
        std::vector<Generation> generations = TRY(submit(tokens, 1));
        Clock::time_point start = Clock::now();
        int64_t rows = finish();
        double seconds = seconds_since(start);
        CHECK(rows == options_.batch * tokens);
        TRY(read_tokens(generations));
        return seconds;
    }

    /// Seconds of `generate` steps in which all sequences generate.
    Result<double> generation() {
        std::vector<Generation> generations = TRY(submit(options_.begin(), -1));
        bool reading = true;
        while (reading) reading = step() == options_.step_rows();  // one with room left has read the last prompt
        Clock::time_point start = Clock::now();
        for (int64_t i = 0; i < options_.generate; ++i) {
            if (step() != options_.batch) return error("an answer ended early");
            TRY(read_tokens(generations));
        }
        double seconds = seconds_since(start);
        generations.clear();
        finish();
        return seconds;
    }

private:
    Result<std::vector<Generation>> submit(int64_t tokens, int64_t tokens_max) {
        std::vector<Generation> generations;
        for (int64_t i = 0; i < options_.batch; ++i) {
            GenerateRequest request{.tokens_max = tokens_max, .ignore_end = true, .sampling = {.temperature = 0}};
            for (int64_t token = 0; token < tokens; ++token) request.tokens.push_back(token_(random_));
            generations.push_back(TRY(engine_.submit(std::move(request))));
        }
        return generations;
    }

    /// The rows that were computed.
    int64_t step() {
        int64_t rows = engine_.stats().rows;
        engine_.step();
        return engine_.stats().rows - rows;
    }

    /// Steps until nothing is left to do. The rows that were computed.
    int64_t finish() {
        int64_t rows = engine_.stats().rows;
        bool worked = true;
        while (worked) worked = engine_.step();
        return engine_.stats().rows - rows;
    }

    /// One of every sequence. Error: an answer has ended instead.
    static Result<void> read_tokens(std::vector<Generation>& generations) {
        Event event;
        for (Generation& generation : generations)
            if (!generation.next(event) || event.kind != Event::Kind::Token)
                return error("an answer ended early: {}", event.error);
        return done();
    }

    EngineImpl& engine_;
    const BenchOptions& options_;
    std::mt19937_64 random_{1};
    std::uniform_int_distribution<TokenId> token_;
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Tokens per second.
struct Rates {
    double median = 0, min = 0, max = 0;

    Rates(int64_t tokens, const std::vector<double>& seconds) {
        auto count = static_cast<double>(tokens);
        median = count / godwit::median(seconds);
        min = count / *std::max_element(seconds.begin(), seconds.end());
        max = count / *std::min_element(seconds.begin(), seconds.end());
    }
};

/// What was asked for.
struct Measured {
    std::optional<Rates> prompt, generate;
};

Result<Measured> measure(EngineImpl& engine, const BenchOptions& options, int64_t vocabulary) {
    Passes passes(engine, options, vocabulary);
    Progress progress("bench");
    std::vector<double> prompt, depth, generate;
    for (int64_t i = 0; i <= options.repeat; ++i) {
        if (options.prompt > 0) prompt.push_back(TRY(passes.prompts(options.depth + options.prompt)));
        if (options.prompt > 0 && options.depth > 0) depth.push_back(TRY(passes.prompts(options.depth)));
        if (options.generate > 0) generate.push_back(TRY(passes.generation()));
        progress.update(i + 1, options.repeat + 1, i == 0 ? "times (warm-up)" : "times");
        if (i == 0) prompt.clear(), depth.clear(), generate.clear();
    }
    progress.finish();
    Measured measured;
    if (options.generate > 0) measured.generate = Rates(options.batch * options.generate, generate);
    if (options.prompt == 0) return measured;
    double before = options.depth > 0 ? median(depth) : 0;
    for (double& seconds : prompt) seconds -= before;
    if (*std::min_element(prompt.begin(), prompt.end()) <= 0)
        return error("the time of {} prompt tokens is lost in the noise of the {} before them (a longer --prompt)",
                     options.prompt, options.depth);
    measured.prompt = Rates(options.batch * options.prompt, prompt);
    return measured;
}

void print_table(const BenchOptions& options, const Measured& measured, const std::string& path, double share,
                 double bandwidth) {
    fmt::print("{}: {}; batch {}, depth {}\n\n", file_name(options.model.path), path, options.batch, options.depth);
    fmt::print("  tokens/s              median       min       max\n");
    auto line = [](const char* what, int64_t tokens, const std::optional<Rates>& rates) {
        if (rates)
            fmt::print("  {:<8} {:>6}   {:>10.1f}{:>10.1f}{:>10.1f}\n", what, tokens, rates->median, rates->min,
                       rates->max);
    };
    line("prompt", options.prompt, measured.prompt);
    line("generate", options.generate, measured.generate);
    if (measured.generate)
        fmt::print("\nGenerating reads weights at {:.1f} % of the {:.1f} GB/s that memory gives these threads.\n",
                   100 * share, bandwidth / 1e9);
}

Result<int> bench(BenchOptions options) {
    if (options.prompt == 0 && options.generate == 0)
        return error("--prompt 0 --generate 0: there is nothing to measure (leave one of them out)");
    options.model.path = TRY(resolve_model(options.model.path));
    Subject subject = TRY(examine(options));
    auto runtime = Runtime::make({.threads = options.model.threads});
    double bandwidth = TRY(read_bandwidth(runtime->threads()));
    EngineOptions settings = options.model.engine(options.batch);
    settings.context = options.context();
    settings.step_rows = options.step_rows();
    auto engine = TRY(EngineImpl::make(runtime, settings));
    Measured measured = TRY(measure(*engine, options, subject.vocabulary));

    const std::optional<Rates>&prompt = measured.prompt, &generate = measured.generate;
    double steps = generate ? generate->median / static_cast<double>(options.batch) : 0;  // per second
    double share = steps * static_cast<double>(subject.step_bytes) / bandwidth;
    if (!options.json) {
        std::string path =
            fmt::format("{} backend, {} threads, KV {}", engine->backend(), runtime->threads(), options.model.kv);
        print_table(options, measured, path, share, bandwidth);
        return 0;
    }
    auto or_null = [](const std::optional<Rates>& rates, double Rates::* which) {
        return rates ? Json((*rates).*which) : Json();
    };
    print_json({{"model", file_name(options.model.path)},
                {"backend", engine->backend()},
                {"threads", runtime->threads()},
                {"kv_format", options.model.kv},
                {"prompt", options.prompt},
                {"generate", options.generate},
                {"depth", options.depth},
                {"batch", options.batch},
                {"repeat", options.repeat},
                {"prompt_tokens_per_second", or_null(prompt, &Rates::median)},
                {"prompt_tokens_per_second_min", or_null(prompt, &Rates::min)},
                {"prompt_tokens_per_second_max", or_null(prompt, &Rates::max)},
                {"generate_tokens_per_second", or_null(generate, &Rates::median)},
                {"generate_tokens_per_second_min", or_null(generate, &Rates::min)},
                {"generate_tokens_per_second_max", or_null(generate, &Rates::max)},
                {"step_weight_bytes", subject.step_bytes},
                {"read_bytes_per_second", bandwidth},
                {"bandwidth_share", generate ? Json(share) : Json()}});
    return 0;
}

}  // namespace

Command bench_command() {
    auto options = std::make_shared<BenchOptions>();
    auto server = std::make_shared<UrlBenchOptions>();
    Command command{.name = "bench", .purpose = "how fast a model reads and generates here, or a server under load"};
    options->model.add_model_to(command, false);
    auto add = [&](const char* name, int64_t& value, const char* what, double min, double max) {
        command.add({.name = name,
                     .value = "N",
                     .target = &value,
                     .help = fmt::format("{} (default: {})", what, value),
                     .min = min,
                     .max = max,
                     .excludes = {"--url"}});
    };
    add("--prompt", options->prompt, "tokens of a prompt; 0: not measured", 0, kTokensMax);
    add("--generate", options->generate, "tokens to generate; 0: not measured", 0, kTokensMax);
    add("--depth", options->depth, "tokens in the context before what is timed", 0, kTokensMax);
    add("--batch", options->batch, "sequences at once", 1, 1024);
    add("--repeat", options->repeat, "times to measure, after a warm-up", 1, 1000);
    command.add({.name = "--json",
                 .target = &options->json,
                 .help = R"({"prompt_tokens_per_second", "generate_tokens_per_second", "bandwidth_share", …})"});
    options->model.add_compute_to(command);
    server->add_to(command);
    command.one_of = {{"MODEL", "--url"}};
    command.notes =
        "Examples\n"
        "  godwit bench model.gguf\n"
        "  godwit bench model.gguf --batch 16 --depth 2048 --json\n"
        "  godwit bench --url http://127.0.0.1:8080 --concurrency 8 --prompt-tokens 256\n"
        "\n"
        "Prompts are random tokens, generation is greedy. Shown is the median of the\n"
        "repeats.";
    command.action = [options, server] {
        server->json = options->json;
        return server->url.empty() ? bench(*options) : bench_url(*server);
    };
    return command;
}

}  // namespace godwit
