#include "template/text_codec.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "template/print.hpp"

namespace godwit::jinja {

namespace {

enum class Encoding { Utf8, Latin1, Ascii };

struct Codec {
    Encoding encoding = Encoding::Utf8;
    std::string_view errors = "strict";
};

Result<std::string_view> text_argument(const Value& value) {
    if (!value.is(Type::String)) return error("expected a string, got '{}'", type_name(value));
    return view_of(value);
}

Result<Codec> read_codec(std::string_view what, const Arguments& arguments) {
    static constexpr std::pair<std::string_view, Encoding> kNames[] = {
        {"utf8", Encoding::Utf8},    {"u8", Encoding::Utf8},         {"latin1", Encoding::Latin1},
        {"l1", Encoding::Latin1},    {"iso88591", Encoding::Latin1}, {"ascii", Encoding::Ascii},
        {"usascii", Encoding::Ascii}};
    auto bound = TRY(bind_arguments(what, arguments, {"encoding", "errors"}));
    Codec codec;
    if (bound[1]) codec.errors = TRY(text_argument(*bound[1]));
    if (bound[0] == nullptr) return codec;
    std::string name;
    for (char c : TRY(text_argument(*bound[0]))) {
        if (c != '-' && c != '_' && c != ' ') name += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    }
    for (const auto& [known, encoding] : kNames) {
        if (known != name) continue;
        codec.encoding = encoding;
        return codec;
    }
    return error("unknown encoding: {}", name.substr(0, 60));
}

// What stands for a character that the encoding lacks.
Result<std::string> replacement(const Codec& codec, char32_t c) {
    auto code = static_cast<uint32_t>(c);
    if (codec.errors == "ignore") return std::string();
    if (codec.errors == "replace") return std::string("?");
    if (codec.errors == "xmlcharrefreplace") return fmt::format("&#{};", code);
    if (codec.errors != "backslashreplace") return error("the character U+{:04X} cannot be encoded", code);
    if (code < 0x100) return fmt::format("\\x{:02x}", code);
    return code < 0x10000 ? fmt::format("\\u{:04x}", code) : fmt::format("\\U{:08x}", code);
}

// What stands for bytes that are no character.
Result<std::string> replacement(const Codec& codec, std::string_view bytes) {
    if (codec.errors == "ignore") return std::string();
    if (codec.errors == "replace") return std::string(kReplacementCharacter);
    if (codec.errors != "backslashreplace") return error("bytes that are no character cannot be decoded");
    std::string out;
    for (char byte : bytes) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    return out;
}

Result<Value> decode(Runtime& runtime, const Value& self, const Arguments& arguments) {
    Codec codec = TRY(read_codec("decode", arguments));
    const TracedText& bytes = text_of(self);
    TracedText out;
    for (size_t at = 0; at < bytes.size();) {
        std::string_view rest = bytes.view().substr(at);
        auto byte = static_cast<unsigned char>(rest[0]);
        Utf8Unit unit{byte, 1, byte < 0x80 ? Utf8Form::WellFormed : Utf8Form::IllFormed};
        if (codec.encoding == Encoding::Utf8) unit = next_utf8(rest);
        std::string character;
        if (unit.form == Utf8Form::WellFormed || codec.encoding == Encoding::Latin1) {
            append_utf8(character, unit.code_point);
        } else {
            character = TRY(replacement(codec, rest.substr(0, unit.size)));
        }
        out.append(character, bytes.origin_at(at));
        at += unit.size;
    }
    return runtime.string(std::move(out));
}

Result<Value> hex(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("hex", arguments, {"sep", "bytes_per_sep"}));
    std::string_view separator;
    if (bound[0]) {
        separator = bound[0]->is(Type::Bytes) ? view_of(*bound[0]) : TRY(text_argument(*bound[0]));
        if (separator.size() != 1 || static_cast<unsigned char>(separator[0]) > 0x7F) {
            return error("the separator must be one ASCII character");
        }
    }
    int64_t group = bound[1] ? TRY(to_index(*bound[1])) : 1;
    std::string_view bytes = view_of(self);
    TRY(runtime.reserve(bytes.size() * 3));
    std::string out;
    auto size = std::ssize(bytes);
    for (int64_t i = 0; i < size; ++i) {
        int64_t counted = group > 0 ? size - i : i;
        if (i > 0 && group != 0 && counted % std::abs(group) == 0) out += separator;
        out += fmt::format("{:02x}", static_cast<unsigned char>(bytes[static_cast<size_t>(i)]));
    }
    return runtime.string(out);
}

// table[code]; nothing where the table has no entry.
Result<std::optional<Value>> table_entry(Runtime& runtime, const Value& table, char32_t code) {
    if (table.is(Type::Dict)) {
        const Value* found = dict_of(table).find(int_value(static_cast<Integer>(code)));
        return found ? std::optional(*found) : std::nullopt;
    }
    if (!table.is_sequence() && !table.is(Type::String) && !table.is(Type::Range)) {
        return error("'{}' object is not subscriptable", type_name(table));
    }
    Value found = TRY(item(runtime, table, int_value(static_cast<Integer>(code))));
    return found.is(Type::Undefined) ? std::nullopt : std::optional(found);
}

}  // namespace

Result<Value> encode(Runtime& runtime, const Value& self, const Arguments& arguments) {
    Codec codec = TRY(read_codec("encode", arguments));
    const TracedText& text = text_of(self);
    TracedText out;
    for (size_t at = 0; at < text.size();) {
        Utf8Unit unit = next_utf8(text.view().substr(at));
        char32_t last = codec.encoding == Encoding::Utf8 ? 0x10FFFF : codec.encoding == Encoding::Latin1 ? 0xFF : 0x7F;
        if (unit.code_point > last) {
            out.append(TRY(replacement(codec, unit.code_point)), text.origin_at(at));
        } else if (codec.encoding == Encoding::Utf8) {
            out.append(text, at, at + unit.size);
        } else {
            out.append(std::string(1, static_cast<char>(unit.code_point)), text.origin_at(at));
        }
        at += unit.size;
    }
    Value bytes = runtime.string(std::move(out));
    bytes.type = Type::Bytes;
    return bytes;
}

Result<Value> translate(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_positional("translate", arguments, 1, 1));
    const TracedText& text = text_of(self);
    TracedText out;
    for (size_t at = 0; at < text.size();) {
        Utf8Unit unit = next_utf8(text.view().substr(at));
        auto entry = TRY(table_entry(runtime, *bound[0], unit.code_point));
        if (!entry) {
            out.append(text, at, at + unit.size);
        } else if (entry->is(Type::String)) {
            out.append(text_of(*entry));
        } else if (entry->is_integral()) {
            std::string character;
            bool valid = entry->integer >= 0 && entry->integer <= 0x10FFFF &&
                         (entry->integer < 0xD800 || entry->integer >= 0xE000);
            if (!valid) return error("translate: a table's number must be a character's");
            append_utf8(character, static_cast<char32_t>(entry->integer));
            out.append(character, entry->origin);
        } else if (!entry->is(Type::None)) {
            return error("character mapping must return integer, None or str");
        }
        at += unit.size;
        TRY(runtime.spend(1));
        if (out.too_long()) return error("the template builds a string of more than {} bytes", kTextBytesMax);
    }
    return runtime.string(std::move(out), is_markup(self));
}

Result<Value> make_translation(Runtime& runtime, const Value&, const Arguments& arguments) {
    auto bound = TRY(bind_positional("maketrans", arguments, 1, 3));
    Value table = runtime.dict();
    if (bound[1] == nullptr) {
        if (!bound[0]->is(Type::Dict)) return error("maketrans: one argument must be a dict");
        for (const auto& [key, value] : dict_of(*bound[0]).entries) {
            TRY(runtime.spend(1));
            bool character = key.is(Type::String) && utf8_length(view_of(key)) == 1;
            if (!character && !key.is_integral()) return error("maketrans: the keys must be characters or integers");
            Integer code = character ? static_cast<Integer>(next_utf8(view_of(key)).code_point) : key.integer;
            dict_of(table).set(character ? int_value(code) : key, value);
        }
        return table;
    }
    std::string_view from = TRY(text_argument(*bound[0])), to = TRY(text_argument(*bound[1])), dropped;
    if (bound[2]) dropped = TRY(text_argument(*bound[2]));
    if (utf8_length(from) != utf8_length(to))
        return error("maketrans: the first two arguments must be of equal length");
    TRY(runtime.spend(from.size() + dropped.size()));
    auto next = [](std::string_view& text) {
        Utf8Unit unit = next_utf8(text);
        text.remove_prefix(unit.size);
        return int_value(static_cast<Integer>(unit.code_point));
    };
    while (!from.empty()) {
        Value key = next(from);
        dict_of(table).set(key, next(to));
    }
    while (!dropped.empty()) dict_of(table).set(next(dropped), none_value());
    return table;
}

MethodFunction find_bytes_method(std::string_view name) {
    return name == "decode" ? decode : name == "hex" ? hex : nullptr;
}

}  // namespace godwit::jinja
