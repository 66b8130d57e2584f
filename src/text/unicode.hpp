// Unicode as tokenizers and templates need it: classes of characters, normalisation forms. Letter case:
// letter_case.hpp. Data: utf8proc (Unicode 15.0).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace godwit {

bool is_punctuation(char32_t c);      // P*, and all of ASCII's signs
bool is_mark(char32_t c);             // M*
bool is_nonspacing_mark(char32_t c);  // Mn
bool is_numeric(char32_t c);          // N*
bool is_other(char32_t c);            // Cc, Cf, Co: controls, formats, private use
bool is_word_character(char32_t c);   // \w: letters, marks, decimal digits, connectors

/// Python's str.isspace() of one character: White_Space and the separators U+001C to U+001F.
bool is_space(char32_t c);
bool is_printable(char32_t c);  // str.isprintable()
bool is_letter(char32_t c);     // L*: str.isalpha()
/// The value of a decimal digit of any script (Nd: str.isdecimal()).
std::optional<int> decimal_digit(char32_t c);
bool has_digit_value(char32_t c);    // str.isdigit(): also ²
bool has_numeric_value(char32_t c);  // str.isnumeric(): also ½ and 一
bool begins_identifier(char32_t c);  // XID_Start and _
bool continues_identifier(char32_t c);

enum class NormalForm { Nfc, Nfd, Nfkc, Nfkd };

/// Ill-formed bytes stay as they are and part what lies left and right. Time: n log n at worst, in the longest run of
/// marks.
std::string normal_form(std::string_view text, NormalForm form);

/// Whether a grapheme cluster may end between two characters (UAX 29). `state`: 0 at first, then what the last call
/// left.
bool grapheme_break(char32_t before, char32_t after, int32_t& state);

/// Of a terminal, for a character by itself: 0 to 2. A cluster's width is not the sum.
int terminal_columns(char32_t c);

}  // namespace godwit
