#include "template/value.hpp"

#include <fmt/format.h>

#include <cmath>

namespace godwit::jinja {

namespace {

void encode_into(const Value& key, int depth, std::optional<std::string>& out) {
    if (!out) return;
    switch (key.type) {
        case Type::Undefined:
            *out += 'u';
            return;
        case Type::None:
            *out += 'n';
            return;
        case Type::Bool:
        case Type::Int:
            *out += fmt::format("i{}", key.integer);
            return;
        case Type::Float:
            if (std::floor(key.real) == key.real && std::abs(key.real) < 1e37) {
                *out += fmt::format("i{}", static_cast<Integer>(key.real));
            } else {
                *out += fmt::format("f{}", key.real);
            }
            return;
        case Type::String:
            *out += 's';
            *out += view_of(key);
            return;
        case Type::Bytes:
            *out += 'b';
            *out += view_of(key);
            return;
        case Type::Range:
            *out += fmt::format("r{},{},{}", range_of(key).start, range_of(key).step, range_of(key).size);
            return;
        case Type::Tuple:
            if (depth >= kNestingMax) break;
            *out += fmt::format("t{}", list_of(key).items.size());
            for (const Value& item : list_of(key).items) {
                std::optional<std::string> part = std::string();
                encode_into(item, depth + 1, part);
                if (!part) return out.reset();
                *out += fmt::format(":{}:{}", part->size(), *part);
            }
            return;
        default:
            break;
    }
    out.reset();
}

}  // namespace

std::optional<std::string> encode_key(const Value& key) {
    std::optional<std::string> out = std::string();
    encode_into(key, 0, out);
    return out;
}

std::optional<size_t> DictObject::position(const std::string& encoded) const {
    auto found = index_.find(encoded);
    if (found == index_.end()) return std::nullopt;
    return found->second;
}

const Value* DictObject::find(const Value& key) const {
    auto encoded = encode_key(key);
    if (!encoded) return nullptr;
    auto at = position(*encoded);
    return at ? &entries[*at].second : nullptr;
}

const Value* DictObject::find(std::string_view key) const {
    std::string encoded = "s";
    encoded += key;
    auto at = position(encoded);
    return at ? &entries[*at].second : nullptr;
}

void DictObject::set(const Value& key, const Value& value) {
    auto encoded = encode_key(key);
    if (!encoded) return;
    auto [at, inserted] = index_.emplace(std::move(*encoded), entries.size());
    if (inserted) {
        entries.emplace_back(key, value);
    } else {
        entries[at->second].second = value;
    }
}

std::string_view undefined_message(const Value& value) {
    if (value.object == nullptr) return "a value is undefined";
    return static_cast<UndefinedObject*>(value.object)->message;
}

std::string_view type_name(const Value& value) {
    switch (value.type) {
        case Type::Undefined:
            return "Undefined";
        case Type::None:
            return "NoneType";
        case Type::Bool:
            return "bool";
        case Type::Int:
            return "int";
        case Type::Float:
            return "float";
        case Type::String:
            return is_markup(value) ? "Markup" : "str";
        case Type::Bytes:
            return "bytes";
        case Type::List:
            return "list";
        case Type::Tuple:
            return "tuple";
        case Type::Dict:
            return "dict";
        case Type::Namespace:
            return "Namespace";
        case Type::Range:
            return "range";
        case Type::View:
            return list_of(value).view_name;
        case Type::Generator:
            return "generator";
        case Type::Callable:
            return "function";
        case Type::Loop:
            return "LoopContext";
        case Type::Cycler:
            return "Cycler";
        case Type::Joiner:
            return "Joiner";
        case Type::Blocks:
            return "TemplateReference";
    }
    return "object";
}

bool truthy(const Value& value) {
    switch (value.type) {
        case Type::Undefined:
        case Type::None:
            return false;
        case Type::Bool:
        case Type::Int:
            return value.integer != 0;
        case Type::Float:
            return value.real != 0.0;
        case Type::String:
        case Type::Bytes:
            return !text_of(value).empty();
        case Type::List:
        case Type::Tuple:
        case Type::View:
            return !list_of(value).items.empty();
        case Type::Dict:
            return !dict_of(value).entries.empty();
        case Type::Range:
            return range_of(value).size > 0;
        default:
            return true;
    }
}

}  // namespace godwit::jinja
