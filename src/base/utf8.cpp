#include "base/utf8.hpp"

namespace godwit {

Utf8Unit next_utf8(std::string_view text) {
    constexpr char32_t kReplacement = 0xFFFD;
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80) return {lead, 1, Utf8Form::WellFormed};
    if (lead < 0xC2 || lead > 0xF4) return {kReplacement, 1, Utf8Form::IllFormed};

    const uint32_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    // Table 3-7: after four leads the second byte has a narrower range; it keeps out overlong forms, surrogates and
    // what lies above U+10FFFF.
    unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    auto code_point = static_cast<char32_t>(lead & (0x7F >> size));
    for (uint32_t i = 1; i < size; ++i) {
        if (i == text.size()) return {kReplacement, i, Utf8Form::Cut};
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < low || byte > high) return {kReplacement, i, Utf8Form::IllFormed};
        code_point = code_point << 6 | (byte & 0x3F);
        low = 0x80;
        high = 0xBF;
    }
    return {code_point, size, Utf8Form::WellFormed};
}

std::string replace_ill_formed(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const Utf8Unit unit = next_utf8(text);
        out += unit.form == Utf8Form::WellFormed ? text.substr(0, unit.size) : kReplacementCharacter;
        text.remove_prefix(unit.size);
    }
    return out;
}

size_t utf8_length(std::string_view text) {
    size_t count = 0;
    for (; !text.empty(); ++count) text.remove_prefix(next_utf8(text).size);
    return count;
}

void append_utf8(std::string& out, char32_t c) {
    auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xC0 | c >> 6);
        tail(0);
    } else if (c < 0x10000) {
        out += static_cast<char>(0xE0 | c >> 12);
        tail(6);
        tail(0);
    } else {
        out += static_cast<char>(0xF0 | c >> 18);
        tail(12);
        tail(6);
        tail(0);
    }
}

bool is_white_space(char32_t c) {
    return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

}  // namespace godwit
