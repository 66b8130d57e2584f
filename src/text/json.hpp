// JSON: parsed with limits in linear time, the order of members kept; and written. (The spelling of fractions is lost:
// 1.50 becomes 1.5.)
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.hpp"

// Compiled once, in json.cpp: a third of the time of every file that builds or reads JSON.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace godwit {

using Json = nlohmann::ordered_json;

struct JsonLimits {
    int depth = 128;            // of arrays and objects inside each other
    size_t values = 4'000'000;  // of all kinds, in all
};

/// Errors: "line 2, column 17: expected a value", ill-formed UTF-8 included (lines are counted from `first_line`); a
/// limit is named without a place. A member that comes twice: the last one counts. A number beyond all doubles becomes
/// infinite, as in Python; callers check the range that they need.
Result<Json> parse_json(std::string_view text, const JsonLimits& limits = {}, int64_t first_line = 1);

/// On one line; ill-formed UTF-8 in strings becomes U+FFFD.
std::string json_text(const Json& json);

}  // namespace godwit
