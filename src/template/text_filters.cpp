// Filters from text to text.
#include <algorithm>

#include "base/utf8.hpp"
#include "template/filters.hpp"
#include "template/format.hpp"
#include "template/methods.hpp"
#include "template/operators.hpp"
#include "template/pretty.hpp"
#include "template/print.hpp"
#include "template/text_algorithms.hpp"
#include "template/word_wrap.hpp"
#include "text/unicode.hpp"

namespace godwit::jinja {

namespace {

// A filter without arguments that maps a text; markup stays markup.
template <TracedText (*Map)(const TracedText&)>
Result<Value> mapped(Runtime& runtime, const Value& input, const Arguments& arguments) {
    TRY(bind_arguments("the filter", arguments, std::initializer_list<std::string_view>{}));
    Value text = TRY(to_string(runtime, input));
    return runtime.string(Map(text_of(text)), is_markup(text));
}

// Unlike its siblings it makes plain text of markup.
Result<Value> title(Runtime& runtime, const Value& input, const Arguments& arguments) {
    TRY(no_arguments("title", arguments));
    TracedText text = TRY(to_text(runtime, input));
    return runtime.string(title_filter(text));
}

TracedText upper(const TracedText& text) { return change_case(text, Case::Upper); }
TracedText lower(const TracedText& text) { return change_case(text, Case::Lower); }

Result<Value> trim(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("trim", arguments, {"chars"}));
    Value text = TRY(to_string(runtime, input));
    std::optional<std::string_view> characters;
    if (bound[0] && !bound[0]->is(Type::None)) {
        if (!bound[0]->is(Type::String)) return error("trim: the characters must be a string");
        characters = view_of(*bound[0]);
    }
    return runtime.string(strip(text_of(text), characters, true, true), is_markup(text));
}

Result<Value> replace_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("replace", arguments, {"old", "new", "count"}, 2));
    bool all = bound[2] == nullptr || bound[2]->is(Type::None);
    int64_t count = all ? -1 : TRY(to_index(*bound[2]));
    TracedText old = TRY(to_text(runtime, *bound[0]));
    if (!runtime.autoescape) {
        TracedText text = TRY(to_text(runtime, input)), with = TRY(to_text(runtime, *bound[1]));
        return runtime.string(TRY(replace(runtime, text, old.view(), with, count)));
    }
    bool escaped = is_markup(*bound[0]) || is_markup(*bound[1]) || is_markup(input);
    TracedText text = escaped ? TRY(escaped_text(runtime, input)) : TRY(to_text(runtime, input));
    TracedText with = escaped ? TRY(escaped_text(runtime, *bound[1])) : TRY(to_text(runtime, *bound[1]));
    return runtime.string(TRY(replace(runtime, text, old.view(), with, count)), escaped);
}

// A filter that calls methods of strings.
Result<void> expect_string(std::string_view what, const Value& input) {
    if (input.is(Type::Undefined)) return error("{}", undefined_message(input));
    if (!input.is(Type::String)) return error("{} needs a string, got '{}'", what, type_name(input));
    return done();
}

Result<Value> indent(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("indent", arguments, {"width", "first", "blank"}));
    TRY(expect_string("indent", input));
    const Value& text = input;
    TracedText step("    ", Origin::Value);
    if (bound[0] && bound[0]->is(Type::String)) {
        step = text_of(*bound[0]);
    } else if (bound[0]) {
        int64_t width = TRY(to_index(*bound[0]));
        if (width > 10'000) return error("an indent of {} is too wide", width);
        step = TracedText(std::string(static_cast<size_t>(std::max<int64_t>(width, 0)), ' '), bound[0]->origin);
    }
    TracedText with_end = text_of(text);
    with_end.append("\n", Origin::Value);
    bool blank = argument_is_true(bound[2]);
    auto lines = split_lines(with_end, false);
    TRY(runtime.spend(lines.size()));
    TRY(runtime.reserve(lines.size() * step.size() + with_end.size()));
    TracedText out;
    for (size_t i = 0; i < lines.size(); ++i) {
        if (i > 0) out.append("\n", Origin::Value);
        bool indented = i == 0 ? argument_is_true(bound[1]) : blank || !lines[i].empty();
        if (indented) out.append(step);
        out.append(lines[i]);
    }
    return runtime.string(std::move(out), is_markup(text));
}

Result<Value> center(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("center", arguments, {"width"}));
    int64_t width = bound[0] ? TRY(to_index(*bound[0])) : 80;
    Value text = TRY(to_string(runtime, input));
    return runtime.string(TRY(align(runtime, text_of(text), width, TracedText(" ", Origin::Value), Align::Center)),
                          is_markup(text));
}

Result<Value> format(Runtime& runtime, const Value& input, const Arguments& arguments) {
    Value text = TRY(to_string(runtime, input));
    if (arguments.named.empty()) return format_percent(runtime, text, runtime.list(arguments.positional, Type::Tuple));
    if (!arguments.positional.empty()) return error("format: positional and named arguments cannot be mixed");
    Value mapping = runtime.dict();
    for (const auto& [name, value] : arguments.named) dict_of(mapping).set(runtime.string(name), value);
    return format_percent(runtime, text, mapping);
}

Result<Value> string(Runtime& runtime, const Value& input, const Arguments& arguments) {
    TRY(no_arguments("string", arguments));
    return to_string(runtime, input);
}

Result<Value> truncate(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("truncate", arguments, {"length", "killwords", "end", "leeway"}));
    int64_t most = bound[0] ? TRY(to_index(*bound[0])) : 255;
    int64_t leeway = bound[3] && !bound[3]->is(Type::None) ? TRY(to_index(*bound[3])) : 5;
    Value end = bound[2] ? *bound[2] : runtime.string("...");
    auto end_size = static_cast<int64_t>(TRY(length(end))), size = static_cast<int64_t>(TRY(length(input)));
    if (most < end_size) return error("truncate: expected length >= {}, got {}", end_size, most);
    if (leeway < 0) return error("truncate: expected leeway >= 0, got {}", leeway);
    if (size - leeway <= most) return input;
    TRY(expect_string("truncate", input));
    Value bound_end = int_value(most - end_size);
    Value head = TRY(slice(runtime, input, nullptr, &bound_end, nullptr));
    size_t space = argument_is_true(bound[1]) ? std::string_view::npos : view_of(head).rfind(' ');
    if (space != std::string_view::npos) head = runtime.string(text_of(head).slice(0, space), is_markup(head));
    return calculate(runtime, Operator::Add, head, end);
}

Result<Value> wordwrap(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound =
        TRY(bind_arguments("wordwrap", arguments, {"width", "break_long_words", "wrapstring", "break_on_hyphens"}));
    TRY(expect_string("wordwrap", input));
    WrapStyle style;
    style.break_long_words = argument_is_true(bound[1], true);
    style.break_on_hyphens = argument_is_true(bound[3], true);
    TracedText line_end("\n", Origin::Value), out;
    if (bound[2] && !bound[2]->is(Type::None)) {
        TRY(expect_string("wordwrap", *bound[2]));
        line_end = text_of(*bound[2]);
    }
    bool first = true;
    for (const TracedText& line : split_lines(text_of(input), false)) {
        int64_t width = bound[0] ? TRY(to_index(*bound[0])) : 79;
        if (width < 1) return error("wordwrap: the width must be above 0");
        style.width = static_cast<size_t>(width);
        auto wrapped = TRY(wrap_words(runtime, line, style));
        if (wrapped.empty()) wrapped.emplace_back();
        for (const TracedText& part : wrapped) {
            if (!first) out.append(line_end);
            first = false;
            out.append(part);
            TRY(runtime.reserve(out.size()));
        }
    }
    bool markup = bound[2] && is_markup(*bound[2]);
    return runtime.string(std::move(out), markup);
}

Result<Value> wordcount(Runtime& runtime, const Value& input, const Arguments& arguments) {
    TRY(no_arguments("wordcount", arguments));
    TracedText text = TRY(to_text(runtime, input));
    int64_t words = 0;
    bool in_word = false;
    for (size_t at = 0; at < text.size();) {
        Utf8Unit unit = next_utf8(text.view().substr(at));
        bool part = unit.code_point == '_' || is_letter(unit.code_point) || has_numeric_value(unit.code_point);
        words += part && !in_word;
        in_word = part;
        at += unit.size;
    }
    return int_value(words);
}

void quote_into(TracedText& out, const TracedText& text, bool query) {
    for (size_t i = 0; i < text.size(); ++i) {
        char c = text.view()[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     std::string_view("_.-~").find(c) != std::string_view::npos || (c == '/' && !query);
        if (plain) {
            out.append(text, i, i + 1);
        } else if (c == ' ' && query) {
            out.append("+", text.origin_at(i));
        } else {
            out.append(fmt::format("%{:02X}", static_cast<unsigned char>(c)), text.origin_at(i));
        }
    }
}

Result<Value> urlencode(Runtime& runtime, const Value& input, const Arguments& arguments) {
    TRY(no_arguments("urlencode", arguments));
    TracedText out;
    std::vector<std::pair<Value, Value>> pairs;
    auto items = iterate(runtime, input);
    if (input.is(Type::String) || !items.ok()) {
        quote_into(out, TRY(to_text(runtime, input)), false);
        return runtime.string(std::move(out));
    }
    if (input.is(Type::Dict)) pairs = dict_of(input).entries;
    for (const Value& pair : input.is(Type::Dict) ? std::vector<Value>() : std::move(items).take()) {
        auto parts = TRY(iterate(runtime, pair));
        if (parts.size() != 2) return error("urlencode needs pairs");
        pairs.emplace_back(parts[0], parts[1]);
    }
    for (const auto& [key, value] : pairs) {
        if (!out.empty()) out.append("&", Origin::Value);
        quote_into(out, TRY(to_text(runtime, key)), true);
        out.append("=", Origin::Value);
        quote_into(out, TRY(to_text(runtime, value)), true);
    }
    return runtime.string(std::move(out));
}

}  // namespace

std::span<const Filter> text_filters() {
    static constexpr Filter kFilters[] = {{"trim", trim},
                                          {"upper", mapped<upper>},
                                          {"lower", mapped<lower>},
                                          {"replace", replace_filter},
                                          {"indent", indent},
                                          {"string", string},
                                          {"capitalize", mapped<capitalize>},
                                          {"title", title},
                                          {"center", center},
                                          {"format", format},
                                          {"pprint", pprint},
                                          {"truncate", truncate},
                                          {"urlencode", urlencode},
                                          {"wordcount", wordcount},
                                          {"wordwrap", wordwrap}};
    return kFilters;
}

}  // namespace godwit::jinja
