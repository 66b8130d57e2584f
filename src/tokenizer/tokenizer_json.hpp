// Hugging Face's tokenizer.json: normalizers, pre-tokenizers, models, decoders and added tokens, as a Tokenizer. Ids
// and texts equal those of its library `tokenizers` 0.23, except:
// - Characters are classed by Unicode 14 or 15. There, punctuation, marks and controls are those of Unicode 8,
// normalisation is that of
//   Unicode 12, patterns that of Unicode 16: some 500 characters that are newer behave otherwise.
// - Text that looks like a byte token (`<0x41>`) never becomes one, and a special token comes out of text only where it
// is looked for.
// - An added token decodes to its own text, whatever letters of bytes it holds; ill-formed bytes stay bytes.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.hpp"
#include "tokenizer/tokenizer.hpp"

namespace godwit {

/// `json`: tokenizer.json; `config`: tokenizer_config.json, or empty: its bos_token, eos_token, add_bos_token,
/// add_eos_token and chat_template count. Checks everything (invariant I4). Errors name the path: "tokenizer.json:
/// decoder.decoders[2].type: …". What is not supported is refused: dropout, the decoder CTC, the pre-tokenizer
/// UnicodeScripts, a class inside a class of a pattern, decoders behind Fuse (but Strip at the beginning), two special
/// tokens on one side of a prompt, a token that is there twice, an added token whose id is not the one that the model
/// has for its text, stages that make texts more than 256 times longer.
Result<std::unique_ptr<Tokenizer>> read_tokenizer_json(std::string_view json, std::string_view config = {});

}  // namespace godwit
