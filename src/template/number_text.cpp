#include "template/number_text.hpp"

#include <algorithm>
#include <limits>

#include "base/utf8.hpp"
#include "template/string_literal.hpp"
#include "text/unicode.hpp"

namespace godwit::jinja {

namespace {

// Without white space around it, digits of all scripts as ASCII, letters small. Nothing else is valid in a number, so
// other characters become '?'.
std::string plain(std::string_view text) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
        Utf8Unit unit = next_utf8(text.substr(at));
        char32_t c = unit.code_point;
        at += unit.size;
        if (auto digit = decimal_digit(c)) {
            out += static_cast<char>('0' + *digit);
        } else if (is_space(c)) {
            out += ' ';
        } else {
            out += c >= 0x80 ? '?' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c);
        }
    }
    size_t begin = std::min(out.find_first_not_of(' '), out.size());
    return out.substr(begin, out.find_last_not_of(' ') + 1 - begin);
}

// Drops single underscores between digits; false where one stands elsewhere.
bool drop_underscores(std::string& digits) {
    auto is_alnum = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); };
    std::string out;
    for (size_t i = 0; i < digits.size(); ++i) {
        if (digits[i] != '_') {
            out += digits[i];
        } else if (i == 0 || i + 1 == digits.size() || !is_alnum(digits[i - 1]) || !is_alnum(digits[i + 1])) {
            return false;
        }
    }
    digits = std::move(out);
    return true;
}

}  // namespace

Result<std::optional<Integer>> parse_int(std::string_view text, int64_t base) {
    if (base != 0 && (base < 2 || base > 36)) return error("int() base must be >= 2 and <= 36, or 0");
    std::string digits = plain(text);
    bool negative = digits.starts_with('-');
    if (negative || digits.starts_with('+')) digits.erase(0, 1);
    static constexpr std::pair<std::string_view, int64_t> kPrefixes[] = {{"0x", 16}, {"0o", 8}, {"0b", 2}};
    for (auto [prefix, meaning] : kPrefixes) {
        if ((base != 0 && base != meaning) || !digits.starts_with(prefix)) continue;
        digits.erase(0, digits.size() > 2 && digits[2] == '_' ? 3 : 2);
        base = meaning;
        break;
    }
    if (base == 0) base = 10;
    if (digits.empty() || !drop_underscores(digits)) return std::optional<Integer>();
    Integer number = 0;
    for (char c : digits) {
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
        if (digit >= base) return std::optional<Integer>();
        if (__builtin_mul_overflow(number, static_cast<Integer>(base), &number) ||
            __builtin_add_overflow(number, Integer{digit}, &number)) {
            return error("the integer {} is too large", std::string_view(digits).substr(0, 60));
        }
    }
    return std::optional<Integer>(negative ? -number : number);
}

std::optional<double> parse_float(std::string_view text) {
    std::string digits = plain(text);
    bool negative = digits.starts_with('-');
    if (negative || digits.starts_with('+')) digits.erase(0, 1);
    double sign = negative ? -1.0 : 1.0;
    if (digits == "inf" || digits == "infinity") return sign * std::numeric_limits<double>::infinity();
    if (digits == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (!drop_underscores(digits)) return std::nullopt;
    size_t at = 0, seen = 0;
    auto skip_digits = [&] {
        for (; at < digits.size() && digits[at] >= '0' && digits[at] <= '9'; ++at) ++seen;
    };
    skip_digits();
    if (at < digits.size() && digits[at] == '.') ++at, skip_digits();
    if (seen == 0) return std::nullopt;
    if (at < digits.size() && digits[at] == 'e') {
        ++at;
        if (at < digits.size() && (digits[at] == '+' || digits[at] == '-')) ++at;
        size_t mantissa = std::exchange(seen, 0);
        skip_digits();
        if (seen == 0 || mantissa == 0) return std::nullopt;
    }
    if (at != digits.size()) return std::nullopt;
    return sign * parse_decimal(digits);
}

}  // namespace godwit::jinja
