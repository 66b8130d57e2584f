#include "model/model.hpp"

#include "model/read_vocabulary.hpp"
#include "model/registry.hpp"

namespace godwit {
namespace {

/// Errors below the container do not know the path.
template <class T>
Result<T> at(const std::string& path, Result<T> result) {
    if (result.ok()) return result;
    return error("{}: {}", path, result.error().message);
}

Result<std::unique_ptr<Tokenizer>> read_tokenizer(const ModelFile& file, std::vector<std::string>& warnings) {
    return make_tokenizer(TRY(read_vocabulary(file.metadata(), warnings)));
}

}  // namespace

Result<CheckedModel> check_model(const std::string& path, const Device& device) {
    ModelFile file = TRY(ModelFile::open(path));
    TRY(at(path, check_is_model(file.metadata())));
    ModelPlan plan = TRY(at(path, plan_model(file)));
    TRY(at(path, check_tensors(file, plan, device)));
    std::vector<std::string> warnings;
    std::unique_ptr<Tokenizer> tokenizer = TRY(at(path, read_tokenizer(file, warnings)));
    auto found = TRY(at(path, read_chat_template(file.metadata(), *tokenizer)));
    auto chat_template = found ? std::make_shared<const ChatTemplate>(*std::move(found)) : nullptr;
    return CheckedModel{std::move(file), std::move(plan), std::move(tokenizer), std::move(chat_template),
                        std::move(warnings)};
}

Result<TokenizerFile> load_tokenizer(const std::string& path) {
    ModelFile file = TRY(ModelFile::open(path));
    std::vector<std::string> ignored;
    std::unique_ptr<Tokenizer> tokenizer = TRY(at(path, read_tokenizer(file, ignored)));
    return TokenizerFile{std::move(file), std::move(tokenizer)};
}

Result<std::unique_ptr<Model>> Model::load(const std::string& path, Device& device) {
    return load(TRY(check_model(path, device)), device, {});
}

Result<std::unique_ptr<Model>> Model::load(CheckedModel checked, Device& device, const LoadProgress& progress) {
    Weights weights = TRY(at(checked.file.path(), Weights::load(checked.file, checked.plan, device, progress)));
    checked.file.drop_all();  // metadata, and what stands between tensors
    return std::make_unique<Model>(Model{std::move(checked.file), std::move(checked.plan), std::move(checked.tokenizer),
                                         std::move(checked.chat_template), std::move(weights)});
}

}  // namespace godwit
