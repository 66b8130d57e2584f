#include "template/operators.hpp"

#include <cmath>

#include "template/format.hpp"
#include "template/print.hpp"
#include "template/text_algorithms.hpp"

namespace godwit::jinja {

namespace {

double to_real(const Value& value) { return value.is(Type::Float) ? value.real : static_cast<double>(value.integer); }

// A number computed from others is the template's only if all of them are.
Origin joined_origin(const Value& left, const Value& right) {
    bool both = left.origin == Origin::Template && right.origin == Origin::Template;
    return both ? Origin::Template : Origin::Value;
}

std::string_view symbol_of(Operator op) {
    static constexpr std::string_view kSymbols[] = {"+", "-", "*", "/", "//", "%", "**"};
    return kSymbols[static_cast<size_t>(op)];
}

Error too_large() { return error("a number is too large: integers have 128 bits"); }

Result<Integer> integer_power(Integer base, Integer exponent) {
    Integer result = 1;
    while (exponent > 0) {
        if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) return too_large();
        exponent >>= 1;
        if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) return too_large();
    }
    return result;
}

Result<Integer> floor_divide(Integer left, Integer right) {
    if (right == 0) return error("integer division or modulo by zero");
    if (right == -1) {
        if (__builtin_sub_overflow(Integer{0}, left, &left)) return too_large();
        return left;
    }
    Integer quotient = left / right;
    return left % right != 0 && (left < 0) != (right < 0) ? quotient - 1 : quotient;
}

Result<Integer> integer_result(Operator op, Integer left, Integer right) {
    Integer result = 0;
    bool overflow = false;
    switch (op) {
        case Operator::Add:
            overflow = __builtin_add_overflow(left, right, &result);
            break;
        case Operator::Subtract:
            overflow = __builtin_sub_overflow(left, right, &result);
            break;
        case Operator::Multiply:
            overflow = __builtin_mul_overflow(left, right, &result);
            break;
        case Operator::FloorDivide:
            return floor_divide(left, right);
        case Operator::Modulo: {
            if (right == 0) return error("integer modulo by zero");
            if (right == -1) return Integer{0};
            result = left % right;
            if (result != 0 && (result < 0) != (right < 0)) result += right;
            break;
        }
        default:
            return integer_power(left, right);
    }
    if (overflow) return too_large();
    return result;
}

double real_modulo(double left, double right) {
    double rest = std::fmod(left, right);
    if (rest == 0.0) return std::copysign(0.0, right);
    return (rest < 0) != (right < 0) ? rest + right : rest;
}

Result<double> real_result(Operator op, double left, double right) {
    bool divides = op == Operator::Divide || op == Operator::FloorDivide || op == Operator::Modulo;
    if (divides && right == 0.0) return error("division by zero");
    switch (op) {
        case Operator::Add:
            return left + right;
        case Operator::Subtract:
            return left - right;
        case Operator::Multiply:
            return left * right;
        case Operator::Divide:
            return left / right;
        case Operator::FloorDivide: {
            double quotient = (left - real_modulo(left, right)) / right;
            double floor = std::floor(quotient);
            return quotient - floor > 0.5 ? floor + 1.0 : floor;
        }
        case Operator::Modulo:
            return real_modulo(left, right);
        case Operator::Power:
            break;
    }
    if (left == 0.0 && right < 0) return error("0.0 cannot be raised to a negative power");
    if (left < 0 && std::floor(right) != right) return error("complex numbers are not supported");
    double power = std::pow(left, right);
    if (std::isinf(power) && !std::isinf(left) && !std::isinf(right)) return too_large();
    return power;
}

Result<Value> calculate_numbers(Operator op, const Value& left, const Value& right) {
    Origin origin = joined_origin(left, right);
    bool integral = left.is_integral() && right.is_integral() && op != Operator::Divide;
    if (op == Operator::Power && right.is_integral() && right.integer < 0) integral = false;
    if (integral) return int_value(TRY(integer_result(op, left.integer, right.integer)), origin);
    return float_value(TRY(real_result(op, to_real(left), to_real(right))), origin);
}

Result<Value> join_strings(Runtime& runtime, const Value& left, const Value& right) {
    TRY(runtime.reserve(view_of(left).size() + view_of(right).size()));
    bool markup = is_markup(left) || is_markup(right);
    TracedText text;
    text.append(markup && !is_markup(left) ? escape_html(text_of(left)) : text_of(left));
    text.append(markup && !is_markup(right) ? escape_html(text_of(right)) : text_of(right));
    return runtime.string(std::move(text), markup);
}

Result<Value> repeat(Runtime& runtime, const Value& value, Integer times) {
    if (times < 0) times = 0;
    bool text = value.is(Type::String);
    Integer unit =
        text ? static_cast<Integer>(view_of(value).size()) : static_cast<Integer>(list_of(value).items.size());
    Integer total = 0;
    if (__builtin_mul_overflow(unit, times, &total) || total > Integer{1} << 40)
        return error("a repetition is too large");
    size_t bytes = static_cast<size_t>(total) * (text ? 1 : sizeof(Value));
    TRY(runtime.reserve(bytes));
    TRY(runtime.spend(static_cast<size_t>(total) / (text ? 16 : 1)));
    if (unit == 0) times = 0;
    if (text) {
        TracedText out;
        for (Integer i = 0; i < times; ++i) out.append(text_of(value));
        return runtime.string(std::move(out), is_markup(value));
    }
    std::vector<Value> items;
    items.reserve(static_cast<size_t>(total));
    const auto& unit_items = list_of(value).items;
    for (Integer i = 0; i < times; ++i) items.insert(items.end(), unit_items.begin(), unit_items.end());
    return runtime.list(std::move(items), value.type);
}

Result<Value> join_lists(Runtime& runtime, const Value& left, const Value& right) {
    std::vector<Value> items = TRY(iterate(runtime, left));
    std::vector<Value> more = TRY(iterate(runtime, right));
    items.insert(items.end(), more.begin(), more.end());
    return runtime.list(std::move(items), left.type);
}

Error cannot_concatenate(const Value& left, const Value& right) {
    return error("can only concatenate {} (not \"{}\") to {}", type_name(left), type_name(right), type_name(left));
}

bool is_repeatable(const Value& value) { return value.is(Type::String) || value.is_sequence(); }

}  // namespace

Result<Value> calculate(Runtime& runtime, Operator op, const Value& left, const Value& right) {
    if (left.is_number() && right.is_number()) return calculate_numbers(op, left, right);
    if (left.is(Type::Undefined)) return error("{}", undefined_message(left));
    if (right.is(Type::Undefined) && !(op == Operator::Modulo && left.is(Type::String))) {
        return error("{}", undefined_message(right));
    }
    if (op == Operator::Modulo && left.is(Type::String)) return format_percent(runtime, left, right);
    if (op == Operator::Add) {
        if (left.is(Type::String) && right.is(Type::String)) return join_strings(runtime, left, right);
        if (left.is_sequence() && left.type == right.type) return join_lists(runtime, left, right);
        if (left.is(Type::String) || left.is_sequence()) return cannot_concatenate(left, right);
    }
    if (op == Operator::Multiply) {
        if (is_repeatable(left) && right.is_integral()) return repeat(runtime, left, right.integer);
        if (is_repeatable(right) && left.is_integral()) return repeat(runtime, right, left.integer);
    }
    return error("unsupported operand type(s) for {}: '{}' and '{}'", symbol_of(op), type_name(left), type_name(right));
}

Result<Value> negate(const Value& value) {
    if (value.is(Type::Undefined)) return error("{}", undefined_message(value));
    if (value.is(Type::Float)) return float_value(-value.real, value.origin);
    if (!value.is_integral()) return error("bad operand type for unary -: '{}'", type_name(value));
    Integer result = 0;
    if (__builtin_sub_overflow(Integer{0}, value.integer, &result)) return too_large();
    return int_value(result, value.origin);
}

namespace {

Result<bool> equal_items(Runtime& runtime, const std::vector<Value>& left, const std::vector<Value>& right, int depth) {
    if (left.size() != right.size()) return false;
    for (size_t i = 0; i < left.size(); ++i) {
        if (!TRY(equal(runtime, left[i], right[i], depth + 1))) return false;
    }
    return true;
}

Result<bool> equal_dicts(Runtime& runtime, const DictObject& left, const DictObject& right, int depth) {
    if (left.entries.size() != right.entries.size()) return false;
    for (const auto& [key, value] : left.entries) {
        const Value* other = right.find(key);
        if (other == nullptr || !TRY(equal(runtime, value, *other, depth + 1))) return false;
    }
    return true;
}

bool equal_ranges(const RangeObject& left, const RangeObject& right) {
    if (left.size != right.size) return false;
    return left.size == 0 || (left.start == right.start && (left.size == 1 || left.step == right.step));
}

bool equal_numbers(const Value& left, const Value& right) {
    if (left.is_integral() && right.is_integral()) return left.integer == right.integer;
    return to_real(left) == to_real(right);
}

Error not_ordered(const Value& left, const Value& right) {
    return error("'<' not supported between instances of '{}' and '{}'", type_name(left), type_name(right));
}

}  // namespace

Result<bool> equal(Runtime& runtime, const Value& left, const Value& right, int depth) {
    if (depth > kNestingMax) return error("a value is nested more than {} deep", kNestingMax);
    TRY(runtime.spend(1));
    if (left.is_number() && right.is_number()) return equal_numbers(left, right);
    if (left.type != right.type) return false;
    switch (left.type) {
        case Type::Undefined:
        case Type::None:
            return true;
        case Type::String:
        case Type::Bytes:
            TRY(runtime.spend_reading(left));
            return view_of(left) == view_of(right);
        case Type::List:
        case Type::Tuple:
            return equal_items(runtime, list_of(left).items, list_of(right).items, depth);
        case Type::Dict:
            return equal_dicts(runtime, dict_of(left), dict_of(right), depth);
        case Type::Range:
            return equal_ranges(range_of(left), range_of(right));
        default:
            return left.object == right.object;
    }
}

Result<bool> less(Runtime& runtime, const Value& left, const Value& right, int depth) {
    if (depth > kNestingMax) return error("a value is nested more than {} deep", kNestingMax);
    TRY(runtime.spend(1));
    if (left.is_number() && right.is_number()) {
        if (left.is_integral() && right.is_integral()) return left.integer < right.integer;
        return to_real(left) < to_real(right);
    }
    if (left.is(Type::Undefined)) return error("{}", undefined_message(left));
    if (right.is(Type::Undefined)) return error("{}", undefined_message(right));
    if (left.type != right.type) return not_ordered(left, right);
    if (left.is(Type::String)) {
        TRY(runtime.spend_reading(left));
        return view_of(left) < view_of(right);  // UTF-8 sorts as its code points
    }
    if (!left.is_sequence()) return not_ordered(left, right);
    const auto& a = list_of(left).items;
    const auto& b = list_of(right).items;
    for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
        if (!TRY(equal(runtime, a[i], b[i], depth + 1))) return less(runtime, a[i], b[i], depth + 1);
    }
    return a.size() < b.size();
}

namespace {

// Takes the items up to the one that is looked for.
Result<bool> taken_by_search(Runtime& runtime, ListObject& generator, const Value& item) {
    for (size_t i = 0; i < generator.items.size(); ++i) {
        if (!TRY(equal(runtime, generator.items[i], item))) continue;
        generator.items.erase(generator.items.begin(), generator.items.begin() + static_cast<ptrdiff_t>(i) + 1);
        return true;
    }
    generator.items.clear();
    if (auto failed = std::exchange(generator.failure, std::nullopt)) return *failed;
    return false;
}

}  // namespace

Result<bool> contains(Runtime& runtime, const Value& container, const Value& item) {
    if (container.is(Type::String)) {
        if (item.is(Type::Undefined)) return error("{}", undefined_message(item));
        if (!item.is(Type::String)) {
            return error("'in <string>' requires string as left operand, not {}", type_name(item));
        }
        TRY(runtime.spend_reading(container));
        return find_bytes(view_of(container), view_of(item)) != std::string_view::npos;
    }
    if (container.is(Type::Dict)) {
        TRY(runtime.spend_reading(item));
        if (!encode_key(item)) return error("unhashable type: '{}'", type_name(item));
        return dict_of(container).find(item) != nullptr;
    }
    if (container.is(Type::Range) && item.is_integral()) {
        const RangeObject& range = range_of(container);
        Integer offset = item.integer - range.start;
        return offset % range.step == 0 && offset / range.step >= 0 && offset / range.step < range.size;
    }
    if (container.is(Type::Generator)) return taken_by_search(runtime, list_of(container), item);
    auto items = iterate(runtime, container);
    if (!items.ok()) return error("argument of type '{}' is not iterable", type_name(container));
    for (const Value& candidate : std::move(items).take()) {
        if (TRY(equal(runtime, candidate, item))) return true;
    }
    return false;
}

Result<bool> compare(Runtime& runtime, Comparison comparison, const Value& left, const Value& right) {
    switch (comparison) {
        case Comparison::Equal:
            return equal(runtime, left, right);
        case Comparison::NotEqual:
            return !TRY(equal(runtime, left, right));
        case Comparison::Less:
            return less(runtime, left, right);
        case Comparison::Greater:
            return less(runtime, right, left);
        case Comparison::In:
            return contains(runtime, right, left);
        case Comparison::NotIn:
            return !TRY(contains(runtime, right, left));
        default:
            break;
    }
    const Value& low = comparison == Comparison::LessEqual ? left : right;
    const Value& high = comparison == Comparison::LessEqual ? right : left;
    if (low.is_number() && high.is_number()) {
        return TRY(less(runtime, low, high)) || equal_numbers(low, high);
    }
    return !TRY(less(runtime, high, low));
}

}  // namespace godwit::jinja
