// godwit rm: removes a pulled model.
#include <CLI/CLI.hpp>

#include "cli/cli.hpp"
#include "cli/common.hpp"
#include "hub/store.hpp"

namespace godwit {
namespace {

Result<int> remove(const std::string& text) {
    ModelName name = TRY(parse_model_name(text));
    Store store = TRY(Store::open());
    uint64_t freed = TRY(store.remove(name));
    fmt::print("{} is gone, {} freed\n", text, human_bytes(freed));
    return 0;
}

}  // namespace

void add_rm(CLI::App& app, Action& action) {
    auto name = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("rm", "remove a pulled model");
    command->add_option("NAME", *name, "as `godwit list` shows it")->required();
    command->footer("Examples:\n  godwit rm ggml-org/gemma-3-1b-it-GGUF:Q4_K_M");
    command->callback([=, &action] { action = [name] { return remove(*name); }; });
}

}  // namespace godwit
