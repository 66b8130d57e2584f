// JSON in and out of a template.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "template/runtime.hpp"

namespace godwit::jinja {

/// A context as values; `origin` for all of its text. Strings in `trusted` under the key "role" are the template's: a
/// role is a word of a closed set that templates put into markers (`<|user|>`).
Result<Value> from_json(Runtime& runtime, const nlohmann::ordered_json& json, Origin origin,
                        std::span<const std::string_view> trusted_roles = {}, int depth = 0);

struct JsonStyle {
    bool ascii = false;
    bool sort_keys = false;
    std::optional<std::string> indent;  // of one level; none: one line
    std::string item_separator = ", ", key_separator = ": ";
};
/// json.dumps(value).
Result<TracedText> to_json(Runtime& runtime, const Value& value, const JsonStyle& style);

}  // namespace godwit::jinja
