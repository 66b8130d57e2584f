#include "template/format.hpp"

#include <algorithm>
#include <cmath>

#include "base/utf8.hpp"
#include "template/format_spec.hpp"
#include "template/methods.hpp"
#include "template/number_text.hpp"
#include "template/print.hpp"

namespace godwit::jinja {

namespace {

Result<TracedText> character(const Value& value) {
    if (value.integer < 0 || value.integer > 0x10FFFF) return error("a character's code must be below 0x110000");
    auto code = static_cast<char32_t>(value.integer);
    if (code >= 0xD800 && code < 0xE000) return error("a surrogate is no character");
    std::string bytes;
    append_utf8(bytes, code);
    return TracedText(bytes, value.origin);
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
        if (!is_mapping() && next_ < argument_count())
            return error("not all arguments converted during string formatting");
        return runtime_.string(std::move(out_), markup_);
    }

private:
    // What Python takes for a mapping, whose entries need not be used up.
    bool is_mapping() const {
        switch (arguments_.type) {
            case Type::Dict:
            case Type::List:
            case Type::Range:
            case Type::Bytes:
            case Type::Undefined:
                return true;
            default:
                return false;
        }
    }
    size_t argument_count() const { return arguments_.is(Type::Tuple) ? list_of(arguments_).items.size() : 1; }

    Result<Value> next_argument() {
        if (next_ >= argument_count()) return error("not enough arguments for format string");
        size_t index = next_++;
        return arguments_.is(Type::Tuple) ? list_of(arguments_).items[index] : arguments_;
    }

    // The key of '%(key)s', whose brackets may be nested.
    Result<std::string_view> read_key() {
        std::string_view bytes = text_.view();
        size_t begin = ++at_;
        for (int open = 1; at_ < bytes.size(); ++at_) {
            open += bytes[at_] == '(' ? 1 : bytes[at_] == ')' ? -1 : 0;
            if (open == 0) return bytes.substr(begin, at_++ - begin);
        }
        return error("incomplete format key");
    }

    Result<void> read_field() {
        std::string_view bytes = text_.view();
        std::optional<Value> named;
        if (at_ < bytes.size() && bytes[at_] == '(') {
            std::string_view key = TRY(read_key());
            if (arguments_.is(Type::Undefined)) return error("{}", undefined_message(arguments_));
            if (!arguments_.is(Type::Dict)) return error("format requires a mapping");
            const Value* found = dict_of(arguments_).find(key);
            if (found == nullptr) return error("the format needs the key '{}'", key);
            named = *found;
        }
        FormatSpec spec = TRY(read_spec(named.has_value()));
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

    // A width or precision: digits, or '*' for the next argument.
    Result<int64_t> read_size(int64_t limit, bool by_name) {
        std::string_view bytes = text_.view();
        if (at_ >= bytes.size() || bytes[at_] != '*') return read_count(bytes, at_, limit);
        ++at_;
        if (by_name) return error("'*' cannot be used with a key");
        Value value = TRY(next_argument());
        if (!value.is_integral()) return error("* wants int");
        if (value.integer > limit || value.integer < -limit)
            return error("a width or precision in a format is above {}", limit);
        return static_cast<int64_t>(value.integer);
    }

    Result<FormatSpec> read_spec(bool by_name) {
        std::string_view bytes = text_.view();
        FormatSpec spec;
        bool left = false, zeros = false;
        for (; at_ < bytes.size() && std::string_view("-+ #0").find(bytes[at_]) != std::string_view::npos; ++at_) {
            char flag = bytes[at_];
            left |= flag == '-';
            zeros |= flag == '0';
            spec.alternate |= flag == '#';
            if (flag == '+' || (flag == ' ' && !spec.sign)) spec.sign = flag;
        }
        spec.width = TRY(read_size(kFormatWidthMax, by_name));
        left |= spec.width < 0;
        spec.width = std::abs(spec.width);
        if (zeros && !left) spec.fill = "0";
        spec.align = left ? '<' : zeros ? '=' : '\0';
        if (at_ < bytes.size() && bytes[at_] == '.') {
            ++at_;
            spec.precision = std::max<int64_t>(TRY(read_size(kFormatPrecisionMax, by_name)), 0);
        }
        if (at_ < bytes.size() && (bytes[at_] == 'h' || bytes[at_] == 'l' || bytes[at_] == 'L')) ++at_;
        return spec;
    }

    Result<TracedText> text_field(const Value& value, FormatSpec spec) {
        TracedText text =
            spec.type == 's' ? TRY(to_text(runtime_, value)) : TRY(repr(runtime_, value, spec.type == 'a'));
        if (markup_ && !(spec.type == 's' && is_markup(value))) text = escape_html(text);
        if (spec.align == '=') spec.align = '\0', spec.fill = " ";
        return format_text(text, spec, '>');
    }

    Result<TracedText> character_field(const Value& value, FormatSpec spec) {
        if (spec.align == '=') spec.align = '\0', spec.fill = " ";
        spec.precision = -1;
        if (!markup_ && value.is(Type::String) && TRY(length(value)) == 1)
            return format_text(text_of(value), spec, '>');
        if (markup_ || !value.is_integral()) return error("%c requires int or char");
        return format_text(TRY(character(value)), spec, '>');
    }

    // A number as int() or float() sees it: of markup also from a string.
    Result<Value> number(const Value& value, bool integral) {
        if (value.is(Type::Undefined)) return error("{}", undefined_message(value));
        if (markup_ && value.is(Type::String) && integral) {
            if (auto whole = TRY(parse_int(view_of(value), 10))) return int_value(*whole);
        } else if (markup_ && value.is(Type::String)) {
            if (auto real = parse_float(view_of(value))) return float_value(*real);
        }
        if (!value.is_number()) return error("a format needs a number, not '{}'", type_name(value));
        if (!integral || !value.is(Type::Float)) return value;
        if (!(std::abs(value.real) < 1.7e38)) return error("%d format: the number is too large");
        return int_value(static_cast<Integer>(value.real), value.origin);
    }

    Result<TracedText> format_field(const Value& value, FormatSpec spec) {
        switch (spec.type) {
            case 's':
            case 'r':
            case 'a':
                return text_field(value, spec);
            case 'c':
                return character_field(value, spec);
            case 'd':
            case 'i':
            case 'u':
                spec.type = 'd';
                return format_number(TRY(number(value, true)), spec, true);
            case 'x':
            case 'X':
            case 'o':
                if (markup_ || !value.is_integral()) {
                    return error("%{} format: an integer is required, not {}", spec.type, type_name(value));
                }
                return format_number(value, spec, true);
            case 'e':
            case 'E':
            case 'f':
            case 'F':
            case 'g':
            case 'G':
                return format_number(TRY(number(value, false)), spec, true);
            default:
                return error("unsupported format character '{}'", spec.type);
        }
    }

    Runtime& runtime_;
    const TracedText& text_;
    bool markup_;
    const Value& arguments_;
    size_t at_ = 0, next_ = 0;
    TracedText out_;
};

// A replacement field of '{…}', as written.
struct Field {
    std::string_view name, spec;
    char conversion = '\0';
};

// The fields of '{…}', as string.Formatter has them.
class BraceFormatter {
public:
    BraceFormatter(Runtime& runtime, bool markup, const Arguments& arguments)
        : runtime_(runtime), markup_(markup), arguments_(arguments) {}

    // `levels`: of fields within fields that may follow.
    Result<TracedText> run(const TracedText& text, int levels) {
        if (levels < 0) return error("a format's fields are nested too deep");
        std::string_view bytes = text.view();
        TracedText out;
        for (size_t at = 0; at < bytes.size();) {
            char c = bytes[at];
            if (c != '{' && c != '}') {
                size_t end = std::min(bytes.find_first_of("{}", at), bytes.size());
                out.append(text, at, end);
                at = end;
            } else if (at + 1 < bytes.size() && bytes[at + 1] == c) {
                out.append(text, at, at + 1);
                at += 2;
            } else if (c == '}' || at + 1 == bytes.size()) {
                return error("single '{}' encountered in format string", c);
            } else {
                ++at;
                Field field = TRY(read_field(bytes, at));
                out.append(TRY(format_field(text, field, levels)));
                TRY(runtime_.spend(1 + out.size() / 4096));
                TRY(runtime_.reserve(out.size()));
            }
        }
        return out;
    }

private:
    static Result<Field> read_field(std::string_view bytes, size_t& at) {
        Field field;
        size_t begin = at;
        while (at < bytes.size() && std::string_view("}:!").find(bytes[at]) == std::string_view::npos) {
            if (bytes[at] == '{') return error("unexpected '{{' in field name");
            at = bytes[at] == '[' ? std::min(bytes.find(']', at), bytes.size()) : at + 1;
        }
        if (at == bytes.size()) return error("expected '}}' before end of string");
        field.name = bytes.substr(begin, at - begin);
        char c = bytes[at++];
        if (c == '!') {
            if (at + 1 >= bytes.size()) return error("the format ends before its conversion");
            field.conversion = bytes[at];
            c = bytes[at + 1];
            at += 2;
            if (c != '}' && c != ':') return error("expected ':' after the conversion");
        }
        if (c == '}') return field;
        begin = at;
        for (int open = 1; at < bytes.size();) {
            open += bytes[at] == '{' ? 1 : bytes[at] == '}' ? -1 : 0;
            ++at;
            if (open > 0) continue;
            field.spec = bytes.substr(begin, at - 1 - begin);
            return field;
        }
        return error("unmatched '{{' in format spec");
    }

    static bool is_digits(std::string_view text) {
        return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    }

    Result<Value> first_value(std::string_view first, bool whole) {
        if (whole && (first.empty() || is_digits(first))) {
            bool automatic = first.empty();
            if (automatic ? manual_ : next_ > 0) return error("a format cannot mix numbered fields and others");
            manual_ = !automatic;
        }
        if ((whole && first.empty()) || is_digits(first)) {
            size_t at = 0;
            int64_t index = first.empty() ? next_++ : TRY(read_count(first, at, 1'000'000));
            if (index < std::ssize(arguments_.positional)) return arguments_.positional[static_cast<size_t>(index)];
            return error("the format needs more than {} arguments", arguments_.positional.size());
        }
        for (const auto& [name, value] : arguments_.named) {
            if (name == first) return value;
        }
        return error("the format needs the key '{}'", first);
    }

    Result<Value> look_up(std::string_view name) {
        size_t end = std::min(name.find_first_of(".["), name.size());
        Value value = TRY(first_value(name.substr(0, end), end == name.size()));
        for (name.remove_prefix(end); !name.empty(); name.remove_prefix(end)) {
            bool bracket = name[0] == '[';
            if (!bracket && name[0] != '.') return error("only '.' or '[' may follow ']' in a format field");
            end = bracket ? name.find(']') : std::min(name.find_first_of(".[", 1), name.size());
            if (end == std::string_view::npos) return error("missing ']' in format string");
            std::string_view part = name.substr(1, end - 1);
            if (part.empty()) return error("empty attribute in format string");
            size_t at = 0;
            bool index = bracket && is_digits(part);
            Value key = index ? int_value(TRY(read_count(part, at, 1'000'000))) : runtime_.string(part);
            value = bracket ? TRY(item(runtime_, value, key)) : TRY(attribute(runtime_, value, part));
            if (bracket) ++end;
        }
        return value;
    }

    Result<TracedText> format_field(const TracedText& text, const Field& field, int levels) {
        Value value = TRY(look_up(field.name));
        if (field.conversion == 's') {
            value = runtime_.string(TRY(to_text(runtime_, value)), false);
        } else if (field.conversion == 'r' || field.conversion == 'a') {
            value = runtime_.string(TRY(repr(runtime_, value, field.conversion == 'a')), false);
        } else if (field.conversion != '\0') {
            return error("unknown conversion '{}'", field.conversion);
        }
        auto begin = static_cast<size_t>(field.spec.data() - text.view().data());
        TracedText spec = field.spec.empty() ? TracedText() : text.slice(begin, begin + field.spec.size());
        spec = TRY(run(spec, levels - 1));
        if (markup_ && is_markup(value)) {
            if (!spec.empty()) return error("markup takes no format specification");
            return text_of(value);
        }
        TracedText formatted = TRY(format_value(value, spec.view()));
        return markup_ ? escape_html(formatted) : formatted;
    }

    // format(value, spec).
    Result<TracedText> format_value(const Value& value, std::string_view text) {
        bool number = value.is_number();
        if (text.empty() && (!number || value.is(Type::Bool))) return to_text(runtime_, value);
        if (!number && !value.is(Type::String)) return error("'{}' takes no format specification", type_name(value));
        FormatSpec spec = TRY(read_format_spec(text, number ? '>' : '<'));
        if (number && spec.type == 'c') return character_field(value, spec);
        if (number) return format_number(value, spec, false);
        if (spec.type != '\0' && spec.type != 's') return error("unknown format code '{}' for a string", spec.type);
        if (spec.sign || spec.alternate || spec.group || spec.no_negative_zero || spec.align == '=') {
            return error("the format '{}' is one of numbers, not of strings", text.substr(0, 60));
        }
        return format_text(text_of(value), spec, '<');
    }

    Result<TracedText> character_field(const Value& value, FormatSpec spec) {
        if (!value.is_integral()) return error("unknown format code 'c' for a {}", type_name(value));
        if (spec.sign || spec.alternate || spec.precision >= 0 || spec.no_negative_zero) {
            return error("sign, '#' and precision are not allowed with 'c'");
        }
        if (spec.align == '=') spec.align = '>';
        return format_text(TRY(character(value)), spec, '>');
    }

    Runtime& runtime_;
    bool markup_;
    const Arguments& arguments_;
    int64_t next_ = 0;     // of the fields without a number
    bool manual_ = false;  // there was a field with a number
};

}  // namespace

Result<Value> format_percent(Runtime& runtime, const Value& format, const Value& arguments) {
    return PercentFormatter(runtime, format, arguments).run();
}

Result<Value> format_braces(Runtime& runtime, const Value& format, const Arguments& arguments) {
    bool markup = is_markup(format);
    return runtime.string(TRY(BraceFormatter(runtime, markup, arguments).run(text_of(format), 2)), markup);
}

}  // namespace godwit::jinja
