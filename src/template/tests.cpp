#include "template/tests.hpp"

#include "template/filters.hpp"
#include "template/methods.hpp"
#include "template/operators.hpp"
#include "template/print.hpp"

namespace godwit::jinja {

namespace {

using Check = bool (*)(const Value&);

// A test without arguments.
template <Check Holds>
Result<bool> check(Runtime&, const Value& value, const Arguments& arguments) {
    TRY(bind_arguments("a test", arguments, std::initializer_list<std::string_view>{}));
    return Holds(value);
}

template <Type Wanted>
bool is_type(const Value& value) {
    return value.is(Wanted);
}
bool is_defined(const Value& value) { return !value.is(Type::Undefined); }
bool is_number(const Value& value) { return value.is_number(); }

bool is_iterable(const Value& value) {
    switch (value.type) {
        case Type::None:
        case Type::Bool:
        case Type::Int:
        case Type::Float:
        case Type::Callable:
        case Type::Namespace:
        case Type::Cycler:
        case Type::Joiner:
        case Type::Blocks:
            return false;
        default:
            return true;
    }
}

bool is_sequence(const Value& value) {
    return value.is_sequence() || value.is(Type::String) || value.is(Type::Dict) || value.is(Type::Range) ||
           value.is(Type::Undefined) || value.is(Type::Bytes);
}

bool is_true(const Value& value) { return value.is(Type::Bool) && value.integer != 0; }
bool is_false(const Value& value) { return value.is(Type::Bool) && value.integer == 0; }
bool is_callable(const Value& value) {
    return value.is(Type::Callable) || value.is(Type::Loop) || value.is(Type::Undefined) || value.is(Type::Joiner);
}

template <Comparison Kind>
Result<bool> compares(Runtime& runtime, const Value& value, const Arguments& arguments) {
    auto bound = Kind == Comparison::In ? TRY(bind_arguments("in", arguments, {"seq"}, 1))
                                        : TRY(bind_positional("a comparing test", arguments, 1, 1));
    return compare(runtime, Kind, value, *bound[0]);
}

Result<bool> modulo_is(Runtime& runtime, const Value& value, Integer divisor, Integer rest) {
    Value remainder = TRY(calculate(runtime, Operator::Modulo, value, int_value(divisor)));
    return equal(runtime, remainder, int_value(rest));
}
template <int Rest>
Result<bool> rest_of_two_is(Runtime& runtime, const Value& value, const Arguments& arguments) {
    TRY(bind_arguments("odd and even", arguments, std::initializer_list<std::string_view>{}));
    return modulo_is(runtime, value, 2, Rest);
}

Result<bool> divisible(Runtime& runtime, const Value& value, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("divisibleby", arguments, {"num"}, 1));
    Value remainder = TRY(calculate(runtime, Operator::Modulo, value, *bound[0]));
    return equal(runtime, remainder, int_value(0));
}

Result<bool> same(Runtime&, const Value& value, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("sameas", arguments, {"other"}, 1));
    const Value& other = *bound[0];
    if (value.type != other.type) return false;
    if (value.is(Type::None)) return true;
    if (value.is_integral()) return value.integer == other.integer;
    if (value.is(Type::Float)) return value.real == other.real;
    if (value.is(Type::String)) return view_of(value) == view_of(other);
    return value.object == other.object;
}

template <bool Upper>
Result<bool> has_case(Runtime& runtime, const Value& value, const Arguments& arguments) {
    TRY(bind_arguments("upper and lower", arguments, std::initializer_list<std::string_view>{}));
    Value text = TRY(to_string(runtime, value));
    return truthy(TRY(find_string_method(Upper ? "isupper" : "islower")(runtime, text, Arguments())));
}

Result<bool> is_filter(Runtime&, const Value& value, const Arguments& arguments) {
    TRY(bind_arguments("filter", arguments, std::initializer_list<std::string_view>{}));
    if (!value.is(Type::Undefined) && !encode_key(value)) return error("unhashable type: '{}'", type_name(value));
    return value.is(Type::String) && find_filter(view_of(value)) != nullptr;
}
Result<bool> is_test(Runtime&, const Value& value, const Arguments& arguments) {
    TRY(bind_arguments("test", arguments, std::initializer_list<std::string_view>{}));
    if (!value.is(Type::Undefined) && !encode_key(value)) return error("unhashable type: '{}'", type_name(value));
    return value.is(Type::String) && find_test(view_of(value)) != nullptr;
}

}  // namespace

const Test* find_test(std::string_view name) {
    static constexpr Test kTests[] = {{"defined", check<is_defined>},
                                      {"undefined", check<is_type<Type::Undefined>>},
                                      {"none", check<is_type<Type::None>>},
                                      {"string", check<is_type<Type::String>>},
                                      {"mapping", check<is_type<Type::Dict>>},
                                      {"number", check<is_number>},
                                      {"integer", check<is_type<Type::Int>>},
                                      {"float", check<is_type<Type::Float>>},
                                      {"boolean", check<is_type<Type::Bool>>},
                                      {"escaped", check<is_markup>},
                                      {"true", check<is_true>},
                                      {"false", check<is_false>},
                                      {"iterable", check<is_iterable>},
                                      {"sequence", check<is_sequence>},
                                      {"callable", check<is_callable>},
                                      {"odd", rest_of_two_is<1>},
                                      {"even", rest_of_two_is<0>},
                                      {"divisibleby", divisible},
                                      {"sameas", same},
                                      {"upper", has_case<true>},
                                      {"lower", has_case<false>},
                                      {"filter", is_filter},
                                      {"test", is_test},
                                      {"in", compares<Comparison::In>},
                                      {"eq", compares<Comparison::Equal>},
                                      {"==", compares<Comparison::Equal>},
                                      {"equalto", compares<Comparison::Equal>},
                                      {"ne", compares<Comparison::NotEqual>},
                                      {"!=", compares<Comparison::NotEqual>},
                                      {"gt", compares<Comparison::Greater>},
                                      {">", compares<Comparison::Greater>},
                                      {"greaterthan", compares<Comparison::Greater>},
                                      {"ge", compares<Comparison::GreaterEqual>},
                                      {">=", compares<Comparison::GreaterEqual>},
                                      {"lt", compares<Comparison::Less>},
                                      {"<", compares<Comparison::Less>},
                                      {"lessthan", compares<Comparison::Less>},
                                      {"le", compares<Comparison::LessEqual>},
                                      {"<=", compares<Comparison::LessEqual>}};
    for (const Test& test : kTests) {
        if (test.name == name) return &test;
    }
    return nullptr;
}

}  // namespace godwit::jinja
