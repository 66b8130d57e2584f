#include "cli/model_options.hpp"

#include "base/thread_count.hpp"
#include "cli/common.hpp"
#include "engine/runtime.hpp"
#include "hub/resolve_model.hpp"

namespace godwit {

void ModelOptions::add_to(Command& command) {
    add_model_to(command);
    add_settings_to(command);
}

void ModelOptions::add_model_to(Command& command, bool is_required) {
    command.add({.name = "MODEL", .target = &path, .help = kModelHelp, .is_required = is_required});
}

void ModelOptions::add_settings_to(Command& command) {
    command.add(context_option(context));
    add_compute_to(command);
}

void ModelOptions::add_compute_to(Command& command) {
    command.add(threads_option(threads));
    command.add({.name = "--kv",
                 .value = "f16|f32",
                 .target = &kv,
                 .help = "how keys and values are stored (default: f16)",
                 .section = kMoreOptions});
}

KvFormat ModelOptions::kv_format() const { return kv == "f32" ? KvFormat::F32 : KvFormat::F16; }

EngineSettings ModelOptions::settings(int64_t rows, int64_t logit_rows) const {
    EngineSettings settings;
    settings.context = context;
    settings.kv = kv_format();
    settings.step = {.rows = rows, .logit_rows = logit_rows};
    return settings;
}

EngineOptions ModelOptions::engine(int64_t sequences) const {
    return {.model = path, .context = context, .sequences = sequences, .kv = kv_format()};
}

Result<LoadedModel> load_model(const ModelOptions& options) {
    LoadedModel loaded;
    loaded.pool = std::make_unique<ThreadPool>(options.threads > 0 ? options.threads : default_thread_count());
    loaded.device = TRY(make_device(*loaded.pool));
    std::string path = TRY(resolve_model(options.path));
    loaded.model = TRY(Model::load(path, *loaded.device));
    return loaded;
}

void note_context(const std::string& model, int64_t asked, const ModelPlan& plan) {
    if (asked > plan.context)
        fmt::print(stderr, "{}: --context {} is more than the model was made for; its context is {}\n", model, asked,
                   plan.context);
}

}  // namespace godwit
