// Filters from text to text.
#include <algorithm>

#include "base/utf8.hpp"
#include "template/filters.hpp"
#include "template/format.hpp"
#include "template/print.hpp"
#include "template/text_algorithms.hpp"

namespace godwit::jinja {

namespace {

// A filter without arguments that maps a text; markup stays markup.
template <TracedText (*Map)(const TracedText&)>
Result<Value> mapped(Runtime& runtime, const Value& input, const Arguments& arguments) {
    TRY(bind_arguments("the filter", arguments, std::initializer_list<std::string_view>{}));
    Value text = TRY(to_string(runtime, input));
    return runtime.string(Map(text_of(text)), is_markup(text));
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
    TracedText text = TRY(to_text(runtime, input));
    TracedText old = TRY(to_text(runtime, *bound[0])), with = TRY(to_text(runtime, *bound[1]));
    bool all = bound[2] == nullptr || bound[2]->is(Type::None);
    int64_t count = all ? -1 : TRY(to_index(*bound[2]));
    return runtime.string(TRY(replace(runtime, text, old.view(), with, count)));
}

Result<Value> indent(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("indent", arguments, {"width", "first", "blank"}));
    Value text = TRY(to_string(runtime, input));
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

Result<Value> escape(Runtime& runtime, const Value& input, const Arguments&) {
    return runtime.string(TRY(escaped_text(runtime, input)), true);
}
Result<Value> force_escape(Runtime& runtime, const Value& input, const Arguments&) {
    return runtime.string(escape_html(TRY(to_text(runtime, input))), true);
}
Result<Value> safe(Runtime& runtime, const Value& input, const Arguments&) {
    return runtime.string(TRY(to_text(runtime, input)), true);
}
Result<Value> string(Runtime& runtime, const Value& input, const Arguments&) { return to_string(runtime, input); }

// The byte offset of code point `count`.
size_t offset_of(std::string_view text, int64_t count) {
    size_t at = 0;
    for (int64_t i = 0; i < count && at < text.size(); ++i) at += next_utf8(text.substr(at)).size;
    return at;
}

Result<Value> truncate(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("truncate", arguments, {"length", "killwords", "end", "leeway"}));
    Value text = TRY(to_string(runtime, input));
    int64_t most = bound[0] ? TRY(to_index(*bound[0])) : 255;
    int64_t leeway = bound[3] && !bound[3]->is(Type::None) ? TRY(to_index(*bound[3])) : 5;
    Value end = bound[2] ? TRY(to_string(runtime, *bound[2])) : runtime.string("...");
    auto size = static_cast<int64_t>(TRY(length(text))), end_size = static_cast<int64_t>(TRY(length(end)));
    if (most < end_size) return error("truncate: expected length >= {}, got {}", end_size, most);
    if (leeway < 0) return error("truncate: expected leeway >= 0, got {}", leeway);
    if (size - leeway <= most) return text;
    TracedText head = text_of(text).slice(0, offset_of(view_of(text), most - end_size));
    size_t space = argument_is_true(bound[1]) ? std::string_view::npos : head.view().rfind(' ');
    if (space != std::string_view::npos) head = head.slice(0, space);
    head.append(text_of(end));
    return runtime.string(std::move(head));
}

struct Words {
    size_t begin, end, size;  // size in code points
    size_t gap;               // white space before, in code points
};

std::vector<Words> words_of(std::string_view line) {
    std::vector<Words> words;
    size_t gap = 0;
    for (size_t at = 0; at < line.size();) {
        Utf8Unit unit = next_utf8(line.substr(at));
        bool space = is_space(unit.code_point);
        if (space) {
            ++gap;
        } else if (gap > 0 || words.empty()) {
            words.push_back({at, at + unit.size, 1, gap});
            gap = 0;
        } else {
            words.back().end = at + unit.size;
            ++words.back().size;
        }
        at += unit.size;
    }
    return words;
}

// One line of wordwrap: words that are longer than the width are broken.
void wrap_line(TracedText& out, const TracedText& line, size_t width, bool break_long, const TracedText& line_end) {
    size_t column = 0;
    for (Words word : words_of(line.view())) {
        bool fits = column > 0 && column + word.gap + word.size <= width;
        if (column > 0 && !fits) {
            out.append(line_end);
            column = 0;
        } else if (fits) {
            out.append(line, word.begin - word.gap, word.begin);
            column += word.gap;
        }
        while (break_long && word.size > width) {
            size_t cut = word.begin + offset_of(line.view().substr(word.begin), static_cast<int64_t>(width));
            out.append(line, word.begin, cut);
            out.append(line_end);
            word.begin = cut;
            word.size -= width;
        }
        out.append(line, word.begin, word.end);
        column += word.size;
    }
}

Result<Value> wordwrap(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound =
        TRY(bind_arguments("wordwrap", arguments, {"width", "break_long_words", "wrapstring", "break_on_hyphens"}));
    int64_t width = bound[0] ? TRY(to_index(*bound[0])) : 79;
    if (width < 1) return error("wordwrap: the width must be above 0");
    TracedText text = TRY(to_text(runtime, input));
    TracedText line_end("\n", Origin::Value);
    if (bound[2] && !bound[2]->is(Type::None)) line_end = TRY(to_text(runtime, *bound[2]));
    TRY(runtime.reserve(text.size() * (1 + line_end.size())));
    TracedText out;
    bool first = true;
    for (const TracedText& line : split_lines(text, false)) {
        if (!first) out.append(line_end);
        first = false;
        wrap_line(out, line, static_cast<size_t>(width), argument_is_true(bound[1], true), line_end);
    }
    return runtime.string(std::move(out));
}

Result<Value> wordcount(Runtime& runtime, const Value& input, const Arguments&) {
    TracedText text = TRY(to_text(runtime, input));
    int64_t words = 0;
    bool in_word = false;
    for (size_t at = 0; at < text.size();) {
        Utf8Unit unit = next_utf8(text.view().substr(at));
        bool part = unit.code_point == '_' || is_alpha(unit.code_point) || decimal_digit(unit.code_point).has_value();
        words += part && !in_word;
        in_word = part;
        at += unit.size;
    }
    return int_value(words);
}

void unescape_into(TracedText& out, const TracedText& text) {
    static constexpr std::pair<std::string_view, std::string_view> kEntities[] = {
        {"&amp;", "&"}, {"&lt;", "<"},   {"&gt;", ">"},  {"&quot;", "\""},
        {"&#39;", "'"}, {"&#34;", "\""}, {"&apos;", "'"}};
    for (size_t at = 0; at < text.size();) {
        auto entity = std::find_if(std::begin(kEntities), std::end(kEntities),
                                   [&](const auto& known) { return text.view().substr(at).starts_with(known.first); });
        bool found = entity != std::end(kEntities);
        if (found) out.append(entity->second, text.origin_at(at));
        if (!found) out.append(text, at, at + 1);
        at += found ? entity->first.size() : 1;
    }
}

Result<Value> striptags(Runtime& runtime, const Value& input, const Arguments&) {
    TracedText text = TRY(to_text(runtime, input));
    std::string_view bytes = text.view();
    TracedText bare, joined, out;
    const size_t last_tag_end = bytes.rfind('>'),
                 last_comment_end = bytes.rfind("-->");  // behind them nothing is looked for
    for (size_t at = 0; at < bytes.size();) {
        bool comment = bytes.substr(at).starts_with("<!--");
        size_t last = comment ? last_comment_end : last_tag_end, end = std::string_view::npos;
        if (bytes[at] == '<' && last != std::string_view::npos && last > at)
            end = bytes.find(comment ? "-->" : ">", at);
        if (end == std::string_view::npos) {
            bare.append(text, at, at + 1);
            ++at;
        } else {
            at = end + (comment ? 3 : 1);
        }
        TRY(runtime.spend(1));
    }
    bool first = true;
    for (const Words& word : words_of(bare.view())) {
        if (!first) joined.append(" ", Origin::Value);
        first = false;
        joined.append(bare, word.begin, word.end);
    }
    unescape_into(out, joined);
    return runtime.string(std::move(out));
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

Result<Value> urlencode(Runtime& runtime, const Value& input, const Arguments&) {
    TracedText out;
    std::vector<std::pair<Value, Value>> pairs;
    if (input.is(Type::Dict)) {
        pairs = dict_of(input).entries;
    } else if (input.is_sequence()) {
        for (const Value& pair : list_of(input).items) {
            auto parts = TRY(iterate(runtime, pair));
            if (parts.size() != 2) return error("urlencode needs pairs");
            pairs.emplace_back(parts[0], parts[1]);
        }
    } else {
        quote_into(out, TRY(to_text(runtime, input)), false);
        return runtime.string(std::move(out));
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
                                          {"title", mapped<title_filter>},
                                          {"center", center},
                                          {"e", escape},
                                          {"escape", escape},
                                          {"forceescape", force_escape},
                                          {"format", format},
                                          {"safe", safe},
                                          {"striptags", striptags},
                                          {"truncate", truncate},
                                          {"urlencode", urlencode},
                                          {"wordcount", wordcount},
                                          {"wordwrap", wordwrap}};
    return kFilters;
}

}  // namespace godwit::jinja
