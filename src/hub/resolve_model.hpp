// What a command's MODEL means: a file, or a model of the store.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "hub/store.hpp"

namespace godwit {

/// The path of MODEL: itself if it is a file, or if it cannot be a name; otherwise the first file of the pulled model
/// of this name. Errors: not there (with the nearest name, how to get it, and what is pulled); a folder.
Result<std::string> resolve_model(const std::string& model);

/// The pulled model that a misspelt name likely means; null: none is near.
const StoredModel* nearest_model(std::string_view text, std::span<const StoredModel> models);

}  // namespace godwit
