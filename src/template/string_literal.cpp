#include "template/string_literal.hpp"

#include <charconv>
#include <limits>

#include "base/utf8.hpp"

namespace godwit::jinja {

namespace {

// A hexadecimal escape of `digits` digits after the letter at `at`; moves `at` to its last digit.
Result<void> append_hexadecimal(std::string& out, std::string_view text, size_t& at, size_t digits) {
    std::string_view number = text.substr(at + 1, digits);
    uint32_t code = 0;
    auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), code, 16);
    if (number.size() != digits || failed != std::errc() || end != number.data() + digits) {
        return error("truncated \\{} escape", text[at]);
    }
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
        return error("\\{}{} is no character", text[at], number);
    }
    append_utf8(out, code);
    at += digits;
    return done();
}

void append_octal(std::string& out, std::string_view text, size_t& at) {
    char32_t code = 0;
    size_t end = at;
    while (end < text.size() && end < at + 3 && text[end] >= '0' && text[end] <= '7') {
        code = code * 8 + static_cast<char32_t>(text[end++] - '0');
    }
    append_utf8(out, code);
    at = end - 1;
}

}  // namespace

Result<std::string> unescape_literal(std::string_view text) {
    static constexpr std::string_view kLetters = "abfnrtv\\'\"", kMeanings = "\a\b\f\n\r\t\v\\'\"";
    std::string out;
    out.reserve(text.size());
    for (size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '\\' || at + 1 == text.size()) {
            out += text[at];
            continue;
        }
        char c = text[++at];
        size_t letter = kLetters.find(c);
        if (c == '\n') continue;
        if (letter != std::string_view::npos) {
            out += kMeanings[letter];
        } else if (c == 'x' || c == 'u' || c == 'U') {
            TRY(append_hexadecimal(out, text, at, c == 'x' ? 2 : c == 'u' ? 4 : 8));
        } else if (c >= '0' && c <= '7') {
            append_octal(out, text, at);
        } else if (c == 'N') {
            return error("\\N escapes are not supported");
        } else {
            out += '\\';
            out += c;
        }
    }
    return out;
}

double parse_decimal(std::string_view text) {
    double number = 0;
    auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc::result_out_of_range) return number;
    bool negative = text.starts_with('-');
    size_t e = text.find_first_of("eE");
    bool tiny = e != std::string_view::npos ? text[e + 1] == '-' : text.find_first_not_of("-0.") > 300;
    double limit = tiny ? 0.0 : std::numeric_limits<double>::infinity();
    return negative ? -limit : limit;
}

}  // namespace godwit::jinja
