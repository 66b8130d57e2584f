// godwit run: a chat on the terminal (chat_terminal.cpp); one answer, written as it comes; or with --batch the answers
// to a file of prompts (batch.cpp).
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <random>

#include "cli/batch.hpp"
#include "cli/chat.hpp"
#include "cli/chat_terminal.hpp"
#include "cli/cli.hpp"
#include "cli/common.hpp"
#include "cli/model_options.hpp"
#include "cli/progress.hpp"
#include "cli/sampling_flags.hpp"
#include "hub/resolve_model.hpp"
#include "model/read_vocabulary.hpp"

namespace godwit {
namespace {

constexpr int kExitInterrupted = 130;

struct RunOptions {
    ModelOptions model;
    GenerateRequest request;
    SamplingFlags sampling;
    std::optional<uint64_t> seed;
    std::optional<std::string> prompt;
    std::string system;
    std::vector<std::string> files;
    std::vector<TextFile> attached;  // the files, read
    BatchOptions batch;
    bool raw = false, quiet = false, no_stdin = false;

    bool is_batch() const { return !batch.file.empty(); }
    bool is_interactive() const {
        return !raw && !prompt && !is_batch() && ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0;
    }
};

/// Something was piped or redirected into the program. (A socket may be a parent's that never closes it.)
bool has_piped_input() {
    struct stat status{};
    return ::fstat(STDIN_FILENO, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode));
}

/// Standard input, to its end. Where that does not come soon, says what the program waits for.
Result<std::string> read_input() {
    constexpr int kSoon = 500;  // milliseconds
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    if (::poll(&input, 1, kSoon) == 0)
        fmt::print(stderr, "godwit: waiting for standard input to end (--no-stdin: it is not read)\n");
    return read_text("-");
}

/// -p, followed by what is piped in; either may be missing. Error: both are.
Result<std::string> read_prompt(const RunOptions& options) {
    std::string text = options.prompt.value_or("");
    const bool may_read = !options.no_stdin && ::isatty(STDIN_FILENO) == 0;
    if (may_read && (!options.prompt || (!options.raw && has_piped_input()))) {
        const std::string piped = TRY(read_input());
        if (!text.empty() && !piped.empty()) text += "\n\n";
        text += piped;
    }
    if (!text.empty() || !options.files.empty()) return text;
    if (options.prompt) return error("-p: the prompt is empty");
    return error("there is no prompt{} (give -p TEXT, or pipe it in)", may_read ? ": standard input is empty" : "");
}

/// Known before the model is loaded. Error: what to run instead.
Result<void> check_template(const RunOptions& options, const std::string& path) {
    if (options.raw || options.is_batch()) return done();
    ModelFile file = TRY(ModelFile::open(path));
    if (has_chat_template(file.metadata())) return done();
    return error("{0}: the model has no chat template (it can continue a text: godwit run {1} --raw -p TEXT)",
                 file_name(path), options.model.path);
}

/// The model, ready to answer, and how it computes.
struct Opened {
    std::shared_ptr<Runtime> runtime;
    std::unique_ptr<EngineImpl> engine;

    std::string how() const {
        int threads = runtime->threads();
        return fmt::format("{} backend, {} thread{}", engine->backend(), threads, threads == 1 ? "" : "s");
    }
};

Result<Opened> open(RunOptions& options) {
    Opened opened{Runtime::make({.threads = options.model.threads}), nullptr};
    const std::string name = file_name(options.model.path);
    TRY(check_template(options, options.model.path));
    StatusLine status;
    status.show(fmt::format("loading {} …", name));
    opened.engine =
        TRY(EngineImpl::make(opened.runtime, options.model.engine(options.is_batch() ? options.batch.parallel : 1)));
    status.clear();
    const Model& model = opened.engine->model();
    note_context(name, options.model.context, model.plan);
    options.request.sampling = TRY(options.sampling.resolve(model));
    options.request.sampling.seed = options.seed.value_or(options.is_batch() ? 0 : std::random_device{}());
    opened.engine->start();
    return opened;
}

Chat begin_chat(const RunOptions& options, const Opened& opened) {
    Chat chat(*opened.engine, options.request);
    chat.set_system(options.system);
    for (const TextFile& file : options.attached) chat.attach(file);
    return chat;
}

Result<Reply> answer(const RunOptions& options, const Opened& opened, const std::string& prompt) {
    if (!options.raw) return begin_chat(options, opened).ask(prompt);
    GenerateRequest request = options.request;
    request.prompt = prompt;
    Generation generation = TRY(opened.engine->submit(std::move(request)));
    Reply reply = print_reply(generation, *opened.engine);
    if (reply.end.reason == FinishReason::Failed) return Error{reply.end.error};
    return reply;
}

Result<int> run_once(RunOptions& options) {
    const std::string prompt = TRY(read_prompt(options));
    Opened opened = TRY(open(options));
    std::signal(SIGINT, [](int) {  // the first one ends the answer, the second one the program
        interrupt_reply();
        std::signal(SIGINT, SIG_DFL);
    });
    Reply reply = TRY(answer(options, opened, prompt));
    const int64_t context = opened.engine->memory().context;
    if (reply.end.reason == FinishReason::Length && reply.end.prompt_tokens + reply.end.generated_tokens >= context)
        fmt::print(stderr, "[cut: the context of {} tokens is full]\n", context);
    if (!options.quiet) fmt::print(stderr, "[{}; {}]\n", reply.summary(), opened.how());
    return reply.end.reason == FinishReason::Cancelled ? kExitInterrupted : 0;
}

Result<int> run_chat(RunOptions& options) {
    const std::string name = file_name(options.model.path);
    Opened opened = TRY(open(options));
    Chat chat = begin_chat(options, opened);
    return chat_on_terminal(chat, fmt::format("{}, context {}, {}", name, chat.context(), opened.how()));
}

Result<int> run(RunOptions options) {
    options.model.path = TRY(resolve_model(options.model.path));  // before anything is read or waited for
    for (const std::string& path : options.files) options.attached.push_back(TRY(TextFile::read(path)));
    if (options.is_interactive()) return run_chat(options);
    if (!options.is_batch()) return run_once(options);
    Opened opened = TRY(open(options));
    options.batch.defaults = options.request;
    options.batch.how = opened.how();
    options.batch.quiet = options.quiet;
    return run_batch(*opened.engine, options.batch);
}

}  // namespace

Command run_command() {
    auto options = std::make_shared<RunOptions>();
    GenerateRequest& request = options->request;
    Command command{.name = "run",
                    .purpose = "a chat; or one answer, written as it comes; or the answers to a file of prompts"};
    options->model.add_model_to(command);
    command.add({.name = "-p, --prompt",
                 .value = "TEXT",
                 .target = &options->prompt,
                 .help = "one answer to this, and to what is piped in (default: a chat)"});
    command.add({.name = "-f, --file",
                 .value = "FILE",
                 .target = &options->files,
                 .help = "a text file to go before the prompt",
                 .excludes = {"--raw"}});
    command.add({.name = "--system",
                 .value = "TEXT",
                 .target = &options->system,
                 .help = "the system prompt",
                 .excludes = {"--raw"}});
    command.add({.name = "-n, --tokens",
                 .value = "N",
                 .target = &request.tokens_max,
                 .help = "at most this many tokens an answer (default: what fits)",
                 .min = 0,
                 .max = kTokensMax});
    options->sampling.add_to(command);
    command.add(
        {.name = "--seed", .value = "N", .target = &options->seed, .help = "same seed, same answer (default: random)"});
    options->model.add_settings_to(command);
    command.add({.name = "--raw",
                 .target = &options->raw,
                 .help = "continue the prompt as it stands, without a chat template"});
    command.add({.name = "--batch",
                 .value = "FILE",
                 .target = &options->batch.file,
                 .help = "answer every line of this file of JSON objects; - is standard input",
                 .excludes = {"--prompt", "--system", "--file"}});
    command.add({.name = "--no-stdin",
                 .target = &options->no_stdin,
                 .help = "leave standard input alone, as in a loop that reads from it",
                 .section = kMoreOptions});
    command.add({.name = "--parallel",
                 .value = "N",
                 .target = &options->batch.parallel,
                 .help = "answers at once, with --batch (default: 8)",
                 .min = 1,
                 .max = 1024,
                 .section = kMoreOptions});
    command.add({.name = "--stop",
                 .value = "TEXT",
                 .target = &request.stops,
                 .help = "end the answer before this text",
                 .section = kMoreOptions});
    command.add({.name = "--quiet", .target = &options->quiet, .help = "no line about speed", .section = kMoreOptions});
    command.stray = "a prompt goes after -p";
    command.notes =
        "Examples\n"
        "  godwit run model.gguf\n"
        "  godwit run model.gguf -p 'Why is the sky blue?' --system 'In one sentence.'\n"
        "  git diff | godwit run model.gguf -p 'Write a commit message.' --temperature 0\n"
        "  godwit run model.gguf --raw -p 'The capital of France is' -n 16\n"
        "  godwit run model.gguf --batch prompts.jsonl > answers.jsonl\n"
        "  while read -r x; do godwit run model.gguf -p \"$x\" --no-stdin; done < list\n"
        "\n"
        "Lines of --batch\n"
        "  in:  {\"messages\": [{\"role\": \"user\", \"content\": TEXT}, …]}, or\n"
        "       {\"prompt\": TEXT}, continued as it stands; and what else a request\n"
        "       to the server may hold: \"max_tokens\": N, \"seed\": N, …\n"
        "  out: {\"index\": N, \"text\": TEXT, \"finish\": \"stop\" or \"length\", \"usage\": {…}},\n"
        "       in the same order";
    command.action = [options] { return run(*options); };
    return command;
}

}  // namespace godwit
