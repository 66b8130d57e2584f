// Unicode as the tokenizers need it: classes of characters, case, normalisation forms. Data: utf8proc (Unicode 15.0).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace godwit {

bool is_punctuation(char32_t c);      // P*, and all of ASCII's signs
bool is_mark(char32_t c);             // M*
bool is_nonspacing_mark(char32_t c);  // Mn
bool is_numeric(char32_t c);          // N*
bool is_other(char32_t c);            // Cc, Cf, Co: controls, formats, private use
bool is_word_character(char32_t c);   // \w: letters, marks, decimal digits, connectors

void append_utf8(std::string& out, char32_t c);

/// The unconditional full lower case of one character.
void append_lower(std::string& out, char32_t c);

enum class NormalForm { Nfc, Nfd, Nfkc, Nfkd };

/// Ill-formed bytes stay as they are and part what lies left and right. Time: n log n at worst, in the longest run of
/// marks.
std::string normal_form(std::string_view text, NormalForm form);

/// Whether a grapheme cluster may end between two characters (UAX 29). `state`: 0 at first, then what the last call
/// left.
bool grapheme_break(char32_t before, char32_t after, int32_t& state);

}  // namespace godwit
