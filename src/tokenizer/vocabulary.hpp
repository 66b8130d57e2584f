// The raw contents of a tokenizer as a model file carries them: plain data, filled by model/read_vocabulary.cpp from
// GGUF keys, judged by make_tokenizer(). Strings are views into the model file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace godwit {

using TokenId = int32_t;

/// tokenizer.ggml.token_type
enum class TokenType : uint8_t { Normal = 1, Unknown = 2, Control = 3, UserDefined = 4, Unused = 5, Byte = 6 };

struct Vocabulary {
    std::string model;                     // tokenizer.ggml.model: "gpt2", "llama", "gemma4", "bert", "t5"
    std::string pre;                       // tokenizer.ggml.pre; empty: absent
    std::vector<std::string_view> tokens;  // by id
    std::vector<float> scores;             // by id, or empty
    std::vector<TokenType> types;          // by id, or empty: all Normal
    std::vector<std::string_view> merges;  // "a b", best first
    std::optional<uint32_t> bos, eos, eot, eom, unknown, cls, sep;
    std::optional<bool> add_bos, add_eos, add_sep, add_space_prefix;
    std::optional<bool> remove_extra_whitespaces, lowercase, strip_accents;  // how the text is normalised
    std::string_view charsmap;                                               // tokenizer.ggml.precompiled_charsmap
    std::string general_name;    // general.name: some files need it to know how added tokens behave
    std::string chat_templates;  // all of them, one after another: markers are the user-defined tokens that occur here
};

}  // namespace godwit
