#include "template/format_spec.hpp"

#include <algorithm>
#include <cmath>

#include "base/utf8.hpp"
#include "template/print.hpp"

namespace godwit::jinja {

namespace {

// Of a number: sign and prefix, whole digits, and what follows them (point, fraction, exponent, %).
struct NumberParts {
    std::string head, digits, tail;
};

TracedText pad(const TracedText& body, const FormatSpec& spec, char otherwise, size_t head) {
    size_t width = static_cast<size_t>(spec.width), size = utf8_length(body.view());
    if (size >= width) return body;
    size_t missing = width - size;
    char align = spec.align ? spec.align : otherwise;
    size_t before = align == '<' ? 0 : align == '^' ? missing / 2 : missing;
    TracedText out;
    if (align != '=') head = 0;
    out.append(body, 0, head);
    for (size_t i = 0; i < before; ++i) out.append(spec.fill, Origin::Value);
    out.append(body, head, body.size());
    for (size_t i = before; i < missing; ++i) out.append(spec.fill, Origin::Value);
    return out;
}

// Separators between groups of `every` digits, and zeros before them until there are `width` characters.
std::string group_digits(std::string_view digits, char separator, size_t every, size_t width) {
    std::string reversed;
    size_t count = 0;
    for (auto digit = digits.rbegin(); digit != digits.rend() || reversed.size() < width; ++count) {
        if (count > 0 && count % every == 0) reversed += separator;
        reversed += digit != digits.rend() ? *digit++ : '0';
    }
    return std::string(reversed.rbegin(), reversed.rend());
}

Result<NumberParts> integer_parts(const Value& value, const FormatSpec& spec, bool percent) {
    __extension__ using Unsigned = unsigned __int128;
    Unsigned magnitude = static_cast<Unsigned>(value.integer);
    if (value.integer < 0) magnitude = -magnitude;
    NumberParts parts;
    if (value.integer < 0) parts.head.push_back('-');
    if (spec.alternate && std::string_view("xXob").find(spec.type) != std::string_view::npos && spec.type != '\0') {
        parts.tail = fmt::format("0{}", spec.type);
    }
    switch (spec.type) {
        case 'x':
            parts.digits = fmt::format("{:x}", magnitude);
            break;
        case 'X':
            parts.digits = fmt::format("{:X}", magnitude);
            break;
        case 'o':
            parts.digits = fmt::format("{:o}", magnitude);
            break;
        case 'b':
            parts.digits = fmt::format("{:b}", magnitude);
            break;
        default:
            parts.digits = fmt::format("{}", magnitude);
    }
    if (spec.precision >= 0) {
        if (!percent) return error("a precision is not allowed in the format of an integer");
        size_t wanted = static_cast<size_t>(spec.precision);
        if (parts.digits.size() < wanted) parts.digits.insert(0, wanted - parts.digits.size(), '0');
    }
    return parts;
}

// '{:.3}': as g, but a whole number below the precision keeps ".0", and the largest takes an exponent.
std::string general_digits(double magnitude, int precision) {
    precision = std::max(precision, 1);
    std::string digits = fmt::format("{:.{}e}", magnitude, precision - 1);
    size_t e = digits.find('e');
    int exponent = std::atoi(digits.c_str() + e + 1);
    bool fixed = exponent >= -4 && exponent < precision - 1;
    std::string tail = fixed ? "" : digits.substr(e);
    digits = fixed ? fmt::format("{:.{}f}", magnitude, precision - 1 - exponent) : digits.substr(0, e);
    if (digits.find('.') != std::string::npos) digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.ends_with('.')) digits.pop_back();
    if (fixed && digits.find('.') == std::string::npos) digits += ".0";
    return digits + tail;
}

std::string real_digits(double magnitude, const FormatSpec& spec) {
    int precision = spec.precision < 0 ? 6 : static_cast<int>(spec.precision);
    bool capital = spec.type >= 'A' && spec.type <= 'Z';
    if (std::isnan(magnitude)) return capital ? "NAN" : "nan";
    if (std::isinf(magnitude)) return capital ? "INF" : "inf";
    char type = spec.type == 'n' ? 'g' : spec.type == '%' || spec.type == 'F' ? 'f' : spec.type;
    if (type == 'g' || type == 'G') precision = std::max(precision, 1);
    if (type == '\0') return spec.precision < 0 ? float_repr(magnitude) : general_digits(magnitude, precision);
    if (spec.type == '%') magnitude *= 100;
    std::string format = fmt::format("{{:{}.{}{}}}", spec.alternate ? "#" : "", precision, type);
    std::string digits = fmt::format(fmt::runtime(format), magnitude);
    bool one_digit = spec.alternate && precision == 1 && (type == 'g' || type == 'G');
    if (one_digit && digits.size() == 3 && digits.ends_with(".0")) digits.pop_back();  // '2.': fmt writes a digit more
    return digits;
}

NumberParts real_parts(double number, const FormatSpec& spec) {
    NumberParts parts;
    parts.digits = real_digits(std::abs(number), spec);
    bool zero =
        parts.digits.substr(0, parts.digits.find_first_of("eE")).find_first_of("123456789infa") == std::string::npos;
    if (std::signbit(number) && !std::isnan(number) && !(spec.no_negative_zero && zero)) parts.head.push_back('-');
    size_t whole = std::min(parts.digits.find_first_not_of("0123456789"), parts.digits.size());
    parts.tail = parts.digits.substr(whole);
    parts.digits.erase(whole);
    if (spec.type == '%') parts.tail += '%';
    return parts;
}

}  // namespace

Result<int64_t> read_count(std::string_view text, size_t& at, int64_t limit) {
    int64_t count = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
        count = std::min<int64_t>(count * 10 + (text[at] - '0'), limit + 1);
    }
    if (count > limit) return error("a width or precision in a format is above {}", limit);
    return count;
}

Result<FormatSpec> read_format_spec(std::string_view text, char default_align) {
    FormatSpec spec;
    size_t at = 0;
    auto is_align = [](char c) { return c != '\0' && std::string_view("<>^=").find(c) != std::string_view::npos; };
    auto peek = [&] { return at < text.size() ? text[at] : '\0'; };
    auto skip = [&](char c) { return peek() == c && ++at > 0; };
    size_t fill = text.empty() ? 0 : next_utf8(text).size;
    bool filled = fill > 0 && text.size() > fill && is_align(text[fill]);
    if (filled) {
        spec.fill = text.substr(0, fill);
        spec.align = text[fill];
        at = fill + 1;
    } else if (is_align(peek())) {
        spec.align = text[at++];
    }
    if (peek() == '+' || peek() == ' ' || peek() == '-') spec.sign = text[at++];
    spec.no_negative_zero = skip('z');
    spec.alternate = skip('#');
    if (!filled && skip('0')) {
        spec.fill = "0";
        if (!spec.align && default_align == '>') spec.align = '=';
    }
    spec.width = TRY(read_count(text, at, kFormatWidthMax));
    if (peek() == ',' || peek() == '_') spec.group = text[at++];
    if (skip('.')) {
        if (peek() < '0' || peek() > '9') return error("the format lacks its precision");
        spec.precision = TRY(read_count(text, at, kFormatPrecisionMax));
    }
    if (at < text.size()) spec.type = text[at++];
    if (at != text.size()) return error("invalid format specifier '{}'", text.substr(0, 60));
    std::string_view groupable = spec.group == '_' ? "deEfFgG%boxX" : "deEfFgG%";
    if (spec.group && spec.type && groupable.find(spec.type) == std::string_view::npos) {
        return error("a format cannot have '{}' with '{}'", spec.group, spec.type);
    }
    return spec;
}

Result<TracedText> format_number(const Value& value, FormatSpec spec, bool percent) {
    constexpr std::string_view kIntegral = "dxXobn", kReal = "eEfFgGn%";
    bool integral = value.is_integral() && (spec.type == '\0' || kIntegral.find(spec.type) != std::string_view::npos);
    if (!integral && spec.type != '\0' && kReal.find(spec.type) == std::string_view::npos) {
        return error("unknown format code '{}' for a {}", spec.type, type_name(value));
    }
    if (integral && spec.no_negative_zero) return error("the format of an integer cannot have 'z'");
    double number = value.is(Type::Float) ? value.real : static_cast<double>(value.integer);
    NumberParts parts = integral ? TRY(integer_parts(value, spec, percent)) : real_parts(number, spec);
    if (parts.head.empty() && (spec.sign == '+' || spec.sign == ' ')) parts.head = spec.sign;
    if (integral) parts.head += std::exchange(parts.tail, "");
    if (spec.group && !parts.digits.empty()) {
        bool by_four =
            integral && spec.type != '\0' && std::string_view("xXob").find(spec.type) != std::string_view::npos;
        size_t others = parts.head.size() + parts.tail.size(), width = static_cast<size_t>(spec.width);
        bool zeros = spec.align == '=' && spec.fill == "0" && width > others;
        parts.digits = group_digits(parts.digits, spec.group, by_four ? 4 : 3, zeros ? width - others : 0);
    }
    return pad(TracedText(parts.head + parts.digits + parts.tail, value.origin), spec, '>', parts.head.size());
}

TracedText format_text(const TracedText& text, const FormatSpec& spec, char otherwise) {
    if (spec.precision < 0) return pad(text, spec, otherwise, 0);
    size_t at = 0;
    for (int64_t i = 0; i < spec.precision && at < text.size(); ++i) at += next_utf8(text.view().substr(at)).size;
    return pad(text.slice(0, at), spec, otherwise, 0);
}

}  // namespace godwit::jinja
