// A tokenizer alone, from whatever file has one.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "tokenizer/tokenizer.hpp"

namespace godwit {

/// Of a GGUF file, of a tokenizer.json (any file named *.json), or of a folder that holds one; tokenizer_config.json
/// beside it counts. Errors: one line, `path: what (fix)`.
Result<std::unique_ptr<Tokenizer>> open_tokenizer(const std::string& path);

}  // namespace godwit
