// UTF-8 as the Unicode standard defines it (chapter 3, table 3-7): well-formed sequences, and the maximal subparts of
// ill-formed ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace godwit {

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";  // U+FFFD

enum class Utf8Form : uint8_t {
    WellFormed,
    IllFormed,
    Cut,  // the text ends inside a sequence that more bytes could complete
};

/// One code point, or what stands in its place.
struct Utf8Unit {
    char32_t code_point = 0;  // U+FFFD unless well-formed
    uint32_t size = 0;        // bytes: 1 to 4; of an ill-formed sequence its maximal subpart, 1 to 3
    Utf8Form form = Utf8Form::WellFormed;
};

/// The unit that `text` (not empty) begins with.
Utf8Unit next_utf8(std::string_view text);

/// `text` with U+FFFD for every maximal ill-formed subpart, one that is cut by the end included.
std::string replace_ill_formed(std::string_view text);

/// The number of units of `text`: code points, where it is well-formed.
size_t utf8_length(std::string_view text);

/// Appends a code point up to U+10FFFF, no surrogate.
void append_utf8(std::string& out, char32_t code_point);

/// Unicode's property White_Space.
bool is_white_space(char32_t code_point);

}  // namespace godwit
