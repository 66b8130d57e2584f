#include "hub/variants.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/ascii.hpp"
#include "base/printable.hpp"
#include "hub/quantisation.hpp"
#include "hub/words.hpp"

namespace godwit {
namespace {

constexpr std::string_view kEnd = ".gguf";

std::string_view last_segment(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }
std::string_view without_end(std::string_view path) { return path.substr(0, path.size() - kEnd.size()); }

bool is_gguf(std::string_view path) {
    return is_safe_path(path) && last_segment(path).size() > kEnd.size() &&
           lower_case(path.substr(path.size() - kEnd.size())) == kEnd;
}

/// What a word of a path says that the file is.
struct HelperWord {
    std::string_view word, kind;
    bool may_be_model = false;  // where nothing else is there
};
constexpr HelperWord kHelperWords[] = {
    {"imatrix", "importance matrix"}, {"dflash", "draft model"},           {"eagle3", "draft model"},
    {"medusa", "draft model"},        {"mtp", "draft model", true},        {"nextn", "draft model", true},
    {"draft", "draft model", true},   {"drafter", "draft model", true},    {"lora", "adapter", true},
    {"loras", "adapter", true},       {"adapter", "adapter", true},        {"adapters", "adapter", true},
    {"cvector", "control vector"},    {"controlvector", "control vector"}, {"controlvectors", "control vector"},
};

/// Null: the file is a model.
const HelperWord* helper_word(std::string_view path) {
    static constexpr HelperWord kProjector{"mmproj", "projector"}, kControl{"control", "control vector"};
    std::vector<Word> words = words_of(path);
    for (size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i].text;
        if (word.find(kProjector.word) != word.npos) return &kProjector;
        if (word == kControl.word && i + 1 < words.size() && words[i + 1].text.starts_with("vector")) return &kControl;
        auto known = std::ranges::find(kHelperWords, word, &HelperWord::word);
        if (known != std::end(kHelperWords)) return known;
    }
    return nullptr;
}

/// "model-00002-of-00003" is part 2 of 3 of "model".
struct Stem {
    std::string name;
    uint64_t part = 1, parts = 1;
};

Stem split_stem(std::string_view path) {
    constexpr size_t kDigits = 5, kTail = 4 + 2 * kDigits + 1;  // "-00002-of-00003"
    path = without_end(path);
    Stem whole{std::string(path)};
    if (path.size() <= kTail) return whole;
    std::string_view tail = path.substr(path.size() - kTail);
    if (tail[0] != '-' || tail.substr(1 + kDigits, 4) != "-of-") return whole;
    Stem stem{std::string(path.substr(0, path.size() - kTail))};
    for (auto [at, value] : {std::pair{size_t{1}, &stem.part}, std::pair{size_t{5 + kDigits}, &stem.parts}}) {
        const char *first = tail.data() + at, *last = first + kDigits;
        auto [stop, failure] = std::from_chars(first, last, *value);
        if (failure != std::errc() || stop != last) return whole;
    }
    return stem.part >= 1 && stem.part <= stem.parts ? stem : whole;
}

/// What a variant may be called, the best name first.
std::vector<std::string> names_of(const std::string& quantisation, std::string stem) {
    std::vector<std::string> names{quantisation, std::string(last_segment(stem))};
    std::ranges::replace(stem, '/', '-');
    names.push_back(std::move(stem));
    return names;
}

/// Parts put together, each variant with a name of its own, the first choice first.
std::vector<Variant> variants_of(const std::vector<RepoFile>& files) {
    std::map<std::pair<std::string, uint64_t>, std::map<uint64_t, RepoFile>> groups;
    for (const RepoFile& file : files) {
        Stem stem = split_stem(file.path);
        groups[{stem.name, stem.parts}].emplace(stem.part, file);
    }
    std::vector<Variant> variants;
    for (auto& [stem, parts] : groups) {
        Variant variant{.quantisation = find_quantisation(stem.first), .parts = stem.second};
        for (const std::string& name : names_of(variant.quantisation, stem.first)) {
            variant.tag = name;
            if (!name.empty() && std::ranges::find(variants, name, &Variant::tag) == variants.end()) break;
        }
        for (auto& [part, file] : parts) variant.files.push_back(std::move(file));
        variants.push_back(std::move(variant));
    }
    std::ranges::stable_sort(variants, {}, [](const Variant& variant) { return preference(variant.quantisation); });
    return variants;
}

}  // namespace

uint64_t Variant::bytes() const {
    uint64_t sum = 0;
    for (const RepoFile& file : files) sum += file.bytes;
    return sum;
}

bool is_safe_path(std::string_view path) {
    if (printable(path, path.size()) != path || path.find('\\') != path.npos) return false;
    for (size_t at = 0; at <= path.size();) {
        size_t end = std::min(path.find('/', at), path.size());
        std::string_view segment = path.substr(at, end - at);
        if (segment.empty() || segment == "." || segment == "..") return false;
        at = end + 1;
    }
    return true;
}

RepoModels models_of(const std::vector<RepoFile>& files) {
    RepoModels models;
    std::vector<RepoFile> plain, other;
    for (const RepoFile& file : files) {
        if (!is_gguf(file.path)) continue;
        const HelperWord* helper = helper_word(file.path);
        if (helper == nullptr) plain.push_back(file);
        else if (helper->may_be_model) other.push_back(file);
        if (helper != nullptr) models.helpers.push_back({file, helper->kind});
    }
    if (plain.empty() && !other.empty()) {
        plain = std::move(other);
        std::erase_if(models.helpers, [](const Helper& helper) { return helper_word(helper.file.path)->may_be_model; });
    }
    models.variants = variants_of(plain);
    return models;
}

bool is_meant(const Variant& variant, const ModelName& name) {
    if (name.tag.empty() || as_quantisation(name.tag) == variant.tag) return true;
    auto is_asked = [asked = lower_case(name.tag)](const std::string& one) {
        return lower_case(one) == asked || lower_case(one) + std::string(kEnd) == asked;
    };
    const std::string& file = variant.files.front().path;
    return is_asked(variant.tag) || is_asked(std::string(without_end(last_segment(file)))) ||
           std::ranges::any_of(names_of(variant.quantisation, split_stem(file).name), is_asked);
}

Result<Variant> choose_variant(const RepoModels& models, const ModelName& name) {
    if (models.variants.empty())
        return error("{}: no GGUF model in it{}{}", name.repo, models.helpers.empty() ? "" : ", only ",
                     listed(models.helpers));
    auto found = std::ranges::find(models.variants, name.tag, &Variant::tag);
    if (found == models.variants.end())
        found = std::ranges::find_if(models.variants, [&](const Variant& variant) { return is_meant(variant, name); });
    if (found == models.variants.end()) {
        std::string known;
        for (const Variant& variant : models.variants) known += (known.empty() ? "" : ", ") + variant.tag;
        return error("{}: no {} in it (it has {})", name.repo, name.tag, printable(known, 400));
    }
    if (found->files.size() != found->parts)
        return error("{}: {} of {} parts are there", full_name(name.repo, *found), found->files.size(), found->parts);
    return *found;
}

std::string listed(std::span<const Helper> helpers) {
    std::string text;
    for (const Helper& helper : helpers)
        text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", helper.file.path, helper.kind);
    return printable(text, 400);
}

std::string full_name(const std::string& repo, const Variant& variant) { return repo + ":" + variant.tag; }

}  // namespace godwit
