// godwit list: the models that have been pulled.
#include <algorithm>
#include <ctime>

#include "base/printable.hpp"
#include "cli/cli.hpp"
#include "cli/common.hpp"
#include "hub/store.hpp"
#include "text/json.hpp"

namespace godwit {
namespace {

std::string time_text(int64_t seconds, const char* format, bool is_utc) {
    std::time_t time = seconds;
    std::tm parts{};
    is_utc ? gmtime_r(&time, &parts) : localtime_r(&time, &parts);
    char text[64];
    return {text, std::strftime(text, sizeof text, format, &parts)};
}

Json to_json(const StoredModel& model) {
    return {{"name", model.name()},
            {"repo", model.repo},
            {"quant", model.variant.tag},
            {"bytes", model.variant.bytes()},
            {"files", model.variant.files.size()},
            {"complete", model.complete()},
            {"pulled", time_text(model.pulled, "%Y-%m-%dT%H:%M:%SZ", true)},
            {"commit", model.commit},
            {"path", model.path()}};
}

Result<int> list(bool json) {
    Store store = TRY(Store::open());
    auto [models, helpers] = store.list();
    if (json) {
        Json rows = Json::array(), others = rows;
        for (const StoredModel& model : models) rows.push_back(to_json(model));
        for (const StoredHelper& helper : helpers)
            others.push_back(
                {{"repo", helper.repo}, {"kind", helper.kind}, {"bytes", helper.bytes}, {"path", helper.path}});
        print_json({{"folder", store.root().string()}, {"models", rows}, {"helpers", others}});
        return 0;
    }
    if (models.empty() && helpers.empty()) {
        fmt::print("No model in {} (get one: godwit pull ORGANISATION/NAME)\n", printable(store.root().string(), 500));
        return 0;
    }
    size_t width = 0;
    for (const StoredModel& model : models) width = std::max(width, model.name().size());
    for (const StoredHelper& helper : helpers) width = std::max(width, helper.repo.size());
    fmt::print("{:<{}}  {:>9}  {}\n", "name", width, "size", "pulled");
    for (const StoredModel& model : models) {
        std::string parts =
            model.complete() ? "" : fmt::format("  ({} of {} parts)", model.variant.files.size(), model.variant.parts);
        fmt::print("{:<{}}  {:>9}  {}{}\n", printable(model.name(), 200), width, human_bytes(model.variant.bytes()),
                   time_text(model.pulled, "%Y-%m-%d %H:%M", false), parts);
    }
    for (const StoredHelper& helper : helpers)
        fmt::print("{:<{}}  {:>9}  {} ({}, no model of its own)\n", helper.repo, width, human_bytes(helper.bytes),
                   printable(file_name(helper.path), 200), helper.kind);
    return 0;
}

}  // namespace

Command list_command() {
    auto json = std::make_shared<bool>(false);
    Command command{.name = "list", .purpose = "the models that have been pulled"};
    command.add({.name = "--json",
                 .target = json.get(),
                 .help = R"({"folder", "models":[{"name", "bytes", "pulled", "path", …}]})"});
    command.notes = "Examples\n  godwit list\n  godwit list --json";
    command.action = [json] { return list(*json); };
    return command;
}

}  // namespace godwit
