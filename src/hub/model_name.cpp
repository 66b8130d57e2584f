#include "hub/model_name.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "base/printable.hpp"

namespace godwit {
namespace {

constexpr std::string_view kEnd = ".gguf";
constexpr size_t kSegmentMax = 96;  // the hub's own limit

// Best first. Near four bits quality and size meet; below them quality goes, above them memory.
constexpr std::string_view kPreferred[] = {"Q4_K_M", "Q4_K_S", "Q4_K_L", "Q4_K_XL", "UD-Q4_K_XL", "Q4_K",
                                           "Q4_0",   "Q4_1",   "IQ4_NL", "IQ4_XS",  "MXFP4",      "Q5_K_M",
                                           "Q5_K_S", "Q5_0",   "Q5_1",   "Q6_K",    "Q8_0",       "Q3_K_L",
                                           "Q3_K_M", "Q3_K_S", "BF16",   "F16",     "F32"};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool same(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

bool contains(std::string_view text, std::string_view part) {
    auto equal = [](char x, char y) { return lower(x) == lower(y); };
    return std::search(text.begin(), text.end(), part.begin(), part.end(), equal) != text.end();
}

/// "--" would be ambiguous: it joins the segments in the name of a folder.
bool is_segment(std::string_view text) {
    auto allowed = [](char c) {
        return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') || c == '.' || c == '_' || c == '-';
    };
    return !text.empty() && text.size() <= kSegmentMax && std::all_of(text.begin(), text.end(), allowed) &&
           text[0] != '.' && text[0] != '-' && text.find("..") == text.npos && text.find("--") == text.npos;
}

std::string_view without_host(std::string_view text) {
    for (std::string_view scheme : {"https://", "http://"})
        if (text.starts_with(scheme)) text.remove_prefix(scheme.size());
    for (std::string_view host : {"hf.co/", "huggingface.co/"})
        if (text.size() > host.size() && same(text.substr(0, host.size()), host)) return text.substr(host.size());
    return text;
}

/// "Q4_K_M", "IQ4_XS", "TQ2_0", "BF16", "F32", "MXFP4_MOE" …
bool is_quant(std::string_view text) {
    for (std::string_view floats : {"F16", "BF16", "F32", "FP16", "FP32"})
        if (same(text, floats)) return true;
    for (std::string_view prefix : {"MXFP4", "NVFP4"})
        if (text.size() >= prefix.size() && same(text.substr(0, prefix.size()), prefix)) return true;
    if (!text.empty() && (lower(text[0]) == 'i' || lower(text[0]) == 't')) text.remove_prefix(1);
    return text.size() >= 2 && lower(text[0]) == 'q' && is_digit(text[1]);
}

/// The last part of a stem, between dashes and dots, that is a quantisation; with the "UD" before it.
std::string quant_of(std::string_view stem) {
    for (size_t end = stem.size(); end != stem.npos && end > 0;) {
        size_t before = stem.find_last_of("-./", end - 1);
        size_t begin = before == stem.npos ? 0 : before + 1;
        if (is_quant(stem.substr(begin, end - begin))) {
            if (begin >= 3 && same(stem.substr(begin - 3, 3), "UD-")) begin -= 3;
            std::string quant(stem.substr(begin, end - begin));
            std::transform(quant.begin(), quant.end(), quant.begin(), upper);
            return quant;
        }
        end = before;
    }
    return {};
}

/// "model-00002-of-00003" is part 2 of 3 of "model".
struct Stem {
    std::string name;
    uint64_t part = 1, parts = 1;
};

Stem split_stem(std::string_view path) {
    constexpr size_t kDigits = 5, kTail = 4 + 2 * kDigits + 1;  // "-00002-of-00003"
    path.remove_suffix(kEnd.size());
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

std::string_view last_segment(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

bool is_model(std::string_view path) {
    if (!is_safe_path(path) || path.size() <= kEnd.size() || !same(path.substr(path.size() - kEnd.size()), kEnd))
        return false;
    std::string_view name = last_segment(path);
    return !contains(name, "mmproj") && !contains(name, "imatrix");
}

size_t rank(const Variant& variant) {
    return static_cast<size_t>(std::find(std::begin(kPreferred), std::end(kPreferred), variant.quant) -
                               std::begin(kPreferred));
}

}  // namespace

uint64_t Variant::bytes() const {
    uint64_t sum = 0;
    for (const RepoFile& file : files) sum += file.bytes;
    return sum;
}

bool is_safe_path(std::string_view path) {
    for (char c : path)
        if (c <= ' ' - 1 || c > '~' || c == '\\') return false;
    for (size_t at = 0; at <= path.size();) {
        size_t end = std::min(path.find('/', at), path.size());
        std::string_view segment = path.substr(at, end - at);
        if (segment.empty() || segment == "." || segment == "..") return false;
        at = end + 1;
    }
    return true;
}

Result<ModelName> parse_model_name(std::string_view text) {
    std::string_view name = without_host(text);
    size_t colon = name.find(':'), slash = name.find('/');
    bool has_quant = colon != name.npos;
    std::string_view repo = name.substr(0, colon), quant = has_quant ? name.substr(colon + 1) : std::string_view();
    if (slash == name.npos || slash >= repo.size() || !is_segment(repo.substr(0, slash)) ||
        !is_segment(repo.substr(slash + 1)) || (has_quant && !is_segment(quant)))
        return error("{}: not the name of a model (like organisation/name or organisation/name:Q4_K_M)",
                     printable(text, 200));
    return ModelName{std::string(repo), std::string(quant)};
}

bool looks_like_model_name(std::string_view text) {
    std::string_view end = text.substr(text.size() - std::min(text.size(), kEnd.size()));
    return !same(end, kEnd) && parse_model_name(text).ok();
}

std::vector<Variant> variants_of(const std::vector<RepoFile>& files) {
    struct Group {
        std::map<uint64_t, RepoFile> parts;
        uint64_t count = 1;
    };
    std::map<std::pair<std::string, uint64_t>, Group> groups;
    for (const RepoFile& file : files) {
        if (!is_model(file.path)) continue;
        Stem stem = split_stem(file.path);
        Group& group = groups[{stem.name, stem.parts}];
        group.parts.emplace(stem.part, file);
        group.count = stem.parts;
    }
    std::vector<Variant> variants;
    for (auto& [key, group] : groups) {
        Variant variant{quant_of(key.first), {}, group.count};
        auto has_same = [&](const Variant& other) { return other.quant == variant.quant; };
        if (variant.quant.empty() || std::any_of(variants.begin(), variants.end(), has_same))
            variant.quant = last_segment(key.first);
        for (auto& [part, file] : group.parts) variant.files.push_back(std::move(file));
        variants.push_back(std::move(variant));
    }
    auto order = [](const Variant& variant) {
        return std::pair(rank(variant), std::string_view(variant.files.front().path));
    };
    std::sort(variants.begin(), variants.end(),
              [&](const Variant& a, const Variant& b) { return order(a) < order(b); });
    return variants;
}

bool is_meant(const Variant& variant, const ModelName& name) {
    return name.quant.empty() || same(variant.quant, name.quant);
}

Result<Variant> choose_variant(std::span<const Variant> variants, const ModelName& name) {
    if (variants.empty()) return error("{}: no GGUF file in it", name.repo);
    auto found =
        std::find_if(variants.begin(), variants.end(), [&](const Variant& variant) { return is_meant(variant, name); });
    if (found == variants.end()) {
        std::string known;
        for (const Variant& variant : variants) known += (known.empty() ? "" : ", ") + variant.quant;
        return error("{}: no {} in it (it has {})", name.repo, name.quant, printable(known, 400));
    }
    if (found->files.size() != found->parts)
        return error("{}: {} of {} parts are there", full_name(name.repo, *found), found->files.size(), found->parts);
    return *found;
}

std::string full_name(const std::string& repo, const Variant& variant) { return repo + ":" + variant.quant; }

}  // namespace godwit
