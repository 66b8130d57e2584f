// godwit serve: models behind an HTTP API, until SIGTERM or Ctrl-C.
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "base/available_memory.hpp"
#include "base/printable.hpp"
#include "base/version.hpp"
#include "cli/cli.hpp"
#include "cli/common.hpp"
#include "cli/model_options.hpp"
#include "cli/progress.hpp"
#include "cli/sampling_flags.hpp"
#include "hub/resolve_model.hpp"
#include "server/api/encoder.hpp"
#include "server/api/endpoints.hpp"
#include "server/http/addresses.hpp"
#include "server/http/http.hpp"

namespace godwit {
namespace {

struct ServeOptions {
    std::vector<std::string> models, names;
    ModelOptions model;  // of each
    int64_t parallel = 8;
    ByteSize memory;
    std::string key_file, log_format = "text";
    bool insecure = false;
    int64_t queue = 1024;
    SamplingFlags sampling;
    http::Options http;
    api::EndpointsOptions endpoints;
};

/// A key on each line, blanks around it left out.
Result<void> read_keys(const std::string& path, std::vector<std::string>& keys) {
    constexpr const char* kBlanks = " \t\r";
    std::string text = TRY(read_text(path, 1 << 20));
    size_t before = keys.size();
    for (size_t begin = 0, end; begin < text.size(); begin = end + 1) {
        end = std::min(text.find('\n', begin), text.size());
        std::string line = text.substr(begin, end - begin);
        size_t first = line.find_first_not_of(kBlanks);
        if (first != line.npos) keys.push_back(line.substr(first, line.find_last_not_of(kBlanks) - first + 1));
    }
    if (keys.size() == before) return error("--api-key-file {}: there is no key in it", printable(path, 500));
    return done();
}

/// Names that browsers and clients may use for the server and its pages, as they will send them.
Result<void> check_names(http::Options& options) {
    for (std::string& origin : options.cors_origins) {
        Result<std::string> spelled = http::parse_origin(origin);
        if (!spelled.ok()) return error("--cors: {}", spelled.error().message);
        origin = std::move(spelled).take();
    }
    for (const std::string& name : options.host_names)
        if (name.empty() || name.find_first_of(":/ *") != name.npos)
            return error("--host-name: '{}' is no name of a host (like box.example)", printable(name));
    return done();
}

Result<void> check(ServeOptions& options) {
    TRY(check_names(options.http));
    if (options.names.size() > options.models.size())
        return error("--name: {} names for {} models", options.names.size(), options.models.size());
    if (options.http.tls_cert.empty() != options.http.tls_key.empty())
        return error("--tls-cert and --tls-key: give both, or none");
    for (const std::string& key : options.endpoints.api_keys)
        if (key.empty()) return error("--api-key: it is empty (a variable that is not set?)");
    if (!options.key_file.empty()) TRY(read_keys(options.key_file, options.endpoints.api_keys));
    for (const std::string& name : options.names)
        if (name.empty() || printable(name, name.size()) != name)
            return error("--name: '{}' is no name", printable(name));
    options.endpoints.log.models = options.models.size();
    options.endpoints.log.format = options.log_format == "json" ? api::LogFormat::Json : api::LogFormat::Text;
    return done();
}

/// Of a host that is an address of this machine.
Result<void> check_access(const ServeOptions& options) {
    if (http::is_loopback(options.http.host) || !options.endpoints.api_keys.empty() || options.insecure) return done();
    return error(
        "--host {}: anyone who reaches this address could use the server (give --api-key, or --insecure if that "
        "is meant)",
        printable(options.http.host));
}

/// "models/Name.Q4_K_M.gguf" → "Name.Q4_K_M".
std::string served_name(const std::string& path) {
    std::string name = file_name(path);
    if (name.ends_with(".gguf")) name.resize(name.size() - 5);
    return name;
}

Result<std::unique_ptr<api::ServedModel>> load(const ServeOptions& options, size_t index,
                                               const std::shared_ptr<Runtime>& runtime) {
    auto served = std::make_unique<api::ServedModel>();
    ModelOptions model = options.model;
    model.path = TRY(resolve_model(options.models[index]));
    served->id = index < options.names.size() ? options.names[index] : served_name(options.models[index]);
    served->created = api::unix_seconds();
    served->in_work_max = options.queue;
    EngineOptions engine = model.engine(options.parallel);
    Progress progress("loading " + printable(served->id, 40));
    if (!options.endpoints.log.quiet)
        engine.progress = [&](uint64_t done, uint64_t total) { progress.update_bytes(done, total); };
    Result<std::unique_ptr<EngineImpl>> made = EngineImpl::make(runtime, engine);
    if (!options.endpoints.log.quiet) progress.finish();
    served->engine = TRY(std::move(made));
    const Model& loaded = served->engine->model();
    Result<SamplingParams> sampling = options.sampling.resolve(loaded);
    if (!sampling.ok()) return error("{}: {}", file_name(model.path), sampling.error().message);
    served->sampling = sampling.value();
    served->engine->start();
    return served;
}

void print_model(const api::ServedModel& model, const Runtime& runtime) {
    MemoryPlan memory = model.engine->memory();
    fmt::print(stderr, "{}: {}, context {} × {} sequences, {} ({} thread{})\n", model.id,
               model.engine->model().plan.architecture, memory.context, memory.sequences, model.engine->backend(),
               runtime.threads(), runtime.threads() == 1 ? "" : "s");
    fmt::print(stderr, "  memory {}: weights {}, cache {}, activations {}, tokenizer {}, program {}\n",
               human_bytes(memory.total()), human_bytes(memory.weights), human_bytes(memory.kv),
               human_bytes(memory.activations), human_bytes(memory.tokenizer), human_bytes(memory.program));
    if (!model.engine->model().chat_template) fmt::print(stderr, "  no chat template: only /v1/completions\n");
}

std::string url_of(const ServeOptions& options, const std::string& host, uint16_t port) {
    return fmt::format("{}://{}:{}", options.http.tls_cert.empty() ? "http" : "https",
                       host.find(':') == host.npos ? host : "[" + host + "]", port);
}

void print_address(const ServeOptions& options, uint16_t port, const api::ServedModel& model) {
    const std::vector<std::string> addresses = http::reachable_addresses(options.http.host);
    const bool is_any = options.http.host == "0.0.0.0" || options.http.host == "::";
    const std::string url = url_of(options, is_any ? "localhost" : options.http.host, port);
    const bool has_keys = !options.endpoints.api_keys.empty();
    bool chat = model.engine->model().chat_template != nullptr;
    std::string text = fmt::format("godwit {} serves at {}\n", version(), url);
    for (const std::string& address : addresses)
        text += fmt::format("  for other machines: {}\n", url_of(options, address, port));
    if (!http::is_loopback(options.http.host) && !has_keys)
        text += "warning: no API key is asked for: anyone who reaches this address can use the server\n";
    text += fmt::format("\n  curl {}{}/v1/{} -H 'Content-Type: application/json'{} \\\n    -d '{}'\n\n",
                        options.http.tls_cert.empty() ? "" : "-k ", url, chat ? "chat/completions" : "completions",
                        has_keys ? " -H \"Authorization: Bearer $KEY\"" : "",
                        chat ? R"({"messages": [{"role": "user", "content": "Hello!"}]})"
                             : R"({"prompt": "The capital of France is"})");
    fmt::print(stderr, "{}", text);  // at once: who waits for the first line finds the others
}

/// Why the server does not end at once.
void print_drain(const ServeOptions& options, size_t answers) {
    fmt::print(stderr, "{}finishing {} answer{} (up to {} s); Ctrl-C again stops now\n",
               ::isatty(STDERR_FILENO) != 0 ? "\n" : "",  // the terminal has shown ^C
               answers, answers == 1 ? "" : "s", options.http.drain_seconds);
}

Result<void> load_all(const ServeOptions& options, api::Endpoints& endpoints, uint16_t port) {
    uint64_t available = available_memory();
    auto runtime =
        Runtime::make({.threads = options.model.threads,
                       .memory_bytes = options.memory.bytes > 0 ? options.memory.bytes : available / 10 * 9});
    for (size_t i = 0; i < options.models.size(); ++i) {
        auto model = TRY(load(options, i, runtime));
        if (endpoints.models().find(model->id) != nullptr) return error("--name: two models are called {}", model->id);
        if (!options.endpoints.log.quiet) {
            note_context(model->id, options.model.context, model->engine->model().plan);
            print_model(*model, *runtime);
        }
        endpoints.add(std::move(model));
    }
    endpoints.ready();
    if (!options.endpoints.log.quiet) print_address(options, port, *endpoints.models().all().front());
    return done();
}

Result<int> serve(ServeOptions& options) {
    TRY(check(options));
    if (!options.endpoints.log.quiet)
        options.http.on_drain = [&options](size_t answers) { print_drain(options, answers); };
    api::Endpoints endpoints(options.endpoints);
    auto server = TRY(http::Server::make(options.http, endpoints));
    TRY(check_access(options));  // nothing is accepted before run()
    endpoints.watch(*server);
    // Listens while it loads: /health answers (503), and SIGTERM ends it at any time.
    Result<void> loaded = error("unfinished");
    std::atomic<bool> finished = false;
    std::thread loader([&] {
        loaded = load_all(options, endpoints, server->port());
        finished = true;
        if (!loaded.ok()) server->stop();
    });
    server->run();
    if (!finished) std::_Exit(0);  // nothing to save
    loader.join();
    endpoints.close();  // before the server: the last events are posted to it
    if (!loaded.ok()) return loaded.error();
    return 0;
}

void add_common(Command& command, ServeOptions& options) {
    command.add({.name = "--host",
                 .value = "HOST",
                 .target = &options.http.host,
                 .help = "address to listen at (default: 127.0.0.1, this machine alone)"});
    command.add({.name = "--port",
                 .value = "N",
                 .target = &options.http.port,
                 .help = "port (default: 8080; 0: any free one)"});
    command.add({.name = "--api-key",
                 .value = "KEY",
                 .target = &options.endpoints.api_keys,
                 .help = "key that requests must bring"});
    command.add({.name = "--name",
                 .value = "NAME",
                 .target = &options.names,
                 .help = "what requests call the model (default: the file's name); one for each"});
    command.add({.name = "--parallel",
                 .value = "N",
                 .target = &options.parallel,
                 .help = "sequences at once (default: 8)",
                 .min = 1,
                 .max = 1024});
    command.add({.name = "--memory",
                 .value = "SIZE",
                 .target = &options.memory,
                 .help = "for all models together, like 8GB or 8GiB (default: 90 % of what is free)"});
}

void add_access(Command& command, ServeOptions& options) {
    auto add = [&](const char* name, const char* word, Target value, const char* help) {
        command.add({.name = name, .value = word, .target = value, .help = help, .section = "Access"});
    };
    add("--api-key-file", "FILE", &options.key_file, "a key on each line (blanks around it do not count)");
    add("--insecure", "", &options.insecure, "listen at an address that others reach, without a key");
    add("--tls-cert", "FILE", &options.http.tls_cert, "certificate chain (PEM): https");
    add("--tls-key", "FILE", &options.http.tls_key, "its private key (PEM)");
    add("--cors", "ORIGIN", &options.http.cors_origins, "origin whose web pages may ask, * for all");
    add("--host-name", "NAME", &options.http.host_names, "further name by which requests may call this server");
}

void add_log(Command& command, ServeOptions& options) {
    auto add = [&](const char* name, const char* word, Target value, const char* help) {
        command.add({.name = name, .value = word, .target = value, .help = help, .section = "Log"});
    };
    add("--log", "text|json", &options.log_format, "the log's rows (default: text)");
    add("--quiet", "", &options.endpoints.log.quiet, "only the server's own errors");
    add("--verbose", "", &options.endpoints.log.verbose, "more in each row, and a row for /health and /metrics too");
    add("--log-prompts", "", &options.endpoints.log.prompts, "prompts in the log (never without this)");
}

}  // namespace

Command serve_command() {
    auto options = std::make_shared<ServeOptions>();
    Command command{.name = "serve", .purpose = "models behind an HTTP API (OpenAI's)"};
    command.add({.name = "MODEL",
                 .target = &options->models,
                 .help = "GGUF files, or names of pulled models",
                 .is_required = true});
    add_common(command, *options);
    options->sampling.add_to(command);
    options->model.add_settings_to(command);
    command.add({.name = "--queue",
                 .value = "N",
                 .target = &options->queue,
                 .help = "requests of a model that may run or wait; beyond it 429 (default: 1024)",
                 .min = 1,
                 .max = 1 << 20,
                 .section = kMoreOptions});
    command.add({.name = "--drain",
                 .value = "SECONDS",
                 .target = &options->http.drain_seconds,
                 .help = "for answers in work after SIGTERM (default: 30)",
                 .min = 0,
                 .max = 3600,
                 .section = kMoreOptions});
    add_access(command, *options);
    add_log(command, *options);
    command.notes =
        "The sampling options hold where a request says nothing.\n"
        "\n"
        "Examples\n"
        "  godwit serve model.gguf\n"
        "  godwit serve model.gguf --port 8000 --context 32768 --parallel 4\n"
        "  godwit serve small.gguf large.gguf --name small --name large --memory 12GiB\n"
        "  godwit serve model.gguf --host 0.0.0.0 --api-key-file keys.txt \\\n"
        "    --tls-cert cert.pem --tls-key key.pem";
    command.action = [options] { return serve(*options); };
    return command;
}

}  // namespace godwit
