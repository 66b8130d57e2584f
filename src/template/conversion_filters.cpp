// Filters from and to numbers, JSON and defaults.
#include <cmath>
#include <nlohmann/json.hpp>

#include "template/filters.hpp"
#include "template/json_text.hpp"
#include "template/number_text.hpp"
#include "template/operators.hpp"
#include "template/print.hpp"
#include "template/string_literal.hpp"

namespace godwit::jinja {

namespace {

Result<Value> abs(Runtime&, const Value& input, const Arguments&) {
    if (input.is(Type::Undefined)) return error("{}", undefined_message(input));
    if (!input.is_number()) return error("bad operand type for abs(): '{}'", type_name(input));
    if (input.is(Type::Float)) return float_value(std::abs(input.real), input.origin);
    return input.integer < 0 ? negate(input) : Result<Value>(int_value(input.integer, input.origin));
}

Result<Value> default_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("default", arguments, {"default_value", "boolean"}));
    bool missing = input.is(Type::Undefined) || (argument_is_true(bound[1]) && !truthy(input));
    if (!missing) return input;
    return bound[0] ? *bound[0] : runtime.string("");
}

Result<Integer> truncated(double real) {
    if (!(std::abs(real) < 1.7e38)) return error("cannot convert {} to an integer", float_repr(real));
    return static_cast<Integer>(real);
}

Result<Value> int_filter(Runtime&, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("int", arguments, {"default", "base"}));
    Value otherwise = bound[0] ? *bound[0] : int_value(0);
    if (input.is(Type::Undefined)) return error("{}", undefined_message(input));
    if (input.is_integral()) return int_value(input.integer, input.origin);
    if (input.is(Type::Float)) {
        if (std::isnan(input.real)) return otherwise;
        return int_value(TRY(truncated(input.real)), input.origin);
    }
    if (!input.is(Type::String)) return otherwise;
    Integer base = bound[1] ? (bound[1]->is_integral() ? bound[1]->integer : -1) : 10;
    if (base == 0 || (base >= 2 && base <= 36)) {
        if (auto whole = TRY(parse_int(view_of(input), static_cast<int64_t>(base)))) return int_value(*whole);
    }
    auto real = parse_float(view_of(input));
    if (!real || !std::isfinite(*real)) return otherwise;
    return int_value(TRY(truncated(*real)));
}

Result<Value> float_filter(Runtime&, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("float", arguments, {"default"}));
    if (input.is(Type::Undefined)) return error("{}", undefined_message(input));
    if (input.is(Type::Float)) return input;
    if (input.is_integral()) return float_value(static_cast<double>(input.integer), input.origin);
    if (input.is(Type::String)) {
        if (auto real = parse_float(view_of(input))) return float_value(*real);
    }
    return bound[0] ? *bound[0] : float_value(0.0);
}

// Python's round(): half to even, on the exact decimal value.
Result<double> round_common(double real, int64_t precision) {
    if (!std::isfinite(real)) return real;
    if (precision >= 0) return parse_decimal(fmt::format("{:.{}f}", real, static_cast<int>(precision)));
    double unit = std::pow(10.0, static_cast<double>(-precision));
    return std::nearbyint(real / unit) * unit;
}

// To tens, hundreds, …: half to even.
Integer rounded_integer(Integer number, int64_t zeros) {
    if (zeros > 37) return 0;
    Integer unit = 1;
    for (int64_t i = 0; i < zeros; ++i) unit *= 10;
    Integer rest = number % unit;
    if (rest < 0) rest += unit;
    Integer below = number - rest, twice = rest - (unit - rest);
    bool odd = (below / unit) % 2 != 0;
    return twice > 0 || (twice == 0 && odd) ? below + unit : below;
}

Result<Value> round(Runtime&, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("round", arguments, {"precision", "method"}));
    if (input.is(Type::Undefined)) return error("{}", undefined_message(input));
    bool real_precision = bound[0] && bound[0]->is(Type::Float) && bound[1] && std::abs(bound[0]->real) < 300;
    int64_t precision = bound[0] && !real_precision ? TRY(to_index(*bound[0])) : 0;
    if (std::abs(precision) > 300) return error("round: a precision of {} is too large", precision);
    std::string_view method = "common";
    if (bound[1]) method = bound[1]->is(Type::String) ? view_of(*bound[1]) : "";
    if (method != "common" && method != "ceil" && method != "floor") {
        return error("round: the method must be common, ceil or floor");
    }
    if (!input.is_number()) return error("type {} doesn't define __round__ method", type_name(input));
    if (method == "common" && real_precision) return error("round: the precision must be an integer");
    if (method == "common") {
        bool whole = input.is_integral();
        if (whole && precision >= 0) return int_value(input.integer, input.origin);
        if (whole) return int_value(rounded_integer(input.integer, -precision), input.origin);
        double real = input.real;
        double rounded = TRY(round_common(real, precision));
        return float_value(rounded, input.origin);
    }
    double unit = std::pow(10.0, real_precision ? bound[0]->real : static_cast<double>(precision));
    double scaled = (input.is(Type::Float) ? input.real : static_cast<double>(input.integer)) * unit;
    return float_value((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / unit, input.origin);
}

Result<JsonStyle> json_style(Runtime& runtime, const Bound& bound) {
    JsonStyle style;
    style.ascii = argument_is_true(bound[0]);
    style.sort_keys = argument_is_true(bound[3]);
    if (bound[1] && bound[1]->is(Type::String)) {
        style.indent = view_of(*bound[1]);
    } else if (bound[1] && !bound[1]->is(Type::None)) {
        int64_t width = TRY(to_index(*bound[1]));
        if (width > 1'000) return error("tojson: an indent of {} is too wide", width);
        style.indent = std::string(static_cast<size_t>(std::max<int64_t>(width, 0)), ' ');
    }
    if (style.indent) style.item_separator = ",";
    if (bound[2] && !bound[2]->is(Type::None)) {
        auto parts = TRY(iterate(runtime, *bound[2]));
        if (parts.size() != 2 || !parts[0].is(Type::String) || !parts[1].is(Type::String)) {
            return error("tojson: separators must be two strings");
        }
        style.item_separator = view_of(parts[0]);
        style.key_separator = view_of(parts[1]);
    }
    return style;
}

Result<Value> tojson(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("tojson", arguments, {"ensure_ascii", "indent", "separators", "sort_keys"}));
    JsonStyle style = TRY(json_style(runtime, bound));
    return runtime.string(TRY(to_json(runtime, input, style)));
}

// Not in Hugging Face's environment, but a few public templates use it.
Result<Value> from_json_filter(Runtime& runtime, const Value& input, const Arguments&) {
    if (!input.is(Type::String)) return error("from_json needs a string, got '{}'", type_name(input));
    TRY(runtime.spend(view_of(input).size()));
    TRY(runtime.reserve(view_of(input).size() * 64));
    int depth = 0;
    bool deep = false;
    auto watch = [&](int, nlohmann::ordered_json::parse_event_t event, nlohmann::ordered_json&) {
        using Event = nlohmann::ordered_json::parse_event_t;
        if (event == Event::object_start || event == Event::array_start) deep = deep || ++depth > kNestingMax;
        if (event == Event::object_end || event == Event::array_end) --depth;
        return !deep;
    };
    auto parsed = nlohmann::ordered_json::parse(view_of(input), watch, false);
    if (parsed.is_discarded() || deep) return error("from_json: the string is not JSON");
    return from_json(runtime, parsed, Origin::Value);
}

Result<Value> filesizeformat(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("filesizeformat", arguments, {"binary"}));
    if (input.is(Type::Undefined)) return error("{}", undefined_message(input));
    auto parsed = input.is(Type::String) ? parse_float(view_of(input)) : std::nullopt;
    if (!parsed && !input.is_number()) return error("filesizeformat needs a number, got '{}'", type_name(input));
    Value number = TRY(float_filter(runtime, input, {}));
    bool binary = argument_is_true(bound[0]);
    double base = binary ? 1024 : 1000, bytes = number.real;
    if (bytes == 1) return runtime.string("1 Byte");
    if (bytes < base) return runtime.string(fmt::format("{} Bytes", TRY(truncated(bytes))));
    static constexpr std::string_view kLetters = "kMGTPEZY";
    double unit = base;
    size_t letter = 0;
    for (unit *= base; bytes >= unit && letter + 1 < kLetters.size(); ++letter) unit *= base;
    std::string prefix(1, binary && letter == 0 ? 'K' : kLetters[letter]);
    return runtime.string(fmt::format("{:.1f} {}{}", base * bytes / unit, prefix, binary ? "iB" : "B"));
}

}  // namespace

std::span<const Filter> conversion_filters() {
    static constexpr Filter kFilters[] = {
        {"tojson", tojson},  {"default", default_filter},     {"d", default_filter},
        {"int", int_filter}, {"float", float_filter},         {"abs", abs},
        {"round", round},    {"from_json", from_json_filter}, {"filesizeformat", filesizeformat}};
    return kFilters;
}

}  // namespace godwit::jinja
