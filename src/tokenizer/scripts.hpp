// The scripts of characters, as Hugging Face's pre-tokenizer UnicodeScripts tells them apart (Unicode 9; Han, Hiragana
// and Katakana are one).
#pragma once

#include <cstdint>
#include <span>

namespace godwit {

/// Characters first … last are of `script`, a number from 1.
struct ScriptRange {
    uint32_t first, last;
    uint8_t script;
};

/// Ascending. Characters in none, the space among them, stay with what is before them.
std::span<const ScriptRange> script_ranges();

}  // namespace godwit
