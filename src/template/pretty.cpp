// The filter pprint: Python's pprint.pformat with lines of 80 characters.
#include "template/pretty.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "template/filters.hpp"
#include "template/operators.hpp"
#include "template/print.hpp"
#include "template/text_algorithms.hpp"
#include "text/unicode.hpp"

namespace godwit::jinja {

namespace {

constexpr size_t kLine = 80;

// What stands before a value on its line and behind it, and how deep it is.
struct Place {
    size_t indent, allowance;
    int level;
};

class Pretty {
public:
    explicit Pretty(Runtime& runtime) : runtime_(runtime) {}
    TracedText out;

    Result<void> write(const Value& value, Place place) {
        if (place.level > kNestingMax) return error("a value is nested more than {} deep", kNestingMax);
        TRY(runtime_.spend(1));
        TracedText line = TRY(spelled(value));
        TRY(runtime_.spend(line.size() / 64));
        if (utf8_length(line.view()) + place.indent + place.allowance > kLine) {
            ++place.level;
            if (value.is(Type::Dict)) return write_dict(value, place);
            if (value.is_sequence() && !(value.is(Type::Tuple) && list_of(value).group))
                return write_list(value, place);
            if (value.is(Type::String) && !is_markup(value)) return write_string(text_of(value), line, place);
        }
        out.append(line);
        return done();
    }

private:
    void add(std::string_view bytes) { out.append(bytes, Origin::Value); }
    void new_line(size_t indent) {
        add("\n");
        add(std::string(indent, ' '));
    }

    // Keys that cannot be compared are in the order of their types.
    Result<std::vector<std::pair<Value, Value>>> sorted_entries(const DictObject& dict) {
        auto entries = dict.entries;
        std::optional<Error> failed;
        std::stable_sort(entries.begin(), entries.end(), [&](const auto& a, const auto& b) {
            if (auto spent = runtime_.spend(1); !spent.ok()) failed = spent.error();
            auto before = less(runtime_, a.first, b.first);
            return before.ok() ? std::move(before).take() : type_name(a.first) < type_name(b.first);
        });
        if (failed) return *failed;
        return entries;
    }

    // The value with the dicts within it in the order of their keys.
    Result<Value> sorted(const Value& value, int depth) {
        if (depth > kNestingMax) return error("a value is nested more than {} deep", kNestingMax);
        TRY(runtime_.spend(1));
        if (value.is_sequence()) {
            std::vector<Value> items;
            for (const Value& item : list_of(value).items) items.push_back(TRY(sorted(item, depth + 1)));
            return runtime_.list(std::move(items), value.type);
        }
        if (!value.is(Type::Dict)) return value;
        Value made = runtime_.dict();
        for (const auto& [key, item] : TRY(sorted_entries(dict_of(value)))) {
            Value ordered_key = TRY(sorted(key, depth + 1));
            dict_of(made).set(ordered_key, TRY(sorted(item, depth + 1)));
        }
        return made;
    }

    Result<void> write_dict(const Value& value, Place place) {
        add("{");
        ++place.indent;
        auto entries = TRY(sorted_entries(dict_of(value)));
        for (size_t i = 0; i < entries.size(); ++i) {
            bool last = i + 1 == entries.size();
            TracedText key = TRY(spelled(entries[i].first));
            out.append(key);
            add(": ");
            Place inner{place.indent + utf8_length(key.view()) + 2, last ? place.allowance + 1 : 1, place.level};
            TRY(write(entries[i].second, inner));
            if (last) continue;
            add(",");
            new_line(place.indent);
        }
        add("}");
        return done();
    }

    Result<void> write_list(const Value& value, Place place) {
        const auto& items = list_of(value).items;
        std::string_view end = value.is(Type::List) ? "]" : items.size() == 1 ? ",)" : ")";
        add(value.is(Type::List) ? "[" : "(");
        ++place.indent;
        for (size_t i = 0; i < items.size(); ++i) {
            bool last = i + 1 == items.size();
            if (i > 0) {
                add(",");
                new_line(place.indent);
            }
            TRY(write(items[i], {place.indent, last ? place.allowance + end.size() : 1, place.level}));
        }
        add(end);
        return done();
    }

    Result<TracedText> spelled(const Value& value) {
        Value in_order = TRY(sorted(value, 0));
        return repr(runtime_, in_order);
    }
    Result<TracedText> spelled(const TracedText& text) { return repr(runtime_, runtime_.string(text)); }

    // Words with the white space behind them.
    static std::vector<TracedText> words(const TracedText& line) {
        std::vector<TracedText> parts;
        std::string_view bytes = line.view();
        for (size_t at = 0; at < bytes.size();) {
            size_t begin = at;
            for (bool space : {false, true}) {
                while (at < bytes.size() && is_space(next_utf8(bytes.substr(at)).code_point) == space) {
                    at += next_utf8(bytes.substr(at)).size;
                }
            }
            parts.push_back(line.slice(begin, at));
        }
        return parts;
    }

    // One line of a string, broken between words where it is too long.
    Result<void> break_line(const TracedText& line, bool last, size_t width, size_t allowance,
                            std::vector<TracedText>& chunks) {
        auto parts = words(line);
        TracedText current;
        for (size_t i = 0; i < parts.size(); ++i) {
            TracedText candidate = current;
            candidate.append(parts[i]);
            TRY(runtime_.spend(1 + candidate.size() / 64));
            size_t most = last && i + 1 == parts.size() ? width - std::min(allowance, width) : width;
            TracedText line_so_far = TRY(spelled(candidate));
            if (utf8_length(line_so_far.view()) <= most) {
                current = std::move(candidate);
                continue;
            }
            if (!current.empty()) chunks.push_back(TRY(spelled(current)));
            current = parts[i];
        }
        if (!current.empty()) chunks.push_back(TRY(spelled(current)));
        return done();
    }

    Result<void> write_string(const TracedText& text, const TracedText& whole, Place place) {
        bool outermost = place.level == 1;
        if (outermost) ++place.indent, ++place.allowance;
        size_t width = kLine - std::min(place.indent, kLine);
        std::vector<TracedText> chunks;
        auto lines = split_lines(text, true);
        TRY(runtime_.spend(lines.size()));
        for (size_t i = 0; i < lines.size(); ++i) {
            bool last = i + 1 == lines.size();
            TracedText line = TRY(spelled(lines[i]));
            size_t most = last ? width - std::min(place.allowance, width) : width;
            if (utf8_length(line.view()) <= most) {
                chunks.push_back(std::move(line));
            } else {
                TRY(break_line(lines[i], last, width, place.allowance, chunks));
            }
        }
        if (chunks.size() <= 1) {
            out.append(chunks.empty() ? whole : chunks[0]);
            return done();
        }
        if (outermost) add("(");
        for (size_t i = 0; i < chunks.size(); ++i) {
            if (i > 0) new_line(place.indent);
            out.append(chunks[i]);
        }
        if (outermost) add(")");
        return done();
    }

    Runtime& runtime_;
};

}  // namespace

Result<Value> pprint(Runtime& runtime, const Value& input, const Arguments& arguments) {
    TRY(bind_arguments("pprint", arguments, std::initializer_list<std::string_view>{}));
    Pretty pretty(runtime);
    TRY(pretty.write(input, {0, 0, 0}));
    return runtime.string(std::move(pretty.out));
}

}  // namespace godwit::jinja
