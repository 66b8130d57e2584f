#include "template/format.hpp"

#include <algorithm>
#include <cmath>

#include "base/utf8.hpp"
#include "template/methods.hpp"
#include "template/print.hpp"

namespace godwit::jinja {

namespace {

constexpr int64_t kWidthMax = 1'000'000, kPrecisionMax = 1'000;

struct Spec {
    std::string_view fill = " ";
    char align = '\0';  // < > ^ =
    char sign = '\0';   // + or space
    bool alternate = false;
    char group = '\0';  // , or _
    int64_t width = 0;
    int64_t precision = -1;
    char type = '\0';
};

size_t code_points(std::string_view text) {
    size_t count = 0;
    for (size_t at = 0; at < text.size(); ++count) at += next_utf8(text.substr(at)).size;
    return count;
}

// Reads digits at `at`; refuses what is above `limit`.
Result<int64_t> read_count(std::string_view text, size_t& at, int64_t limit) {
    int64_t count = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
        count = std::min<int64_t>(count * 10 + (text[at] - '0'), limit + 1);
    }
    if (count > limit) return error("a width or precision in a format is above {}", limit);
    return count;
}

TracedText pad(const TracedText& body, const Spec& spec, char otherwise, size_t sign_size) {
    size_t width = static_cast<size_t>(spec.width), size = code_points(body.view());
    if (size >= width) return body;
    size_t missing = width - size;
    char align = spec.align ? spec.align : otherwise;
    size_t before = align == '<' ? 0 : align == '^' ? missing / 2 : missing;
    TracedText out;
    size_t head = align == '=' ? sign_size : 0;
    out.append(body, 0, head);
    for (size_t i = 0; i < before; ++i) out.append(spec.fill, Origin::Value);
    out.append(body, head, body.size());
    for (size_t i = before; i < missing; ++i) out.append(spec.fill, Origin::Value);
    return out;
}

void group_digits(std::string& digits, char separator, size_t every) {
    size_t end = digits.find_first_not_of("0123456789abcdefABCDEF");
    if (end == std::string::npos) end = digits.size();
    for (size_t at = end; at > every; at -= every) digits.insert(at - every, 1, separator);
}

Result<std::string> integer_digits(const Value& value, const Spec& spec, std::string& prefix) {
    __extension__ using Unsigned = unsigned __int128;
    Unsigned magnitude = static_cast<Unsigned>(value.integer);
    if (value.integer < 0) magnitude = -magnitude;
    if (spec.alternate && spec.type != 'd') prefix = fmt::format("0{}", spec.type);
    switch (spec.type) {
        case 'x':
            return fmt::format("{:x}", magnitude);
        case 'X':
            return fmt::format("{:X}", magnitude);
        case 'o':
            return fmt::format("{:o}", magnitude);
        case 'b':
            return fmt::format("{:b}", magnitude);
        default:
            return fmt::format("{}", magnitude);
    }
}

std::string real_digits(double magnitude, const Spec& spec) {
    int precision = spec.precision < 0 ? 6 : static_cast<int>(spec.precision);
    if (std::isnan(magnitude)) return "nan";
    if (std::isinf(magnitude)) return "inf";
    switch (spec.type) {
        case 'e':
            return fmt::format("{:.{}e}", magnitude, precision);
        case 'E':
            return fmt::format("{:.{}E}", magnitude, precision);
        case 'f':
        case 'F':
            return fmt::format("{:.{}f}", magnitude, precision);
        case '%':
            return fmt::format("{:.{}f}%", magnitude * 100, precision);
        case 'G':
            return fmt::format("{:.{}G}", magnitude, std::max(precision, 1));
        case 'g':
            return fmt::format("{:.{}g}", magnitude, std::max(precision, 1));
        default:
            break;
    }
    if (spec.precision < 0) return float_repr(magnitude);
    std::string digits = fmt::format("{:.{}g}", magnitude, std::max(precision, 1));
    if (digits.find_first_not_of("0123456789") == std::string::npos) digits += ".0";
    return digits;
}

Result<TracedText> format_number(const Value& value, Spec spec) {
    std::string digits, prefix;
    bool negative = false;
    bool integral_type = spec.type == '\0' || std::string_view("dxXobn").find(spec.type) != std::string_view::npos;
    if (value.is_integral() && integral_type) {
        negative = value.integer < 0;
        if (spec.type == '\0' || spec.type == 'n') spec.type = 'd';
        digits = TRY(integer_digits(value, spec, prefix));
    } else {
        double number = value.is(Type::Float) ? value.real : static_cast<double>(value.integer);
        if (integral_type && spec.type != '\0') return error("unknown format code '{}' for a float", spec.type);
        negative = std::signbit(number);
        digits = real_digits(std::abs(number), spec);
    }
    if (spec.group) group_digits(digits, spec.group, integral_type && spec.type != 'd' && spec.type != '\0' ? 4 : 3);
    std::string head = negative ? "-" : spec.sign ? std::string(1, spec.sign) : "";
    head += prefix;
    return pad(TracedText(head + digits, value.origin), spec, '>', head.size());
}

TracedText cut(const TracedText& text, int64_t code_points_max) {
    size_t at = 0;
    for (int64_t i = 0; i < code_points_max && at < text.size(); ++i) at += next_utf8(text.view().substr(at)).size;
    return text.slice(0, at);
}

// The fields of '%…'.
class PercentFormatter {
public:
    PercentFormatter(Runtime& runtime, const Value& format, const Value& arguments)
        : runtime_(runtime), text_(text_of(format)), markup_(is_markup(format)), arguments_(arguments) {}

    Result<Value> run() {
        std::string_view bytes = text_.view();
        size_t begin = 0;
        while ((at_ = bytes.find('%', begin)) != std::string_view::npos) {
            out_.append(text_, begin, at_);
            ++at_;
            TRY(read_field());
            TRY(runtime_.spend(1 + out_.size() / 4096));
            TRY(runtime_.reserve(out_.size()));
            begin = at_;
        }
        out_.append(text_, begin, bytes.size());
        bool all = arguments_.is(Type::Dict) || next_ == argument_count();
        if (!all && !(by_name_ || arguments_.is(Type::List))) {
            return error("not all arguments converted during string formatting");
        }
        return runtime_.string(std::move(out_), markup_);
    }

private:
    size_t argument_count() const { return arguments_.is(Type::Tuple) ? list_of(arguments_).items.size() : 1; }

    Result<Value> next_argument() {
        if (next_ >= argument_count()) return error("not enough arguments for format string");
        size_t index = next_++;
        return arguments_.is(Type::Tuple) ? list_of(arguments_).items[index] : arguments_;
    }

    Result<void> read_field() {
        std::string_view bytes = text_.view();
        std::optional<Value> named;
        if (at_ < bytes.size() && bytes[at_] == '(') {
            size_t close = bytes.find(')', at_);
            if (close == std::string_view::npos) return error("incomplete format key");
            if (!arguments_.is(Type::Dict)) return error("format requires a mapping");
            by_name_ = true;
            std::string_view key = bytes.substr(at_ + 1, close - at_ - 1);
            const Value* found = dict_of(arguments_).find(key);
            if (found == nullptr) return error("the format needs the key '{}'", key);
            named = *found;
            at_ = close + 1;
        }
        Spec spec = TRY(read_spec());
        if (at_ >= bytes.size()) return error("incomplete format");
        spec.type = bytes[at_++];
        if (spec.type == '%') {
            out_.append(text_, at_ - 1, at_);
            return done();
        }
        Value value = named ? *named : TRY(next_argument());
        out_.append(TRY(format_field(value, spec)));
        return done();
    }

    Result<Spec> read_spec() {
        std::string_view bytes = text_.view();
        Spec spec;
        for (; at_ < bytes.size() && std::string_view("-+ #0").find(bytes[at_]) != std::string_view::npos; ++at_) {
            char flag = bytes[at_];
            if (flag == '-') spec.align = '<';
            if (flag == '+' || (flag == ' ' && !spec.sign)) spec.sign = flag;
            if (flag == '#') spec.alternate = true;
            if (flag == '0' && !spec.align) spec.align = '=', spec.fill = "0";
        }
        if (spec.align == '<') spec.fill = " ";
        spec.width = TRY(read_count(bytes, at_, kWidthMax));
        if (at_ < bytes.size() && bytes[at_] == '.') {
            ++at_;
            spec.precision = TRY(read_count(bytes, at_, kPrecisionMax));
        }
        return spec;
    }

    Result<TracedText> format_field(const Value& value, Spec spec) {
        switch (spec.type) {
            case 's':
            case 'r':
            case 'a':
            case 'c': {
                TracedText text = spec.type == 'r' ? TRY(repr(runtime_, value)) : TRY(to_text(runtime_, value));
                if (markup_ && !is_markup(value)) text = escape_html(text);
                if (spec.precision >= 0) text = cut(text, spec.precision);
                if (spec.align == '=') spec.align = '\0', spec.fill = " ";
                return pad(text, spec, '>', 0);
            }
            case 'd':
            case 'i':
            case 'u': {
                if (!value.is_number()) {
                    return error("%{} format: a real number is required, not {}", spec.type, type_name(value));
                }
                spec.type = 'd';
                if (!value.is(Type::Float)) return format_number(value, spec);
                if (!(std::abs(value.real) < 1e37)) return error("%d format: the number is too large");
                return format_number(int_value(static_cast<Integer>(value.real), value.origin), spec);
            }
            case 'x':
            case 'X':
            case 'o':
                if (!value.is_integral()) {
                    return error("%{} format: an integer is required, not {}", spec.type, type_name(value));
                }
                return format_number(value, spec);
            case 'e':
            case 'E':
            case 'f':
            case 'F':
            case 'g':
            case 'G':
                if (!value.is_number()) return error("must be real number, not {}", type_name(value));
                return format_number(value, spec);
            default:
                return error("unsupported format character '{}'", spec.type);
        }
    }

    Runtime& runtime_;
    const TracedText& text_;
    bool markup_;
    const Value& arguments_;
    size_t at_ = 0, next_ = 0;
    bool by_name_ = false;
    TracedText out_;
};

Result<Spec> read_brace_spec(std::string_view text) {
    Spec spec;
    size_t at = 0;
    auto is_align = [](char c) { return std::string_view("<>^=").find(c) != std::string_view::npos; };
    size_t fill = text.empty() ? 0 : next_utf8(text).size;
    if (text.size() > fill && fill > 0 && is_align(text[fill])) {
        spec.fill = text.substr(0, fill);
        spec.align = text[fill];
        at = fill + 1;
    } else if (!text.empty() && is_align(text[0])) {
        spec.align = text[at++];
    }
    auto skip = [&](std::string_view any) { return at < text.size() && any.find(text[at]) != std::string_view::npos; };
    if (skip("+- ")) spec.sign = text[at] == '-' ? '\0' : text[at], ++at;
    if (skip("#")) spec.alternate = true, ++at;
    if (skip("0")) {
        if (!spec.align) spec.align = '=', spec.fill = "0";
        ++at;
    }
    spec.width = TRY(read_count(text, at, kWidthMax));
    if (skip(",_")) spec.group = text[at++];
    if (skip(".")) spec.precision = TRY(read_count(text, ++at, kPrecisionMax));
    if (at < text.size()) spec.type = text[at++];
    if (at != text.size()) return error("invalid format specifier '{}'", text.substr(0, 60));
    return spec;
}

// The fields of '{…}'. A field within a format specifier is not supported.
class BraceFormatter {
public:
    BraceFormatter(Runtime& runtime, const Value& format, const Arguments& arguments)
        : runtime_(runtime), text_(text_of(format)), markup_(is_markup(format)), arguments_(arguments) {}

    Result<Value> run() {
        std::string_view bytes = text_.view();
        for (size_t at = 0; at < bytes.size();) {
            char c = bytes[at];
            bool doubled = at + 1 < bytes.size() && bytes[at + 1] == c;
            if ((c == '{' || c == '}') && doubled) {
                out_.append(text_, at, at + 1);
                at += 2;
            } else if (c == '}') {
                return error("single '}}' encountered in format string");
            } else if (c == '{') {
                size_t close = bytes.find('}', at);
                if (close == std::string_view::npos) return error("expected '}}' before end of string");
                TRY(append_field(bytes.substr(at + 1, close - at - 1)));
                TRY(runtime_.spend(1 + out_.size() / 4096));
                TRY(runtime_.reserve(out_.size()));
                at = close + 1;
            } else {
                size_t end = std::min(bytes.find_first_of("{}", at), bytes.size());
                out_.append(text_, at, end);
                at = end;
            }
        }
        return runtime_.string(std::move(out_), markup_);
    }

private:
    Result<Value> look_up(std::string_view name) {
        size_t end = std::min(name.find_first_of(".["), name.size());
        std::string_view first = name.substr(0, end);
        Value value;
        if (first.find_first_not_of("0123456789") == std::string_view::npos) {
            size_t at = 0;
            int64_t index = first.empty() ? next_++ : TRY(read_count(first, at, 1'000'000));
            if (index >= static_cast<int64_t>(arguments_.positional.size())) {
                return error("the format needs more than {} arguments", arguments_.positional.size());
            }
            value = arguments_.positional[static_cast<size_t>(index)];
        } else {
            auto found = std::find_if(arguments_.named.begin(), arguments_.named.end(),
                                      [&](const auto& argument) { return argument.first == first; });
            if (found == arguments_.named.end()) return error("the format needs the key '{}'", first);
            value = found->second;
        }
        for (name.remove_prefix(end); !name.empty(); name.remove_prefix(std::min(end, name.size()))) {
            bool bracket = name[0] == '[';
            end = bracket ? name.find(']') : std::min(name.find_first_of(".[", 1), name.size());
            if (end == std::string_view::npos) return error("missing ']' in format string");
            std::string_view part = name.substr(1, end - 1);
            bool index = bracket && !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
            size_t at = 0;
            Value key = index ? int_value(TRY(read_count(part, at, 1'000'000))) : runtime_.string(part);
            value = bracket ? TRY(item(runtime_, value, key)) : TRY(attribute(runtime_, value, part));
            if (bracket) ++end;
        }
        return value;
    }

    Result<void> append_field(std::string_view field) {
        size_t name_end = std::min(field.find_first_of("!:"), field.size());
        Value value = TRY(look_up(field.substr(0, name_end)));
        std::string_view rest = field.substr(name_end);
        bool as_repr = false, converted = false;
        if (rest.starts_with('!')) {
            if (rest.size() < 2) return error("expected a conversion after '!'");
            as_repr = rest[1] == 'r' || rest[1] == 'a';
            converted = true;
            rest.remove_prefix(2);
        }
        if (rest.starts_with(':')) rest.remove_prefix(1);
        Spec spec = TRY(read_brace_spec(rest));
        if (value.is_number() && !converted && (!value.is(Type::Bool) || !rest.empty()) && spec.type != 's') {
            out_.append(TRY(format_number(value, spec)));
            return done();
        }
        if (spec.type != '\0' && spec.type != 's') {
            return error("unknown format code '{}' for object of type '{}'", spec.type, type_name(value));
        }
        TracedText text = as_repr ? TRY(repr(runtime_, value)) : TRY(to_text(runtime_, value));
        if (markup_ && !is_markup(value)) text = escape_html(text);
        if (spec.precision >= 0) text = cut(text, spec.precision);
        out_.append(pad(text, spec, '<', 0));
        return done();
    }

    Runtime& runtime_;
    const TracedText& text_;
    bool markup_;
    const Arguments& arguments_;
    int64_t next_ = 0;
    TracedText out_;
};

}  // namespace

Result<Value> format_percent(Runtime& runtime, const Value& format, const Value& arguments) {
    return PercentFormatter(runtime, format, arguments).run();
}

Result<Value> format_braces(Runtime& runtime, const Value& format, const Arguments& arguments) {
    return BraceFormatter(runtime, format, arguments).run();
}

}  // namespace godwit::jinja
