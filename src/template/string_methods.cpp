// The methods of str that the sandbox allows.
#include <algorithm>
#include <array>

#include "base/utf8.hpp"
#include "template/format.hpp"
#include "template/methods.hpp"
#include "template/print.hpp"
#include "template/text_algorithms.hpp"
#include "template/text_codec.hpp"
#include "text/unicode.hpp"

namespace godwit::jinja {

namespace {

Value like(Runtime& runtime, const Value& self, TracedText text) {
    return runtime.string(std::move(text), is_markup(self));
}

Result<std::string_view> string_argument(const Value& value) {
    if (!value.is(Type::String)) return error("expected a string, got '{}'", type_name(value));
    return view_of(value);
}

template <Case To>
Result<Value> case_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
    TRY(no_arguments("a method of letter case", arguments));
    return like(runtime, self, change_case(text_of(self), To));
}

template <TracedText (*Map)(const TracedText&)>
Result<Value> map_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
    TRY(no_arguments("a method of letter case", arguments));
    return like(runtime, self, Map(text_of(self)));
}

template <bool Left, bool Right>
Result<Value> strip_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_positional("strip", arguments, 0, 1));
    std::optional<std::string_view> characters;
    if (bound[0] && !bound[0]->is(Type::None)) characters = TRY(string_argument(*bound[0]));
    if (characters) TRY(runtime.spend(view_of(self).size() / 4096 * characters->size()));
    return like(runtime, self, strip(text_of(self), characters, Left, Right));
}

// Pieces of `self` by its byte bounds.
Value pieces(Runtime& runtime, const Value& self, const std::vector<std::pair<size_t, size_t>>& bounds) {
    std::vector<Value> items;
    for (auto [begin, end] : bounds) items.push_back(like(runtime, self, text_of(self).slice(begin, end)));
    return runtime.list(std::move(items));
}

using Bounds = std::vector<std::pair<size_t, size_t>>;

Bounds split_space(std::string_view text, int64_t most, bool from_right) {
    Bounds words;
    size_t at = 0, begin = 0;
    bool in_word = false;
    for (; at < text.size();) {
        Utf8Unit unit = next_utf8(text.substr(at));
        bool space = is_space(unit.code_point);
        if (space && in_word) words.emplace_back(begin, at);
        if (!space && !in_word) begin = at;
        in_word = !space;
        at += unit.size;
    }
    if (in_word) words.emplace_back(begin, text.size());
    size_t limit = most < 0 ? words.size() : static_cast<size_t>(most);
    if (words.size() <= limit) return words;
    if (from_right) {  // the first words stay together, without the white space before them
        size_t kept = words.size() - limit;
        size_t end = words[kept - 1].second;
        Bounds out{{0, end}};
        out.insert(out.end(), words.begin() + static_cast<ptrdiff_t>(kept), words.end());
        return out;
    }
    words.resize(limit + 1);
    words.back().second = text.size();
    return words;
}

Bounds split_separator(std::string_view text, std::string_view separator, int64_t most, bool from_right) {
    Bounds parts;
    if (from_right) {
        size_t end = text.size();
        while (most < 0 || static_cast<int64_t>(parts.size()) < most) {
            if (end < separator.size()) break;
            size_t at = text.rfind(separator, end - separator.size());
            if (at == std::string_view::npos) break;
            parts.emplace_back(at + separator.size(), end);
            end = at;
        }
        parts.emplace_back(0, end);
        std::reverse(parts.begin(), parts.end());
        return parts;
    }
    size_t begin = 0;
    while (most < 0 || static_cast<int64_t>(parts.size()) < most) {
        size_t at = find_bytes(text, separator, begin);
        if (at == std::string_view::npos) break;
        parts.emplace_back(begin, at);
        begin = at + separator.size();
    }
    parts.emplace_back(begin, text.size());
    return parts;
}

template <bool FromRight>
Result<Value> split(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("split", arguments, {"sep", "maxsplit"}));
    int64_t most = bound[1] ? TRY(to_index(*bound[1])) : -1;
    std::string_view text = view_of(self);
    Bounds bounds;
    if (bound[0] == nullptr || bound[0]->is(Type::None)) {
        bounds = split_space(text, most, FromRight);
    } else {
        std::string_view separator = TRY(string_argument(*bound[0]));
        if (separator.empty()) return error("empty separator");
        if (FromRight) TRY(runtime.spend(text.size() / 4096 * separator.size()));  // as find_last_bytes
        bounds = split_separator(text, separator, most, FromRight);
    }
    TRY(runtime.reserve(bounds.size() * 160));
    TRY(runtime.spend(bounds.size()));
    return pieces(runtime, self, bounds);
}

Result<Value> splitlines(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("splitlines", arguments, {"keepends"}));
    bool keep_ends = bound[0] && TRY(to_index(*bound[0])) != 0;
    TRY(runtime.reserve(static_cast<size_t>(std::count(view_of(self).begin(), view_of(self).end(), '\n')) * 160));
    std::vector<Value> items;
    for (TracedText& line : split_lines(text_of(self), keep_ends)) {
        items.push_back(like(runtime, self, std::move(line)));
    }
    TRY(runtime.spend(items.size()));
    return runtime.list(std::move(items));
}

// The byte range of text[start:end] in code points, as find() and the like take it.
Result<std::pair<size_t, size_t>> search_range(const Value& self, const Value* start, const Value* end) {
    std::string_view text = view_of(self);
    if (start == nullptr && end == nullptr) return std::pair(size_t{0}, text.size());
    auto size = static_cast<int64_t>(TRY(length(self)));
    auto place = [&](const Value* bound, int64_t otherwise) -> Result<int64_t> {
        if (bound == nullptr || bound->is(Type::None)) return otherwise;
        int64_t index = TRY(to_index(*bound));
        return index < 0 ? std::max<int64_t>(index + size, 0) : index;
    };
    int64_t first = TRY(place(start, 0)), last = std::min(TRY(place(end, size)), size);
    if (first > last) return std::pair(text.size() + 1, text.size() + 1);
    auto offset = [&](int64_t index) {
        size_t at = 0;
        while (index-- > 0) at += next_utf8(text.substr(at)).size;
        return at;
    };
    return std::pair(offset(first), offset(last));
}

template <bool FromRight, bool Fails>
Result<Value> find(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_positional("find", arguments, 1, 3));
    std::string_view wanted = TRY(string_argument(*bound[0]));
    auto [begin, end] = TRY(search_range(self, bound[1], bound[2]));
    std::string_view text = view_of(self);
    size_t found = std::string_view::npos;
    if (begin <= text.size()) {
        std::string_view part = text.substr(begin, end - begin);
        found = FromRight ? TRY(find_last_bytes(runtime, part, wanted)) : find_bytes(part, wanted);
    }
    if (found == std::string_view::npos) {
        if (Fails) return error("substring not found");
        return int_value(-1);
    }
    int64_t index = 0;
    for (size_t at = 0; at < begin + found; ++index) at += next_utf8(text.substr(at)).size;
    return int_value(index);
}

Result<Value> count(Runtime&, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_positional("count", arguments, 1, 3));
    std::string_view wanted = TRY(string_argument(*bound[0]));
    auto [begin, end] = TRY(search_range(self, bound[1], bound[2]));
    if (begin > view_of(self).size()) return int_value(0);
    std::string_view text = view_of(self).substr(begin, end - begin);
    int64_t found = 0;
    if (wanted.empty()) {
        for (size_t at = 0; at < text.size(); ++found) at += next_utf8(text.substr(at)).size;
        return int_value(found + 1);
    }
    for (size_t at = find_bytes(text, wanted); at != std::string_view::npos;
         at = find_bytes(text, wanted, at + wanted.size()))
        ++found;
    return int_value(found);
}

template <bool AtEnd>
Result<Value> starts_or_ends(Runtime&, const Value& self, const Arguments& arguments) {
    constexpr std::string_view kName = AtEnd ? "endswith" : "startswith";
    auto bound = TRY(bind_positional(kName, arguments, 1, 3));
    auto [begin, end] = TRY(search_range(self, bound[1], bound[2]));
    if (begin > view_of(self).size()) return bool_value(false);
    std::string_view text = view_of(self).substr(begin, end - begin);
    auto matches = [&](const Value& affix) {
        return AtEnd ? text.ends_with(view_of(affix)) : text.starts_with(view_of(affix));
    };
    if (bound[0]->is(Type::String)) return bool_value(matches(*bound[0]));
    if (!bound[0]->is(Type::Tuple)) {
        return error("{} first arg must be str or a tuple of str, not {}", kName, type_name(*bound[0]));
    }
    for (const Value& affix : list_of(*bound[0]).items) {
        TRY(string_argument(affix));
        if (matches(affix)) return bool_value(true);
    }
    return bool_value(false);
}

Result<Value> replace_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_positional("replace", arguments, 2, 3));
    std::string_view old = TRY(string_argument(*bound[0]));
    if (!is_markup(self)) TRY(string_argument(*bound[1]));
    int64_t most = bound[2] ? TRY(to_index(*bound[2])) : -1;
    TracedText with = is_markup(self) ? TRY(escaped_text(runtime, *bound[1])) : text_of(*bound[1]);
    return like(runtime, self, TRY(replace(runtime, text_of(self), old, with, most)));
}

Result<Value> join(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_positional("join", arguments, 1, 1));
    TracedText out;
    auto items = TRY(iterate(runtime, *bound[0]));
    for (size_t i = 0; i < items.size(); ++i) {
        if (!items[i].is(Type::String) && !is_markup(self)) {
            return error("sequence item {}: expected str instance, {} found", i, type_name(items[i]));
        }
        if (i > 0) out.append(text_of(self));
        out.append(is_markup(self) ? TRY(escaped_text(runtime, items[i])) : text_of(items[i]));
    }
    return like(runtime, self, std::move(out));
}

template <bool FromRight>
Result<Value> partition(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_positional("partition", arguments, 1, 1));
    std::string_view separator = TRY(string_argument(*bound[0]));
    if (separator.empty()) return error("empty separator");
    const TracedText& text = text_of(self);
    size_t at = FromRight ? TRY(find_last_bytes(runtime, text.view(), separator)) : find_bytes(text.view(), separator);
    size_t end = at + separator.size();
    if (at == std::string_view::npos) at = end = FromRight ? 0 : text.size();
    std::vector<Value> parts = {like(runtime, self, text.slice(0, at)), like(runtime, self, text.slice(at, end)),
                                like(runtime, self, text.slice(end, text.size()))};
    return runtime.list(std::move(parts), Type::Tuple);
}

template <Align To>
Result<Value> justify(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_positional("a padding method", arguments, 1, 2));
    int64_t width = TRY(to_index(*bound[0]));
    TracedText fill(" ", Origin::Value);
    if (bound[1]) {
        if (!is_markup(self)) TRY(string_argument(*bound[1]));
        fill = is_markup(self) ? TRY(escaped_text(runtime, *bound[1])) : text_of(*bound[1]);
        if (utf8_length(fill.view()) != 1) return error("the fill character must be exactly one character long");
    }
    return like(runtime, self, TRY(align(runtime, text_of(self), width, fill, To)));
}

Result<Value> zfill(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_positional("zfill", arguments, 1, 1));
    int64_t width = TRY(to_index(*bound[0]));
    const TracedText& text = text_of(self);
    size_t sign = text.view().starts_with('-') || text.view().starts_with('+') ? 1 : 0;
    TracedText digits = text.slice(sign, text.size());
    TracedText out = text.slice(0, sign);
    out.append(
        TRY(align(runtime, digits, width - static_cast<int64_t>(sign), TracedText("0", Origin::Value), Align::Right)));
    return like(runtime, self, std::move(out));
}

Result<Value> expandtabs(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("expandtabs", arguments, {"tabsize"}));
    int64_t size = bound[0] ? TRY(to_index(*bound[0])) : 8;
    if (size > static_cast<int64_t>(kTextBytesMax)) return error("a tab of {} columns is too wide", size);
    const TracedText& text = text_of(self);
    TracedText out;
    int64_t column = 0;
    for (size_t at = 0; at < text.size();) {
        Utf8Unit unit = next_utf8(text.view().substr(at));
        char32_t c = unit.code_point;
        if (c == '\t') {
            int64_t spaces = size > 0 ? size - column % size : 0;
            TRY(runtime.reserve(out.size() + static_cast<size_t>(spaces)));
            out.append(std::string(static_cast<size_t>(spaces), ' '), text.origin_at(at));
            if (out.too_long()) return error("the template builds a string of more than {} bytes", kTextBytesMax);
            column += spaces;
        } else {
            out.append(text, at, at + unit.size);
            column = c == '\n' || c == '\r' ? 0 : column + 1;
        }
        at += unit.size;
    }
    return like(runtime, self, std::move(out));
}

template <bool AtEnd>
Result<Value> remove_affix(Runtime& runtime, const Value& self, const Arguments& arguments) {
    bool named = AtEnd && is_markup(self);  // markupsafe gives this one parameter a name
    auto bound = named ? TRY(bind_arguments("removesuffix", arguments, {"suffix"}, 1))
                       : TRY(bind_positional("removeprefix", arguments, 1, 1));
    std::string_view affix = TRY(string_argument(*bound[0]));
    const TracedText& text = text_of(self);
    bool there = AtEnd ? text.view().ends_with(affix) : text.view().starts_with(affix);
    if (!there) return self;
    return like(runtime, self,
                AtEnd ? text.slice(0, text.size() - affix.size()) : text.slice(affix.size(), text.size()));
}

Result<Value> format(Runtime& runtime, const Value& self, const Arguments& arguments) {
    return format_braces(runtime, self, arguments);
}

Result<Value> format_map(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_positional("format_map", arguments, 1, 1));
    Arguments named;
    if (bound[0]->is(Type::Dict)) {
        TRY(runtime.spend(dict_of(*bound[0]).entries.size()));
        for (const auto& [key, value] : dict_of(*bound[0]).entries) {
            if (key.is(Type::String)) named.named.emplace_back(view_of(key), value);
        }
    }
    return format_braces(runtime, self, named);
}

// True when `holds` for all code points; of a text without any, `Otherwise`.
template <bool (*Holds)(char32_t), bool Otherwise = false>
Result<Value> all(Runtime&, const Value& self, const Arguments& arguments) {
    TRY(no_arguments("a method that asks for characters", arguments));
    std::string_view text = view_of(self);
    for (size_t at = 0; at < text.size();) {
        Utf8Unit unit = next_utf8(text.substr(at));
        if (!Holds(unit.code_point)) return bool_value(false);
        at += unit.size;
    }
    return bool_value(Otherwise || !text.empty());
}

bool is_decimal(char32_t c) { return decimal_digit(c).has_value(); }
bool is_alphanumeric(char32_t c) { return is_letter(c) || has_numeric_value(c); }
bool is_ascii(char32_t c) { return c < 0x80; }

Result<Value> is_identifier(Runtime& runtime, const Value& self, const Arguments& arguments) {
    std::string_view text = view_of(self);
    if (!text.empty() && !begins_identifier(next_utf8(text).code_point)) {
        TRY(no_arguments("isidentifier", arguments));
        return bool_value(false);
    }
    return all<continues_identifier>(runtime, self, arguments);
}

// At least one cased letter, and none of the other case.
template <bool Upper>
Result<Value> is_case(Runtime&, const Value& self, const Arguments& arguments) {
    TRY(no_arguments(Upper ? "isupper" : "islower", arguments));
    std::string_view text = view_of(self);
    bool cased = false;
    for (size_t at = 0; at < text.size();) {
        Utf8Unit unit = next_utf8(text.substr(at));
        char32_t c = unit.code_point;
        if (is_title(c) || (Upper ? is_lower(c) : is_upper(c))) return bool_value(false);
        cased = cased || (Upper ? is_upper(c) : is_lower(c));
        at += unit.size;
    }
    return bool_value(cased);
}

Result<Value> is_title_case(Runtime&, const Value& self, const Arguments& arguments) {
    TRY(no_arguments("istitle", arguments));
    std::string_view text = view_of(self);
    bool cased = false, in_word = false;
    for (size_t at = 0; at < text.size();) {
        Utf8Unit unit = next_utf8(text.substr(at));
        char32_t c = unit.code_point;
        bool begins = is_upper(c) || is_title(c);
        if (begins ? in_word : is_lower(c) && !in_word) return bool_value(false);
        in_word = begins || is_lower(c);
        cased = cased || in_word;
        at += unit.size;
    }
    return bool_value(cased);
}

}  // namespace

MethodFunction find_string_method(std::string_view name) {
    // clang-format off
    static constexpr std::pair<std::string_view, MethodFunction> kMethods[] = {
        {"capitalize", map_method<capitalize>},
        {"casefold", case_method<Case::Fold>},
        {"center", justify<Align::Center>},
        {"count", count},
        {"encode", encode},
        {"endswith", starts_or_ends<true>},
        {"expandtabs", expandtabs},
        {"find", find<false, false>},
        {"format", format},
        {"format_map", format_map},
        {"index", find<false, true>},
        {"isalnum", all<is_alphanumeric>},
        {"isalpha", all<is_letter>},
        {"isascii", all<is_ascii, true>},
        {"isdecimal", all<is_decimal>},
        {"isdigit", all<has_digit_value>},
        {"isidentifier", is_identifier},
        {"islower", is_case<false>},
        {"isnumeric", all<has_numeric_value>},
        {"isprintable", all<is_printable, true>},
        {"isspace", all<is_space>},
        {"istitle", is_title_case},
        {"isupper", is_case<true>},
        {"join", join},
        {"ljust", justify<Align::Left>},
        {"lower", case_method<Case::Lower>},
        {"lstrip", strip_method<true, false>},
        {"maketrans", make_translation},
        {"partition", partition<false>},
        {"removeprefix", remove_affix<false>},
        {"removesuffix", remove_affix<true>},
        {"replace", replace_method},
        {"rfind", find<true, false>},
        {"rindex", find<true, true>},
        {"rjust", justify<Align::Right>},
        {"rpartition", partition<true>},
        {"rsplit", split<true>},
        {"rstrip", strip_method<false, true>},
        {"split", split<false>},
        {"splitlines", splitlines},
        {"startswith", starts_or_ends<false>},
        {"strip", strip_method<true, true>},
        {"swapcase", map_method<swap_case>},
        {"title", map_method<title_method>},
        {"translate", translate},
        {"upper", case_method<Case::Upper>},
        {"zfill", zfill},
    };
    // clang-format on
    for (const auto& [method, call] : kMethods) {
        if (method == name) return call;
    }
    return nullptr;
}

}  // namespace godwit::jinja
