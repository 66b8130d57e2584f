// What has to do with HTML: filters, and the methods that markup has beside those of str.
#include <algorithm>

#include "base/utf8.hpp"
#include "template/filters.hpp"
#include "template/html_entities.hpp"
#include "template/methods.hpp"
#include "template/print.hpp"
#include "template/text_algorithms.hpp"
#include "template/urlize.hpp"
#include "text/unicode.hpp"

namespace godwit::jinja {

namespace {

Result<Value> escape(Runtime& runtime, const Value& input, const Arguments& arguments) {
    TRY(no_arguments("escape", arguments));
    return runtime.string(TRY(escaped_text(runtime, input)), true);
}
Result<Value> force_escape(Runtime& runtime, const Value& input, const Arguments& arguments) {
    TRY(no_arguments("forceescape", arguments));
    return runtime.string(escape_html(TRY(to_text(runtime, input))), true);
}
Result<Value> safe(Runtime& runtime, const Value& input, const Arguments& arguments) {
    TRY(no_arguments("safe", arguments));
    return runtime.string(TRY(to_text(runtime, input)), true);
}

TracedText unescape(const TracedText& text) {
    TracedText out;
    std::string meaning;
    size_t begin = 0;
    for (size_t at = text.view().find('&'); at != std::string_view::npos; at = text.view().find('&', at)) {
        size_t size = read_entity(text.view().substr(at), meaning);
        if (size > 0) {
            out.append(text, begin, at);
            out.append(meaning, text.origin_at(at));
            begin = at + size;
        }
        at += std::max<size_t>(size, 1);
    }
    out.append(text, begin, text.size());
    return out;
}

// Without what stands from `open` to the next `close`.
TracedText without(const TracedText& text, std::string_view open, std::string_view close) {
    TracedText out;
    size_t begin = 0;
    for (;;) {
        size_t start = find_bytes(text.view(), open, begin);
        size_t end = start == std::string_view::npos ? start : find_bytes(text.view(), close, start);
        if (end == std::string_view::npos) break;
        out.append(text, begin, start);
        begin = end + close.size();
    }
    out.append(text, begin, text.size());
    return out;
}

// Until nothing changes: what a removal joins may be a tag again, "<<b>". Every round costs its text.
Result<TracedText> without_all(Runtime& runtime, TracedText text, std::string_view open, std::string_view close) {
    for (;;) {
        TRY(runtime.spend(1 + text.size() / 64));
        TracedText less = without(text, open, close);
        if (less.size() == text.size()) return less;
        text = std::move(less);
    }
}

Result<TracedText> strip_tags(Runtime& runtime, const TracedText& text) {
    TracedText bare = TRY(without_all(runtime, text, "<!--", "-->"));
    bare = TRY(without_all(runtime, std::move(bare), "<", ">"));
    TracedText joined;
    std::string_view bytes = bare.view();
    bool in_word = false;
    for (size_t at = 0; at < bytes.size();) {
        Utf8Unit unit = next_utf8(bytes.substr(at));
        bool space = is_space(unit.code_point);
        if (!space && !in_word && !joined.empty()) joined.append(" ", Origin::Value);
        if (!space) joined.append(bare, at, at + unit.size);
        in_word = !space;
        at += unit.size;
    }
    return unescape(joined);
}

Result<Value> strip_tags_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
    TRY(no_arguments("striptags", arguments));
    TracedText text = TRY(to_text(runtime, input));
    return runtime.string(TRY(strip_tags(runtime, text)));
}

Result<Value> xmlattr(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("xmlattr", arguments, {"autospace"}));
    if (input.is(Type::Undefined)) return error("{}", undefined_message(input));
    if (!input.is(Type::Dict)) return error("xmlattr needs a mapping, got '{}'", type_name(input));
    TracedText out;
    for (const auto& [key, value] : dict_of(input).entries) {
        TRY(runtime.spend(1));
        if (value.is(Type::None) || value.is(Type::Undefined)) continue;
        if (!key.is(Type::String)) return error("xmlattr: the names must be strings");
        if (view_of(key).find_first_of(" \t\n\r\f\v/>=") != std::string_view::npos) {
            return error("invalid character in attribute name: '{}'", view_of(key).substr(0, 60));
        }
        if (!out.empty() || argument_is_true(bound[0], true)) out.append(" ", Origin::Value);
        out.append(TRY(escaped_text(runtime, key)));
        out.append("=\"", Origin::Value);
        out.append(TRY(escaped_text(runtime, value)));
        out.append("\"", Origin::Value);
    }
    return runtime.string(std::move(out), runtime.autoescape);
}

Result<Value> unescape_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
    TRY(no_arguments("unescape", arguments));
    return runtime.string(unescape(text_of(self)));
}

Result<Value> escape_method(Runtime& runtime, const Value&, const Arguments& arguments) {
    auto bound = TRY(bind_positional("escape", arguments, 1, 1));
    return runtime.string(TRY(escaped_text(runtime, *bound[0])), true);
}

}  // namespace

MethodFunction find_markup_method(std::string_view name) {
    static constexpr std::pair<std::string_view, MethodFunction> kMethods[] = {
        {"escape", escape_method}, {"striptags", strip_tags_filter}, {"unescape", unescape_method}};
    for (const auto& [method, call] : kMethods) {
        if (method == name) return call;
    }
    return nullptr;
}

std::span<const Filter> markup_filters() {
    static constexpr Filter kFilters[] = {{"e", escape},
                                          {"escape", escape},
                                          {"forceescape", force_escape},
                                          {"safe", safe},
                                          {"striptags", strip_tags_filter},
                                          {"urlize", urlize},
                                          {"xmlattr", xmlattr}};
    return kFilters;
}

}  // namespace godwit::jinja
