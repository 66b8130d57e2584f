// Names of models on a hub, as people and other tools write them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace godwit {

/// A repository and which of its variants.
struct ModelName {
    std::string repo;  // "organisation/name"
    std::string tag;   // what is asked for after the colon: a quantisation, or the name of a file; may be empty
};

/// "org/name" or "org/name:Q4_K_M" (":latest" and "@Q4_K_M" as other tools write them), both also after "hf.co/" or
/// "huggingface.co/", with "https://" or "hf://" or not; and the addresses of the hub's own pages, of a repository or a
/// file in it. Errors: any other form, and whatever could leave the folder of downloads.
Result<ModelName> parse_model_name(std::string_view text);
/// Whether a text that is no file here is meant as a name: it has one slash, or is on the hub's host, and does not end
/// like a file.
bool looks_like_model_name(std::string_view text);

}  // namespace godwit
