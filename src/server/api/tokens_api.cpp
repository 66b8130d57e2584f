#include "server/api/tokens_api.hpp"

#include "server/api/openai_chat.hpp"
#include "server/api/token_text.hpp"

namespace godwit::api {
namespace {

ApiResult<std::vector<TokenId>> tokens_of(Fields& fields, const ServedModel& model) {
    if (fields.has("messages")) return read_chat_prompt(fields, model.engine->model());
    const char* name = fields.has("content") ? "content" : "prompt";
    if (!fields.has(name)) return ApiError(400, "prompt: it is missing (or content, or messages)").about("prompt");
    std::string text = fields.text(name, "");
    bool special = fields.flag("add_special_tokens", fields.flag("add_special", true));
    TRY(fields.check());
    return special ? model.engine->tokenize(text) : model.tokenizer().encode(text, Specials::All);
}

}  // namespace

ApiResult<void> tokenize(Call& call, const Models& models, const Json& body) {
    Fields fields(body);
    const ServedModel& model = *TRY(models.of(fields));
    call.record().model = model.id;
    std::vector<TokenId> tokens = TRY(tokens_of(fields, model));
    bool strings = fields.flag("return_token_strs", fields.flag("with_pieces", false));
    TRY(fields.check());
    Json answer = {{"count", tokens.size()}, {"max_model_len", model.context()}, {"tokens", tokens}};
    if (strings) {
        answer["token_strs"] = Json::array();
        for (TokenId token : tokens) answer["token_strs"].push_back(token_name(model.tokenizer(), token));
    }
    call.respond(answer);
    return {};
}

void tokenizer_info(Call& call, const Models& models) {
    const Tokenizer& tokenizer = models.all().front()->tokenizer();
    auto text = [&](std::optional<TokenId> token) { return token ? Json(tokenizer.bytes(*token, true)) : Json(); };
    call.respond({{"bos_token", text(tokenizer.bos())}, {"eos_token", text(tokenizer.eos())}});
}

ApiResult<void> detokenize(Call& call, const Models& models, const Json& body) {
    Fields fields(body);
    const ServedModel& model = *TRY(models.of(fields));
    call.record().model = model.id;
    const Json* list = fields.array("tokens");
    TRY(fields.check());
    if (list == nullptr) return ApiError(400, "tokens: it is missing").about("tokens");
    std::vector<TokenId> tokens = fields.token_ids("tokens", *list, model.tokenizer().size());
    TRY(fields.check());
    std::string text = model.tokenizer().decode(tokens, true);
    call.respond({{"prompt", text}, {"content", text}});
    return {};
}

}  // namespace godwit::api
