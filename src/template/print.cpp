#include "template/print.hpp"

#include <charconv>
#include <cmath>

#include "base/utf8.hpp"
#include "text/unicode.hpp"

namespace godwit::jinja {

std::string float_repr(double number) {
    if (std::isnan(number)) return "nan";
    if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
    char buffer[40];
    auto end = std::to_chars(buffer, buffer + sizeof(buffer), number, std::chars_format::scientific).ptr;
    std::string_view shortest(buffer, static_cast<size_t>(end - buffer));
    size_t e = shortest.find('e');
    int exponent = std::atoi(std::string(shortest.substr(e + 1)).c_str());
    if (exponent < -4 || exponent >= 16) return std::string(shortest);
    end = std::to_chars(buffer, buffer + sizeof(buffer), number, std::chars_format::fixed).ptr;
    std::string fixed(buffer, static_cast<size_t>(end - buffer));
    if (fixed.find('.') == std::string::npos) fixed += ".0";
    return fixed;
}

namespace {

void append_escaped(std::string& out, char32_t c) {
    if (c < 0x100) {
        out += fmt::format("\\x{:02x}", static_cast<uint32_t>(c));
    } else if (c < 0x10000) {
        out += fmt::format("\\u{:04x}", static_cast<uint32_t>(c));
    } else {
        out += fmt::format("\\U{:08x}", static_cast<uint32_t>(c));
    }
}

// The quote that Python chooses for a text.
std::string_view quote_of(std::string_view bytes) {
    bool single = bytes.find('\'') == std::string_view::npos || bytes.find('"') != std::string_view::npos;
    return single ? "'" : "\"";
}

// The escape of a character that has one within `quote`, or nothing.
std::string short_escape(char32_t c, std::string_view quote) {
    char letter = c == '\n' ? 'n' : c == '\r' ? 'r' : c == '\t' ? 't' : '\0';
    if (c == '\\' || c == static_cast<unsigned char>(quote[0])) letter = static_cast<char>(c);
    return letter == '\0' ? std::string() : std::string{'\\', letter};
}

void append_string_repr(TracedText& out, const TracedText& text) {
    std::string_view bytes = text.view(), quote = quote_of(bytes);
    out.append(quote, Origin::Value);
    for (size_t at = 0; at < bytes.size();) {
        Utf8Unit unit = next_utf8(bytes.substr(at));
        std::string escaped = short_escape(unit.code_point, quote);
        if (escaped.empty() && !is_printable(unit.code_point)) append_escaped(escaped, unit.code_point);
        if (escaped.empty()) {
            out.append(text, at, at + unit.size);
        } else {
            out.append(escaped, text.origin_at(at));
        }
        at += unit.size;
    }
    out.append(quote, Origin::Value);
}

void append_bytes_repr(TracedText& out, const TracedText& text) {
    std::string_view bytes = text.view();
    std::string_view quote = quote_of(bytes);
    out.append("b", Origin::Value);
    out.append(quote, Origin::Value);
    for (size_t at = 0; at < bytes.size(); ++at) {
        auto byte = static_cast<unsigned char>(bytes[at]);
        std::string escaped = short_escape(byte, quote);
        if (escaped.empty() && (byte < 0x20 || byte > 0x7E)) append_escaped(escaped, byte);
        out.append(escaped.empty() ? std::string(1, bytes[at]) : escaped, text.origin_at(at));
    }
    out.append(quote, Origin::Value);
}

TracedText escape_beyond_ascii(const TracedText& text) {
    TracedText out;
    for (size_t at = 0; at < text.size();) {
        Utf8Unit unit = next_utf8(text.view().substr(at));
        std::string escaped;
        if (unit.code_point > 0x7F) append_escaped(escaped, unit.code_point);
        if (escaped.empty()) out.append(text, at, at + unit.size);
        if (!escaped.empty()) out.append(escaped, text.origin_at(at));
        at += unit.size;
    }
    return out;
}

class Printer {
public:
    explicit Printer(Runtime& runtime) : runtime_(runtime) {}
    TracedText out;

    Result<void> print(const Value& value, int depth) {
        if (depth > kNestingMax) return error("a value is nested more than {} deep", kNestingMax);
        TRY(runtime_.spend(1));
        switch (value.type) {
            case Type::Undefined:
                add("Undefined");
                break;
            case Type::None:
                out.append("None", value.origin);
                break;
            case Type::Bool:
                out.append(value.integer ? "True" : "False", value.origin);
                break;
            case Type::Int:
                out.append(fmt::format("{}", value.integer), value.origin);
                break;
            case Type::Float:
                out.append(float_repr(value.real), value.origin);
                break;
            case Type::String:
                print_string(value);
                break;
            case Type::Bytes:
                append_bytes_repr(out, text_of(value));
                break;
            case Type::Range:
                print_range(range_of(value));
                break;
            case Type::Generator:
                add("<generator object>");
                break;
            case Type::Callable:
                add("<function>");
                break;
            case Type::Loop:
                add("<LoopContext>");
                break;
            case Type::Cycler:
                add("<Cycler>");
                break;
            case Type::Joiner:
                add("<Joiner>");
                break;
            case Type::Blocks:
                add("<TemplateReference None>");
                break;
            case Type::List:
            case Type::Tuple:
                return print_sequence(value, depth);
            case Type::View:
                add(list_of(value).view_name);
                add("([");
                TRY(print_items(list_of(value).items, depth));
                add("])");
                break;
            case Type::Dict:
            case Type::Namespace:
                return print_dict(value, depth);
        }
        return done();
    }

private:
    void add(std::string_view bytes) { out.append(bytes, Origin::Value); }

    void print_string(const Value& value) {
        if (is_markup(value)) add("Markup(");
        append_string_repr(out, text_of(value));
        if (is_markup(value)) add(")");
    }

    void print_range(const RangeObject& range) {
        add(range.step == 1 ? fmt::format("range({}, {})", range.start, range.stop)
                            : fmt::format("range({}, {}, {})", range.start, range.stop, range.step));
    }

    Result<void> print_items(const std::vector<Value>& items, int depth) {
        for (size_t i = 0; i < items.size(); ++i) {
            if (i > 0) add(", ");
            TRY(print(items[i], depth + 1));
        }
        return done();
    }

    Result<void> print_sequence(const Value& value, int depth) {
        const auto& items = list_of(value).items;
        bool list = value.is(Type::List);
        add(list ? "[" : "(");
        TRY(print_items(items, depth));
        add(list ? "]" : items.size() == 1 ? ",)" : ")");
        return done();
    }

    Result<void> print_dict(const Value& value, int depth) {
        bool is_namespace = value.is(Type::Namespace);
        add(is_namespace ? "<Namespace {" : "{");
        bool first = true;
        for (const auto& [key, item] : dict_of(value).entries) {
            if (!first) add(", ");
            first = false;
            TRY(print(key, depth + 1));
            add(": ");
            TRY(print(item, depth + 1));
        }
        add(is_namespace ? "}>" : "}");
        return done();
    }

    Runtime& runtime_;
};

}  // namespace

Result<TracedText> repr(Runtime& runtime, const Value& value, bool ascii) {
    Printer printer(runtime);
    TRY(printer.print(value, 0));
    return ascii ? escape_beyond_ascii(printer.out) : std::move(printer.out);
}

Result<TracedText> to_text(Runtime& runtime, const Value& value) {
    if (value.is(Type::String)) return text_of(value);
    if (value.is(Type::Undefined)) return TracedText();
    return repr(runtime, value);
}

Result<Value> to_string(Runtime& runtime, const Value& value) {
    if (value.is(Type::String)) return value;
    return runtime.string(TRY(to_text(runtime, value)));
}

TracedText escape_html(const TracedText& text) {
    TracedText out;
    size_t begin = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        std::string_view entity;
        switch (text.view()[i]) {
            case '&':
                entity = "&amp;";
                break;
            case '<':
                entity = "&lt;";
                break;
            case '>':
                entity = "&gt;";
                break;
            case '\'':
                entity = "&#39;";
                break;
            case '"':
                entity = "&#34;";
                break;
            default:
                continue;
        }
        out.append(text, begin, i);
        out.append(entity, text.origin_at(i));
        begin = i + 1;
    }
    out.append(text, begin, text.size());
    return out;
}

Result<TracedText> escaped_text(Runtime& runtime, const Value& value) {
    TracedText text = TRY(to_text(runtime, value));
    return is_markup(value) ? std::move(text) : escape_html(text);
}

}  // namespace godwit::jinja
