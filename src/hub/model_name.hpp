// Names of models on a hub, and which files of a repository they mean.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace godwit {

/// A repository and which of its variants.
struct ModelName {
    std::string repo;   // "organisation/name"
    std::string quant;  // as it was asked for; may be empty
};

/// "org/name", "org/name:Q4_K_M", either behind "hf.co/" or "huggingface.co/" (with "https://" or not). Errors: another
/// form, and all that could leave the folder of downloads.
Result<ModelName> parse_model_name(std::string_view text);
/// Whether a text that is no file here is meant as a name: it has one slash, or is on the hub's host, and does not end
/// like a file.
bool looks_like_model_name(std::string_view text);

/// A file of a repository; the path has slashes and no "..".
struct RepoFile {
    std::string path;
    uint64_t bytes = 0;
};
/// Whether a path may be one: relative, segments neither empty nor "." nor "..", printable ASCII without backslashes.
bool is_safe_path(std::string_view path);

/// One model of a repository: a GGUF file, or all parts of a split one in their order.
struct Variant {
    /// "Q4_K_M"; the file's name without its end where it says none, or where another variant has the same
    std::string quant;
    std::vector<RepoFile> files;
    uint64_t parts = 1;  // as the names say; files.size() if none is missing

    uint64_t bytes() const;
};

/// The models among the files of a repository, without projectors (mmproj) and importance matrices: in the order in
/// which they are chosen where no quantisation is named. That is Q4_K_M, the others of about four bits, then five, six
/// and eight, then three, then floats, then what is unknown by its name.
std::vector<Variant> variants_of(const std::vector<RepoFile>& files);

/// Whether a name may mean a variant: any if it names none, in any case of letters.
bool is_meant(const Variant& variant, const ModelName& name);
/// The first variant that a name may mean. Errors name what there is.
Result<Variant> choose_variant(std::span<const Variant> variants, const ModelName& name);

/// "org/name:Q4_K_M".
std::string full_name(const std::string& repo, const Variant& variant);

}  // namespace godwit
