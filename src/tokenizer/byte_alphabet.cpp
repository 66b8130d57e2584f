#include "tokenizer/byte_alphabet.hpp"

#include <array>

#include "base/utf8.hpp"

namespace godwit {
namespace {

constexpr int kFirstShifted = 0x100;

struct Alphabet {
    std::array<std::array<char, 2>, 256> letters{};    // by byte: UTF-8, one byte below U+0080
    std::array<int16_t, kFirstShifted + 256> bytes{};  // by code point; -1: no letter
};

constexpr Alphabet make_alphabet() {
    Alphabet alphabet;
    alphabet.bytes.fill(-1);
    int shifted = kFirstShifted;
    for (int byte = 0; byte < 256; ++byte) {
        const bool itself = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
        const int letter = itself ? byte : shifted++;
        alphabet.bytes[letter] = static_cast<int16_t>(byte);
        if (letter < 0x80) alphabet.letters[byte] = {static_cast<char>(letter), 0};
        else
            alphabet.letters[byte] = {static_cast<char>(0xC0 | letter >> 6), static_cast<char>(0x80 | (letter & 0x3F))};
    }
    return alphabet;
}

constexpr Alphabet kAlphabet = make_alphabet();

}  // namespace

std::string_view byte_letter(uint8_t byte) {
    const auto& letter = kAlphabet.letters[byte];
    return {letter.data(), letter[1] == 0 ? size_t{1} : size_t{2}};
}

std::optional<std::string> decode_byte_letters(std::string_view text) {
    std::string bytes;
    while (!text.empty()) {
        const Utf8Unit unit = next_utf8(text);
        if (unit.code_point >= kAlphabet.bytes.size() || kAlphabet.bytes[unit.code_point] < 0) return std::nullopt;
        bytes += static_cast<char>(kAlphabet.bytes[unit.code_point]);
        text.remove_prefix(unit.size);
    }
    return bytes;
}

}  // namespace godwit
