#include "server/api/models.hpp"

#include <ctime>

#include "base/printable.hpp"

namespace godwit::api {
namespace {

ApiError unknown_model(const Models& models, std::string_view id) {
    std::string names;
    for (const auto& model : models.all()) names += (names.empty() ? "" : ", ") + model->id;
    return ApiError(404, fmt::format("model: '{}' is not served here (there is: {})", printable(id), names))
        .about("model")
        .coded("model_not_found");
}

std::string iso_time(int64_t unix_time) {
    auto time = static_cast<std::time_t>(unix_time);
    std::tm parts{};
    ::gmtime_r(&time, &parts);
    char text[40];
    return {text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

Json openai_form(const ServedModel& model) {
    int64_t context = model.context();
    return {{"id", model.id},
            {"object", "model"},
            {"created", model.created},
            {"owned_by", "godwit"},
            {"max_model_len", context},
            {"meta", {{"n_ctx", context}, {"n_ctx_train", model.engine->model().plan.context}}}};
}

Json anthropic_form(const ServedModel& model) {
    return {{"type", "model"},
            {"id", model.id},
            {"display_name", model.id},
            {"created_at", iso_time(model.created)},
            {"max_input_tokens", model.context()},
            {"max_tokens", model.context()}};
}

/// Anthropic's clients share the path.
bool wants_anthropic(const Call& call) { return !call.request().header("anthropic-version").empty(); }

}  // namespace

ServedModel* Models::find(std::string_view id) const {
    for (const auto& model : models_)
        if (model->id == id) return model.get();
    return nullptr;
}

ApiResult<ServedModel*> Models::of(Fields& fields) const {
    std::string id = fields.text("model", models_.front()->id);
    TRY(fields.check());
    ServedModel* model = find(id);
    if (model == nullptr) return unknown_model(*this, id);
    return model;
}

void list_models(Call& call, const Models& models) {
    bool anthropic = wants_anthropic(call);
    Json list = Json::array();
    for (const auto& model : models.all()) list.push_back(anthropic ? anthropic_form(*model) : openai_form(*model));
    if (!anthropic) return call.respond({{"object", "list"}, {"data", list}});
    call.respond(
        {{"data", list}, {"has_more", false}, {"first_id", list.front()["id"]}, {"last_id", list.back()["id"]}});
}

ApiResult<void> show_model(Call& call, const Models& models, std::string_view id) {
    const ServedModel* model = models.find(id);
    if (model == nullptr) return unknown_model(models, id);
    call.respond(wants_anthropic(call) ? anthropic_form(*model) : openai_form(*model));
    return {};
}

}  // namespace godwit::api
