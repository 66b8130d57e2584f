#include "template/json_text.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/utf8.hpp"
#include "template/operators.hpp"
#include "template/print.hpp"

namespace godwit::jinja {

Result<Value> from_json(Runtime& runtime, const nlohmann::ordered_json& json, Origin origin,
                        std::span<const std::string_view> trusted_roles, int depth) {
    if (depth > kNestingMax) return error("the context is nested more than {} deep", kNestingMax);
    if (json.is_null()) {
        Value none = none_value();
        none.origin = origin;
        return none;
    }
    if (json.is_boolean()) return bool_value(json.get<bool>(), origin);
    if (json.is_number_unsigned()) return int_value(json.get<uint64_t>(), origin);
    if (json.is_number_integer()) return int_value(json.get<int64_t>(), origin);
    if (json.is_number_float()) return float_value(json.get<double>(), origin);
    if (json.is_string()) return runtime.string(json.get_ref<const std::string&>(), origin);
    TRY(runtime.reserve(json.size() * sizeof(Value)));
    if (json.is_array()) {
        std::vector<Value> items;
        for (const auto& item : json) items.push_back(TRY(from_json(runtime, item, origin, trusted_roles, depth + 1)));
        return runtime.list(std::move(items));
    }
    Value made = runtime.dict();
    for (const auto& [key, member] : json.items()) {
        TRY(runtime.reserve(0));
        Origin member_origin = origin;
        if (key == "role" && member.is_string()) {
            const auto& role = member.get_ref<const std::string&>();
            bool trusted = std::find(trusted_roles.begin(), trusted_roles.end(), role) != trusted_roles.end();
            if (trusted) member_origin = Origin::Template;
        }
        Value value = TRY(from_json(runtime, member, member_origin, trusted_roles, depth + 1));
        dict_of(made).set(runtime.string(key, origin), value);
    }
    return made;
}

namespace {

class JsonWriter {
public:
    JsonWriter(Runtime& runtime, const JsonStyle& style) : runtime_(runtime), style_(style) {}
    TracedText out;

    Result<void> write(const Value& value, int depth) {
        if (depth > kNestingMax) return error("a value is nested more than {} deep", kNestingMax);
        TRY(runtime_.spend(1));
        TRY(runtime_.reserve(out.size()));
        switch (value.type) {
            case Type::None:
                out.append("null", value.origin);
                return done();
            case Type::Bool:
                out.append(value.integer ? "true" : "false", value.origin);
                return done();
            case Type::Int:
                out.append(fmt::format("{}", value.integer), value.origin);
                return done();
            case Type::Float:
                out.append(number(value.real), value.origin);
                return done();
            case Type::String:
                write_string(text_of(value));
                return done();
            case Type::List:
            case Type::Tuple:
                return write_list(list_of(value).items, depth);
            case Type::Dict:
                return write_dict(dict_of(value), depth);
            case Type::Undefined:
                return error("{}: it cannot be written as JSON", undefined_message(value));
            default:
                return error("Object of type {} is not JSON serializable", type_name(value));
        }
    }

private:
    void add(std::string_view bytes) { out.append(bytes, Origin::Value); }

    static std::string number(double real) {
        if (std::isnan(real)) return "NaN";
        if (std::isinf(real)) return real < 0 ? "-Infinity" : "Infinity";
        return float_repr(real);
    }

    void new_line(int depth) {
        if (!style_.indent) return;
        add("\n");
        for (int i = 0; i < depth; ++i) add(*style_.indent);
    }

    void write_string(const TracedText& text) {
        add("\"");
        std::string_view bytes = text.view();
        size_t begin = 0;
        for (size_t at = 0; at < bytes.size();) {
            auto byte = static_cast<unsigned char>(bytes[at]);
            if (byte >= 0x20 && byte != '"' && byte != '\\' && (byte < 0x7F || !style_.ascii || byte == 0x7F)) {
                ++at;
                continue;
            }
            Utf8Unit unit = next_utf8(bytes.substr(at));
            out.append(text, begin, at);
            out.append(escape(unit.code_point), text.origin_at(at));
            at += unit.size;
            begin = at;
        }
        out.append(text, begin, bytes.size());
        add("\"");
    }

    static std::string escape(char32_t c) {
        static constexpr std::string_view kFrom = "\"\\\n\r\t\b\f", kTo = "\"\\nrtbf";
        size_t short_form = c < 0x80 ? kFrom.find(static_cast<char>(c)) : std::string_view::npos;
        if (short_form != std::string_view::npos) return {'\\', kTo[short_form]};
        auto code = static_cast<uint32_t>(c);
        if (code < 0x10000) return fmt::format("\\u{:04x}", code);
        code -= 0x10000;
        return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF));
    }

    Result<void> write_list(const std::vector<Value>& items, int depth) {
        if (items.empty()) {
            add("[]");
            return done();
        }
        add("[");
        for (size_t i = 0; i < items.size(); ++i) {
            if (i > 0) add(style_.item_separator);
            new_line(depth + 1);
            TRY(write(items[i], depth + 1));
        }
        new_line(depth);
        add("]");
        return done();
    }

    Result<TracedText> key_text(const Value& key) {
        switch (key.type) {
            case Type::String:
                return text_of(key);
            case Type::None:
                return TracedText("null", key.origin);
            case Type::Bool:
                return TracedText(key.integer ? "true" : "false", key.origin);
            case Type::Int:
                return TracedText(fmt::format("{}", key.integer), key.origin);
            case Type::Float:
                return TracedText(number(key.real), key.origin);
            default:
                return error("keys must be str, int, float, bool or None, not {}", type_name(key));
        }
    }

    // Pointers to the entries in the order of writing.
    Result<std::vector<const std::pair<Value, Value>*>> ordered(const DictObject& dict) {
        std::vector<const std::pair<Value, Value>*> entries;
        for (const auto& entry : dict.entries) entries.push_back(&entry);
        if (!style_.sort_keys) return entries;
        std::optional<Error> failed;
        std::stable_sort(entries.begin(), entries.end(), [&](const auto* a, const auto* b) {
            if (failed) return false;
            auto before = less(runtime_, a->first, b->first);
            if (!before.ok()) failed = before.error();
            return before.ok() && std::move(before).take();
        });
        if (failed) return *failed;
        return entries;
    }

    Result<void> write_dict(const DictObject& dict, int depth) {
        if (dict.entries.empty()) {
            add("{}");
            return done();
        }
        add("{");
        bool first = true;
        for (const auto* entry : TRY(ordered(dict))) {
            if (!first) add(style_.item_separator);
            first = false;
            new_line(depth + 1);
            write_string(TRY(key_text(entry->first)));
            add(style_.key_separator);
            TRY(write(entry->second, depth + 1));
        }
        new_line(depth);
        add("}");
        return done();
    }

    Runtime& runtime_;
    const JsonStyle& style_;
};

}  // namespace

Result<TracedText> to_json(Runtime& runtime, const Value& value, const JsonStyle& style) {
    JsonWriter writer(runtime, style);
    TRY(writer.write(value, 0));
    return std::move(writer.out);
}

}  // namespace godwit::jinja
