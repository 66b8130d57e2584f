// GPT-2's alphabet: a printable letter for each of the 256 bytes, in which byte-level BPE vocabularies are written.
// 33–126, 161–172 and 174–255 stand for themselves; the others, in order, are U+0100 and up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace godwit {

/// The letter of a byte, as UTF-8.
std::string_view byte_letter(uint8_t byte);

/// The bytes that `text` spells; nothing if it holds anything but letters of the alphabet.
std::optional<std::string> decode_byte_letters(std::string_view text);

}  // namespace godwit
