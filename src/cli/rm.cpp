// godwit rm: removes a pulled model.
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

Command rm_command() {
    auto name = std::make_shared<std::string>();
    Command command{.name = "rm", .purpose = "remove a pulled model"};
    command.add({.name = "NAME", .target = name.get(), .help = "as `godwit list` shows it", .is_required = true});
    command.notes = "Example\n  godwit rm ggml-org/gemma-3-1b-it-GGUF:Q4_K_M";
    command.action = [name] { return remove(*name); };
    return command;
}

}  // namespace godwit
