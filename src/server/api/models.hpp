// The models that are served, and GET /v1/models in OpenAI's and in Anthropic's form.
#pragma once

#include <memory>
#include <vector>

#include "server/api/call.hpp"
#include "server/api/fields.hpp"
#include "server/api/served_model.hpp"

namespace godwit::api {

/// Filled before the server takes requests for them, then only read: any thread.
class Models {
public:
    void add(std::unique_ptr<ServedModel> model) { models_.push_back(std::move(model)); }
    const std::vector<std::unique_ptr<ServedModel>>& all() const { return models_; }

    /// Null: no model of that name is served.
    ServedModel* find(std::string_view id) const;
    /// The one that the member `model` of a request names; without it the first. Error 404.
    ApiResult<ServedModel*> of(Fields& fields) const;

private:
    std::vector<std::unique_ptr<ServedModel>> models_;
};

void list_models(Call& call, const Models& models);
/// Error 404.
ApiResult<void> show_model(Call& call, const Models& models, std::string_view id);

}  // namespace godwit::api
