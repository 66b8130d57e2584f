#include "server/api/fields.hpp"

#include <cmath>

#include "base/printable.hpp"

namespace godwit::api {
namespace {

/// About 40 bytes of a value at most: a request must not make a message as long as itself.
std::string spelled(const Json& value) {
    if (value.is_number_float() && std::isinf(value.get<double>())) return "a number that large";
    return value.is_primitive() ? printable(json_text(value), 40) : value.type_name();
}

bool is_off(const Json& value) {
    if (value.is_boolean()) return !value.get<bool>();
    if (value.is_number()) return value.get<double>() == 0;
    if (value.is_string()) return value.get_ref<const std::string&>().empty();
    return value.is_array() && value.empty();
}

/// Of an integer, however it is spelled. None: another value, or beyond 64 bits with a sign.
std::optional<int64_t> integer_value(const Json& number) {
    if (number.is_number_unsigned() && number.get<uint64_t>() > uint64_t{INT64_MAX}) return std::nullopt;
    if (number.is_number_integer()) return number.get<int64_t>();
    if (!number.is_number_float()) return std::nullopt;
    auto real = number.get<double>();
    bool fits = real == std::trunc(real) && real >= -0x1p63 && real < 0x1p63;
    return fits ? std::optional(static_cast<int64_t>(real)) : std::nullopt;
}

}  // namespace

const Json* Fields::find(const char* name) const {
    auto found = object_.find(name);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
}

const Json* Fields::find_on(const char* name) const {
    const Json* member = find(name);
    return member == nullptr || is_off(*member) ? nullptr : member;
}

bool Fields::flag(const char* name, bool otherwise) {
    const Json* member = find(name);
    if (member == nullptr) return otherwise;
    if (!member->is_boolean()) fail_type(name, "true or false", *member);
    return member->is_boolean() ? member->get<bool>() : otherwise;
}

int64_t Fields::integer(const char* name, int64_t otherwise, int64_t min, int64_t max) {
    const Json* member = find(name);
    if (member == nullptr) return otherwise;
    std::optional<int64_t> value = integer_value(*member);
    bool whole = member->is_number() && member->get<double>() == std::trunc(member->get<double>());
    if (!whole) fail_type(name, "an integer", *member);
    else if (!value || *value < min || *value > max) fail_range(name, *member, min, max);
    return value.value_or(otherwise);
}

float Fields::number(const char* name, float otherwise, float min, float max) {
    const Json* member = find(name);
    if (member == nullptr) return otherwise;
    if (!member->is_number()) {
        fail_type(name, "a number", *member);
        return otherwise;
    }
    auto value = member->get<double>();
    if (!(value >= min && value <= max)) fail_range(name, *member, min, max);
    return static_cast<float>(value);
}

std::string Fields::text(const char* name, std::string otherwise) {
    const Json* member = find(name);
    if (member == nullptr) return otherwise;
    if (!member->is_string()) fail_type(name, "a string", *member);
    return member->is_string() ? member->get<std::string>() : otherwise;
}

const Json* Fields::object(const char* name) {
    const Json* member = find(name);
    if (member == nullptr || member->is_object()) return member;
    fail_type(name, "an object", *member);
    return nullptr;
}

const Json* Fields::array(const char* name) {
    const Json* member = find(name);
    if (member == nullptr || member->is_array()) return member;
    fail_type(name, "an array", *member);
    return nullptr;
}

std::vector<std::string> Fields::texts(const char* name, size_t count_max, size_t bytes_max) {
    const Json* member = find(name);
    std::vector<std::string> texts;
    if (member == nullptr) return texts;
    const Json list = member->is_array() ? *member : Json::array({*member});
    if (list.size() > count_max) fail(name, fmt::format("{} texts (at most {})", list.size(), count_max));
    for (size_t i = 0; i < list.size() && !failed(); ++i) {
        if (!list[i].is_string()) fail_type(name, "a string or an array of strings", list[i]);
        else if (texts.emplace_back(list[i].get<std::string>()).size() > bytes_max)
            fail(name, fmt::format("a text of {} bytes (at most {})", texts.back().size(), bytes_max));
    }
    return texts;
}

std::vector<TokenId> Fields::token_ids(const char* name, const Json& list, int64_t vocabulary) {
    std::vector<TokenId> ids;
    ids.reserve(list.size());
    for (const Json& each : list) {
        std::optional<int64_t> id = integer_value(each);
        if (!id || *id < 0 || *id >= vocabulary) {
            fail(name, fmt::format("{} is no token id (0 to {})", spelled(each), vocabulary - 1));
            break;
        }
        ids.push_back(static_cast<TokenId>(*id));
    }
    return ids;
}

void Fields::fail(const std::string& name, const std::string& what) {
    remember(ApiError(400, path_ + name + ": " + what).about(path_ + name));
}

void Fields::remember(ApiError fault) {
    if (outer_ != nullptr) outer_->remember(std::move(fault));
    else if (!fault_) fault_ = std::move(fault);
}

void Fields::fail_type(const char* name, const char* expected, const Json& got) {
    fail(name, fmt::format("expected {}, got {}", expected, spelled(got)));
}

template <class Number>
void Fields::fail_range(const char* name, const Json& got, Number min, Number max) {
    fail(name, fmt::format("{} is out of range ({} to {})", spelled(got), min, max));
}

ApiResult<void> Fields::check() const {
    if (outer_ != nullptr) return outer_->check();
    if (fault_) return *fault_;
    return {};
}

}  // namespace godwit::api
