// A loaded model: its file, plan, tokenizer and weights on a device. Immutable after load(); any thread may use the
// tokenizer, the engine's thread the rest. Everything that could be wrong with the file was found at load (invariant
// I4).
#pragma once

#include <memory>
#include <string>

#include "backend/device.hpp"
#include "base/result.hpp"
#include "file/model_file.hpp"
#include "model/plan.hpp"
#include "model/weights.hpp"
#include "tokenizer/tokenizer.hpp"

namespace godwit {

class ChatTemplate;  // dialect/chat_template.hpp would bring all of JSON into every file

/// A file with its plan and its tokenizer, all checked for a device, before any weight is laid out.
struct CheckedModel {
    ModelFile file;
    ModelPlan plan;
    std::unique_ptr<Tokenizer> tokenizer;
    std::shared_ptr<const ChatTemplate> chat_template;  // null: the file has none
    std::vector<std::string> warnings;  // a line for each fault of the file that does not matter to answers
};

struct Model {
    ModelFile file;
    ModelPlan plan;
    std::unique_ptr<Tokenizer> tokenizer;
    std::shared_ptr<const ChatTemplate> chat_template;
    Weights weights;

    /// Opens, validates as a whole, and lays the weights out. Errors: one line, `path: what (fix)`.
    static Result<std::unique_ptr<Model>> load(const std::string& path, Device& device);
    /// The second half of it.
    static Result<std::unique_ptr<Model>> load(CheckedModel checked, Device& device, const LoadProgress& progress);
};

/// Opens and validates as a whole. Errors as of Model::load.
Result<CheckedModel> check_model(const std::string& path, const Device& device);

/// The file and its tokenizer alone, whatever the architecture (for render; for tokenize by open_tokenizer()).
struct TokenizerFile {
    ModelFile file;
    std::unique_ptr<Tokenizer> tokenizer;
};
Result<TokenizerFile> load_tokenizer(const std::string& path);

}  // namespace godwit
