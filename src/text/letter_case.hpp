// Letter case as Python's str has it: Unicode's full mappings, which may give several characters.
#pragma once

#include <string>

namespace godwit {

bool is_upper(char32_t c);  // Lu and Other_Uppercase
bool is_lower(char32_t c);  // Ll and Other_Lowercase
bool is_title(char32_t c);  // Lt
/// Whether the search for a cased letter around a sigma goes on past the character (Case_Ignorable).
bool is_case_ignorable(char32_t c);

enum class Case { Upper, Lower, Title, Fold };

/// Appends the unconditional full mapping (ß: SS). That of the final sigma is left to the caller.
void append_case(std::string& out, char32_t c, Case to);

}  // namespace godwit
