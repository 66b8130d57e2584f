// The first stage of a tokenizer: rewrites a stretch of text before it is cut into pieces. One class a kind of
// tokenizer.json, with the same names; GGUF's tokenizers are built from the same ones. Ill-formed bytes pass all of
// them unchanged.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/regex.hpp"
#include "text/unicode.hpp"
#include "tokenizer/charsmap.hpp"

namespace godwit {

struct Stretch {
    std::string text;
    bool at_start = false;  // begins where the input begins
};

/// Immutable: any thread may apply it.
class Normalizer {
public:
    virtual ~Normalizer() = default;
    virtual void apply(Stretch& stretch) const = 0;
};

/// In order.
using Normalizers = std::vector<std::unique_ptr<Normalizer>>;

struct BertNormalization {
    bool clean_text = true, chinese_characters = true, strip_accents = true, lowercase = true;
};
void add_bert_normalizer(Normalizers& out, const BertNormalization& settings);

std::unique_ptr<Normalizer> make_lowercase();
std::unique_ptr<Normalizer> make_strip_accents();
std::unique_ptr<Normalizer> make_nmt();
std::unique_ptr<Normalizer> make_byte_letters_normalizer();
std::unique_ptr<Normalizer> make_normal_form(NormalForm form);
std::unique_ptr<Normalizer> make_strip(bool left, bool right);
std::unique_ptr<Normalizer> make_prepend(std::string prefix);
std::unique_ptr<Normalizer> make_precompiled(Charsmap map);
std::unique_ptr<Normalizer> make_replace(Regex pattern, std::string content);
/// `pattern` is not empty.
std::unique_ptr<Normalizer> make_replace(std::string pattern, std::string content);

/// `text` with each `pattern` (not empty) replaced.
std::string replace_all(std::string_view text, std::string_view pattern, std::string_view content);
std::string replace_all(std::string_view text, const Regex& pattern, std::string_view content);

/// The white space that `text` begins with, and `text` without that at its end.
size_t leading_space(std::string_view text);
std::string_view strip_end(std::string_view text);

}  // namespace godwit
