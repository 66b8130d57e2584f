#include "hub/resolve_model.hpp"

#include <algorithm>
#include <filesystem>

#include "base/ascii.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"

namespace godwit {
namespace {

namespace fs = std::filesystem;

constexpr size_t kShownMax = 6;  // names of pulled models in one line

/// "pulled: a/b:Q4_K_M, c/d:Q8_0 and 3 more"
std::string what_is_pulled(const std::vector<StoredModel>& models) {
    if (models.empty()) return "nothing is pulled yet";
    std::string text = "pulled: ";
    for (size_t i = 0; i < std::min(models.size(), kShownMax); ++i)
        text += (i == 0 ? "" : ", ") + printable(models[i].name(), 200);
    if (models.size() > kShownMax) text += fmt::format(" and {} more (godwit list)", models.size() - kShownMax);
    return text;
}

/// "did you mean a/b:Q4_K_M? get it: godwit pull …; pulled: a/b:Q4_K_M, c/d:Q8_0"
std::string advice(const std::string& model, const Store& store, bool is_name) {
    std::vector<StoredModel> models = store.list().models;
    const StoredModel* nearest = nearest_model(model, models);
    return fmt::format("{}get it: godwit pull {}; {}",
                       nearest == nullptr ? "" : fmt::format("did you mean {}? ", printable(nearest->name(), 200)),
                       is_name ? printable(model, 200) : "ORGANISATION/NAME", what_is_pulled(models));
}

/// "a folder (give one of its files: a.gguf, b.gguf)"
Error folder_error(const std::string& model) {
    std::string files;
    std::error_code failure;
    for (fs::directory_iterator at(model, failure), end; !failure && at != end; at.increment(failure))
        if (std::string name = at->path().filename(); lower_case(name).ends_with(".gguf"))
            files += (files.empty() ? "" : ", ") + name;
    return error("{}: a folder ({})", printable(model, 200),
                 files.empty() ? "with no GGUF file in it" : "give one of its files: " + printable(files, 400));
}

}  // namespace

const StoredModel* nearest_model(std::string_view text, std::span<const StoredModel> models) {
    std::vector<std::string> forms;  // what a person may call them: "org/name:q4_k_m", "org/name", "name"
    for (const StoredModel& model : models) {
        std::string repo = lower_case(model.repo);
        forms.insert(forms.end(), {lower_case(model.name()), repo, repo.substr(repo.find('/') + 1)});
    }
    const std::vector<std::string_view> names(forms.begin(), forms.end());
    std::string_view found = nearest(lower_case(text), names);
    if (found.empty()) return nullptr;
    return &models[static_cast<size_t>(std::ranges::find(names, found) - names.begin()) / 3];
}

Result<std::string> resolve_model(const std::string& model) {
    std::error_code ignored;
    bool exists = fs::exists(model, ignored), is_folder = fs::is_directory(model, ignored);
    if (exists && !is_folder) return model;
    bool is_name = looks_like_model_name(model);
    bool is_word = !model.empty() && model.find('/') == model.npos && !lower_case(model).ends_with(".gguf");
    if (!is_name && is_folder) return folder_error(model);
    if (!is_name && !is_word) return model;  // whoever opens it says what is wrong
    Store store = TRY(Store::open());
    if (!is_name)
        return error("{}: no such file or pulled model ({})", printable(model, 200), advice(model, store, false));
    Result<StoredModel> found = store.find(TRY(parse_model_name(model)));
    if (found.ok()) return found.value().path();
    return error("{}, and {} ({})", found.error().message,
                 is_folder ? "a folder of this name is no model" : "no such file", advice(model, store, true));
}

}  // namespace godwit
