// The stages that a tokenizer.json describes. Errors name the path.
#pragma once

#include "base/result.hpp"
#include "tokenizer/decoder.hpp"
#include "tokenizer/json_node.hpp"
#include "tokenizer/normalizer.hpp"
#include "tokenizer/splitter.hpp"

namespace godwit {

/// The members normalizer, pre_tokenizer and decoder. Absent or null: no stage; no decoder means a space between
/// tokens.
Result<Normalizers> read_normalizers(const JsonNode& root);
Result<Splitters> read_splitters(const JsonNode& root);
Result<Decoder> read_decoder(const JsonNode& root);

/// Whether the pre-tokenizer or the normalizer writes bytes in GPT-2's alphabet.
bool has_byte_level(const JsonNode& root);

}  // namespace godwit
