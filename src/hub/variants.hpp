// Which models the files of a repository are, and which of them a name means.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "hub/model_name.hpp"

namespace godwit {

/// A file of a repository; the path has slashes and no "..".
struct RepoFile {
    std::string path;
    uint64_t bytes = 0;
};
/// Whether a path may be one: well-formed UTF-8 that shows as itself, relative, no backslashes, segments neither empty
/// nor "." nor "..".
bool is_safe_path(std::string_view path);

/// One model of a repository: a GGUF file, or all parts of a split one in their order.
struct Variant {
    /// What it is called after the colon: its quantisation; where the files name none, or another variant has the
    /// same, the file's name without its end.
    std::string tag;
    std::string quantisation;  // see find_quantisation(); empty: the files name none
    std::vector<RepoFile> files;
    uint64_t parts = 1;  // as the names say; files.size() if none is missing

    uint64_t bytes() const;
};

/// A GGUF file that is no model to talk to but goes with one.
struct Helper {
    RepoFile file;
    std::string_view kind;  // "projector", "draft model", "importance matrix", "adapter", "control vector"
};

/// The GGUF files of a repository.
struct RepoModels {
    /// In the order in which they are chosen where no quantisation is named: preference().
    std::vector<Variant> variants;
    std::vector<Helper> helpers;
};
/// A helper is known by a word of its path (mmproj, mtp, imatrix, lora, …). Draft models and adapters count as models
/// where there is nothing else: that is what such a repository is for.
RepoModels models_of(const std::vector<RepoFile>& files);

/// Whether a name may mean a variant: any if it names none; otherwise by its quantisation, however it is written, or
/// by the name of its file.
bool is_meant(const Variant& variant, const ModelName& name);
/// The first variant that a name may mean. Errors name what there is.
Result<Variant> choose_variant(const RepoModels& models, const ModelName& name);

/// "mmproj-F16.gguf (projector), draft/x.gguf (draft model)", cut where it gets long.
std::string listed(std::span<const Helper> helpers);

/// "org/name:Q4_K_M".
std::string full_name(const std::string& repo, const Variant& variant);

}  // namespace godwit
