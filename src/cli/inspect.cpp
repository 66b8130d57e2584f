// godwit inspect, godwit plan: what a model file holds, and what running it would take.
#include <map>

#include "base/printable.hpp"
#include "cli/cli.hpp"
#include "cli/common.hpp"
#include "cli/model_options.hpp"
#include "engine/memory_plan.hpp"
#include "engine/runtime.hpp"
#include "engine/sampling_defaults.hpp"
#include "file/metadata.hpp"
#include "hub/resolve_model.hpp"
#include "model/model.hpp"
#include "text/json.hpp"

namespace godwit {
namespace {

struct InspectOptions {
    std::string model;
    bool tensors = false, json = false;
    int64_t context = 0, parallel = 1;
};

/// "Q4_1 210, F32 61": how many tensors of each type.
std::map<std::string_view, int64_t> count_types(const ModelFile& file) {
    std::map<std::string_view, int64_t> counts;
    for (const TensorInfo& tensor : file.tensors()) ++counts[dtype_name(tensor.dtype)];
    return counts;
}

int64_t count_parameters(const ModelFile& file) {
    int64_t parameters = 0;
    for (const TensorInfo& tensor : file.tensors()) parameters += tensor.shape.elements();
    return parameters;
}

/// What a look at the file as a whole finds.
struct Findings {
    std::string fault;                  // that keeps the model from running, or nothing
    std::vector<std::string> warnings;  // what is ignored
};

/// Of a model that can run.
std::vector<std::string> warnings_of(const CheckedModel& model) {
    std::vector<std::string> warnings = model.warnings;
    const SamplingDefaults sampling = read_sampling_defaults(model.file.metadata());
    warnings.insert(warnings.end(), sampling.warnings.begin(), sampling.warnings.end());
    return warnings;
}

Findings examine(const std::string& path, const Device& device) {
    Result<CheckedModel> checked = check_model(path, device);
    if (!checked.ok()) return {checked.error().message, {}};
    return {"", warnings_of(checked.value())};
}

void print_warnings(const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings) fmt::print("warning: {}\n", warning);
}

void print_inspection(const ModelFile& file, const Findings& found, bool tensors) {
    fmt::print("{}: GGUF version {}, {} part(s), {} tensors, {} parameters, {} of weights\n", file_name(file.path()),
               file.version(), file.parts(), file.tensors().size(), count_parameters(file),
               human_bytes(file.tensor_bytes()));
    for (const auto& [type, count] : count_types(file)) fmt::print("  {:>5} × {}\n", count, type);
    fmt::print("\nmetadata\n");
    for (const Metadata::Entry& entry : file.metadata().entries())
        fmt::print("  {} = {}\n", printable(entry.key), value_text(entry.value));
    if (tensors) {
        fmt::print("\ntensors\n");
        for (const TensorInfo& tensor : file.tensors())
            fmt::print("  {:<40} {:<8} {:>20} {:>12}\n", printable(tensor.name), dtype_name(tensor.dtype),
                       tensor.shape.to_string(), tensor.data.size());
    }
    fmt::print("\n");
    print_warnings(found.warnings);
    fmt::print("{}\n", found.fault.empty() ? "It can run here." : "It cannot run here: " + found.fault);
}

constexpr uint64_t kElementsShown = 64;  // of an array: vocabularies are long, and `tokenize` shows them better

/// A value with its own type; a long array as its type and length. Texts are whole; numbers and booleans, alone or in
/// arrays, are spelled by value_text as JSON spells them (but for NaN and infinity, which stay text).
Json value_json(const Metadata& metadata, const Metadata::Entry& entry) {
    const Value& value = entry.value;
    if (value.type == ValueType::Array && value.count > kElementsShown)
        return {{"array", value_type_name(value.element_type)}, {"length", value.count}};
    if (value.type == ValueType::String) return std::string(*metadata.find_string(entry.key).take());
    if (value.type == ValueType::Array && value.element_type == ValueType::String) {
        Json texts = Json::array();
        const std::vector<std::string_view> elements = *metadata.find_strings(entry.key).take();
        for (std::string_view text : elements) texts.push_back(std::string(text));
        return texts;
    }
    std::string text = value_text(value, kElementsShown);
    Json parsed = Json::parse(text, nullptr, false);
    return parsed.is_discarded() ? Json(text) : parsed;
}

void print_inspection_json(const ModelFile& file, const Findings& found, bool tensors) {
    Json json{{"file", file.path()}, {"version", file.version()}, {"parts", file.parts()}};
    json["parameters"] = count_parameters(file);
    json["weight_bytes"] = file.tensor_bytes();
    for (const Metadata::Entry& entry : file.metadata().entries())
        json["metadata"][std::string(entry.key)] = value_json(file.metadata(), entry);
    if (tensors) {
        json["tensors"] = Json::array();
        for (const TensorInfo& tensor : file.tensors()) {
            Json shape = Json::array();
            for (int i = 0; i < tensor.shape.rank(); ++i) shape.push_back(tensor.shape[i]);
            json["tensors"].push_back({{"name", std::string(tensor.name)},
                                       {"dtype", std::string(dtype_name(tensor.dtype))},
                                       {"shape", shape},
                                       {"bytes", tensor.data.size()}});
        }
    }
    json["warnings"] = found.warnings;
    json["unsupported"] = found.fault.empty() ? Json() : Json(found.fault);
    print_json(json);
}

Result<int> inspect(InspectOptions options) {
    options.model = TRY(resolve_model(options.model));
    ModelFile file = TRY(ModelFile::open(options.model));
    ThreadPool pool(1);
    std::unique_ptr<Device> device = TRY(make_device(pool));
    Findings found = examine(options.model, *device);
    if (options.json) print_inspection_json(file, found, options.tensors);
    else print_inspection(file, found, options.tensors);
    return 0;
}

Result<int> plan(InspectOptions options) {
    options.model = TRY(resolve_model(options.model));
    ThreadPool pool(1);
    std::unique_ptr<Device> device = TRY(make_device(pool));
    CheckedModel checked = TRY(check_model(options.model, *device));
    EngineSettings settings = engine_settings({.context = options.context, .sequences = options.parallel});
    MemoryPlan memory = TRY(plan_memory(checked.file, checked.plan, *device, settings));
    note_context(file_name(options.model), options.context, checked.plan);
    if (options.json) {
        print_json({{"architecture", checked.plan.architecture},
                    {"context", memory.context},
                    {"parallel", memory.sequences},
                    {"kv_format", std::string(kv_format_name(settings.kv))},
                    {"weight_bytes", memory.weights},
                    {"kv_bytes", memory.kv},
                    {"activation_bytes", memory.activations},
                    {"tokenizer_bytes", memory.tokenizer},
                    {"program_bytes", memory.program},
                    {"total_bytes", memory.total()},
                    {"warnings", warnings_of(checked)}});
        return 0;
    }
    fmt::print("{}: {}, {} layers, vocabulary {}\n", file_name(options.model), checked.plan.architecture,
               checked.plan.layers.size(), checked.plan.vocabulary);
    fmt::print("  {:<12} {:>15} bytes  {:>9}  packed for the kernels\n", "weights", memory.weights,
               human_bytes(memory.weights));
    fmt::print("  {:<12} {:>15} bytes  {:>9}  {} × {} tokens, {}, {} cache group(s)\n", "KV", memory.kv,
               human_bytes(memory.kv), memory.sequences, memory.context, kv_format_name(settings.kv),
               checked.plan.cache.groups.size());
    fmt::print("  {:<12} {:>15} bytes  {:>9}  steps of up to {} rows\n", "activations", memory.activations,
               human_bytes(memory.activations), settings.step.rows);
    fmt::print("  {:<12} {:>15} bytes  {:>9}  of {} tokens\n", "tokenizer", memory.tokenizer,
               human_bytes(memory.tokenizer), checked.plan.vocabulary);
    fmt::print("  {:<12} {:>15} bytes  {:>9}  itself, with its scratch\n", "program", memory.program,
               human_bytes(memory.program));
    fmt::print("  {:<12} {:>15} bytes  {:>9}\n", "total", memory.total(), human_bytes(memory.total()));
    print_warnings(warnings_of(checked));
    return 0;
}

}  // namespace

Command inspect_command() {
    auto options = std::make_shared<InspectOptions>();
    Command command{.name = "inspect", .purpose = "what a model file holds, and what is unsupported and why"};
    command.add({.name = "MODEL", .target = &options->model, .help = kModelHelp, .is_required = true});
    command.add({.name = "--tensors", .target = &options->tensors, .help = "list every tensor"});
    command.add({.name = "--json", .target = &options->json, .help = "one JSON object on stdout"});
    command.notes = "Example\n  godwit inspect model.gguf --tensors";
    command.action = [options] { return inspect(*options); };
    return command;
}

Command plan_command() {
    auto options = std::make_shared<InspectOptions>();
    Command command{.name = "plan", .purpose = "full validation and the memory plan, byte-exact, without loading"};
    command.add({.name = "MODEL", .target = &options->model, .help = kModelHelp, .is_required = true});
    command.add(context_option(options->context));
    command.add({.name = "--parallel",
                 .value = "N",
                 .target = &options->parallel,
                 .help = "sequences at once (default: 1)",
                 .min = 1,
                 .max = 1024});
    command.add({.name = "--json", .target = &options->json, .help = "one JSON object on stdout"});
    command.notes = "Example\n  godwit plan model.gguf --context 4096 --parallel 8";
    command.action = [options] { return plan(*options); };
    return command;
}

}  // namespace godwit
