#include "hub/model_name.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "base/printable.hpp"

namespace godwit {
namespace {

constexpr size_t kSegmentMax = 96;  // the hub's own limit

/// "--" would be ambiguous: it joins the segments in the name of a folder.
bool is_segment(std::string_view text) {
    auto allowed = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
               c == '-';
    };
    return !text.empty() && text.size() <= kSegmentMax && std::all_of(text.begin(), text.end(), allowed) &&
           text[0] != '.' && text[0] != '-' && text.find("..") == text.npos && text.find("--") == text.npos;
}

/// A quantisation or the name of a file, which need not be ASCII.
bool is_tag(std::string_view text) {
    return !text.empty() && text[0] != '.' && text.find_first_of("/\\ ") == text.npos && text.find("..") == text.npos &&
           printable(text, text.size()) == text;
}

/// Takes a prefix away, in any case of letters.
bool take(std::string_view& text, std::string_view prefix) {
    if (lower_case(text.substr(0, prefix.size())) != prefix) return false;
    text.remove_prefix(prefix.size());
    return true;
}

bool take_host(std::string_view& text) {
    for (std::string_view scheme : {"https://", "http://"}) take(text, scheme);
    for (std::string_view host : {"hf.co/", "huggingface.co/", "www.huggingface.co/", "hf://", "huggingface://"})
        if (take(text, host)) return true;
    return false;
}

/// Of a page's address "org/name/blob/main/folder/file?download=true": the repository, and the file if it shows one.
ModelName split_page(std::string_view address) {
    address = address.substr(0, address.find_first_of("?#"));
    while (address.ends_with('/')) address.remove_suffix(1);
    size_t repo = std::min(address.find('/', address.find('/') + 1), address.size());
    std::string_view page = address.substr(repo), file;
    if (page.starts_with("/blob/main/") || page.starts_with("/resolve/main/"))
        file = page.substr(page.find_last_of('/') + 1);
    else if (!page.empty() && page != "/tree/main") repo = address.size();  // no page that we know
    return {std::string(address.substr(0, repo)), std::string(file)};
}

}  // namespace

Result<ModelName> parse_model_name(std::string_view text) {
    std::string_view name = text;
    bool is_on_host = take_host(name);
    size_t mark = name.find_first_of(":@");
    ModelName model{std::string(name.substr(0, mark)), {}};
    if (mark != name.npos) model.tag = name.substr(mark + 1);
    else if (is_on_host) model = split_page(name);
    bool has_tag = mark != name.npos || !model.tag.empty();
    if (lower_case(model.tag) == "latest") model.tag.clear(), has_tag = false;
    size_t slash = model.repo.find('/');
    if (slash == model.repo.npos || !is_segment(std::string_view(model.repo).substr(0, slash)) ||
        !is_segment(std::string_view(model.repo).substr(slash + 1)) || (has_tag && !is_tag(model.tag)))
        return error("{}: not the name of a model (like organisation/name or organisation/name:Q4_K_M)",
                     printable(text, 200));
    return model;
}

bool looks_like_model_name(std::string_view text) {
    constexpr std::string_view kEnd = ".gguf";
    Result<ModelName> name = parse_model_name(text);
    if (!name.ok()) return false;
    return !name.value().tag.empty() ||
           lower_case(text.substr(text.size() - std::min(text.size(), kEnd.size()))) != kEnd;
}

}  // namespace godwit
