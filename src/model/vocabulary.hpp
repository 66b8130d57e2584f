// The tokenizer's keys of a GGUF file as a Vocabulary: types checked here, contents by make_tokenizer().
#pragma once

#include "base/result.hpp"
#include "file/metadata.hpp"
#include "text/vocabulary.hpp"

namespace godwit {

/// The views of the result point into the model file. Errors name the key.
Result<Vocabulary> read_vocabulary(const Metadata& metadata);

}  // namespace godwit
