// The keys of a GGUF file that are about text: types are checked here, contents by make_tokenizer() and
// ChatTemplate::make().
#pragma once

#include <optional>

#include "base/result.hpp"
#include "dialect/chat_template.hpp"
#include "file/metadata.hpp"
#include "tokenizer/tokenizer.hpp"
#include "tokenizer/vocabulary.hpp"

namespace godwit {

/// The texts of the vocabulary by id, views into the model file. Errors: none, or no texts.
Result<std::vector<std::string_view>> read_tokens(const Metadata& metadata);

/// The views of the result point into the model file. Errors name the key. The id of a special token that no prompt or
/// answer needs (padding, mask, …) is left out where it names no token, with a line in `warnings`.
Result<Vocabulary> read_vocabulary(const Metadata& metadata, std::vector<std::string>& warnings);

/// Whether read_chat_template() would find one, or a fault in it.
bool has_chat_template(const Metadata& metadata);
/// The keys tokenizer.chat_template and tokenizer.chat_template.NAME, with the special tokens that the file names;
/// none: the file has no template. `tokenizer` is the one of the same file.
Result<std::optional<ChatTemplate>> read_chat_template(const Metadata& metadata, const Tokenizer& tokenizer);

}  // namespace godwit
