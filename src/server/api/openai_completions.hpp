// POST /v1/completions: prompts continued as they stand.
#pragma once

#include "server/api/models.hpp"

namespace godwit::api {

/// Worker thread. Error: nothing was answered yet.
ApiResult<void> completions(const std::shared_ptr<Call>& call, const Models& models, const Json& body);

}  // namespace godwit::api
