// godwit pull: downloads a model from a hub.
#include "hub/pull.hpp"

#include <CLI/CLI.hpp>

#include "base/printable.hpp"
#include "cli/cli.hpp"
#include "cli/common.hpp"
#include "cli/progress.hpp"

namespace godwit {
namespace {

struct PullOptions {
    std::string name, hub;
};

Result<int> pull(const PullOptions& options) {
    ModelName name = TRY(parse_model_name(options.name));
    HubOptions hub = TRY(HubOptions::from_environment(options.hub));
    Store store = TRY(Store::open());
    Progress progress("pull");
    hub.note = [&](const std::string& text) {
        progress.finish();
        fmt::print(stderr, "{}\n", printable(text, 1000));
    };
    Result<StoredModel> pulled =
        pull_model(store, hub, name, [&](uint64_t done, uint64_t total) { progress.update_bytes(done, total); });
    progress.finish();
    const StoredModel& model = TRY(std::move(pulled));
    fmt::print(stderr, "{} is here, {} in {} file(s). Run it: godwit run {}\n", model.name(),
               human_bytes(model.variant.bytes()), model.variant.files.size(), model.name());
    fmt::print("{}\n", model.path());
    return 0;
}

}  // namespace

void add_pull(CLI::App& app, Action& action) {
    auto options = std::make_shared<PullOptions>();
    CLI::App* command = app.add_subcommand("pull", "download a model from a hub");
    command->add_option("NAME", options->name, "ORGANISATION/NAME or ORGANISATION/NAME:QUANT")->required();
    command->add_option("--hub", options->hub, "a mirror (default: HF_ENDPOINT, or https://huggingface.co)");
    command->footer(
        "Examples:\n"
        "  godwit pull ggml-org/gemma-3-1b-it-GGUF\n"
        "  godwit pull hf.co/bartowski/SmolLM2-135M-Instruct-GGUF:Q8_0\n"
        "Without a QUANT: Q4_K_M, or what comes next to it. The path is printed. An interrupted download goes on where "
        "it was.\n"
        "Models lie in the folder that Hugging Face's tools use too (HF_HUB_CACHE, HF_HOME); a token is read as they "
        "do (HF_TOKEN).");
    command->callback([=, &action] { action = [options] { return pull(*options); }; });
}

}  // namespace godwit
