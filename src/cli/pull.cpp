// godwit pull: downloads a model from a hub.
#include "hub/pull.hpp"

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

Command pull_command() {
    auto options = std::make_shared<PullOptions>();
    Command command{.name = "pull", .purpose = "download a model from a hub"};
    command.add({.name = "NAME",
                 .target = &options->name,
                 .help = "ORGANISATION/NAME or ORGANISATION/NAME:QUANT",
                 .is_required = true});
    command.add({.name = "--hub",
                 .value = "URL",
                 .target = &options->hub,
                 .help = "a mirror (default: HF_ENDPOINT, or https://huggingface.co)"});
    command.notes =
        "Examples\n"
        "  godwit pull ggml-org/gemma-3-1b-it-GGUF\n"
        "  godwit pull hf.co/bartowski/SmolLM2-135M-Instruct-GGUF:Q8_0\n"
        "\n"
        "Without a QUANT: Q4_K_M, or the nearest to four bits of the types that run fast.\n"
        "Draft models, projectors and adapters are left out. The path is printed. An\n"
        "interrupted download goes on where it was. Models lie in the folder that Hugging\n"
        "Face's tools use too (HF_HUB_CACHE, HF_HOME); a token is read as they do\n"
        "(HF_TOKEN).";
    command.action = [options] { return pull(*options); };
    return command;
}

}  // namespace godwit
