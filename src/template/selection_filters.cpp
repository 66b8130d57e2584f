// Filters that apply another filter or a test to every item. What is false (none, 0) has no items here, as in jinja2.
#include "template/filters.hpp"
#include "template/methods.hpp"
#include "template/tests.hpp"

namespace godwit::jinja {

namespace {

Result<std::string_view> name_argument(const Value& value) {
    if (!value.is(Type::String)) return error("the name of a filter or test must be a string");
    return view_of(value);
}

Result<Value> map_attribute(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("map", arguments, {"attribute", "default"}, 1));
    std::vector<Value> mapped;
    for (const Value& item : TRY(iterate(runtime, input))) {
        Value value = TRY(attribute_path(runtime, item, *bound[0]));
        mapped.push_back(value.is(Type::Undefined) && bound[1] ? *bound[1] : value);
    }
    return runtime.list(std::move(mapped), Type::Generator);
}

Result<Value> map(Runtime& runtime, const Value& input, const Arguments& arguments) {
    if (!truthy(input)) return runtime.list({}, Type::Generator);
    if (arguments.positional.empty()) return map_attribute(runtime, input, arguments);
    std::string_view name = TRY(name_argument(arguments.positional[0]));
    const Filter* filter = find_filter(name);
    if (filter == nullptr) return error("there is no filter '{}'", name);
    Arguments rest = arguments;
    rest.positional.erase(rest.positional.begin());
    std::vector<Value> mapped;
    for (const Value& item : TRY(iterate(runtime, input))) {
        TRY(runtime.spend(1));
        TRY(runtime.spend_reading(item));
        mapped.push_back(TRY(filter->apply(runtime, item, rest)));
    }
    return runtime.list(std::move(mapped), Type::Generator);
}

template <bool Keep, bool ByAttribute>
Result<Value> select(Runtime& runtime, const Value& input, const Arguments& arguments) {
    if (!truthy(input)) return runtime.list({}, Type::Generator);
    size_t used = ByAttribute ? 1 : 0;
    if (arguments.positional.size() < used) return error("missing parameter for attribute name");
    const Test* test = nullptr;
    Arguments rest;
    if (arguments.positional.size() > used) {
        std::string_view name = TRY(name_argument(arguments.positional[used]));
        test = find_test(name);
        if (test == nullptr) return error("there is no test '{}'", name);
        rest.positional.assign(arguments.positional.begin() + static_cast<ptrdiff_t>(used) + 1,
                               arguments.positional.end());
        rest.named = arguments.named;
    }
    std::vector<Value> selected;
    for (const Value& item : TRY(iterate(runtime, input))) {
        Value tested = ByAttribute ? TRY(attribute_path(runtime, item, arguments.positional[0])) : item;
        TRY(runtime.spend(1));
        TRY(runtime.spend_reading(tested));
        bool holds = test ? TRY(test->apply(runtime, tested, rest)) : truthy(tested);
        if (holds == Keep) selected.push_back(item);
    }
    return runtime.list(std::move(selected), Type::Generator);
}

// Attributes only, never the entries of a dict.
Result<Value> attr(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("attr", arguments, {"name"}, 1));
    std::string_view name = TRY(name_argument(*bound[0]));
    if (!input.is(Type::Dict)) return attribute(runtime, input, name);
    if (auto method = find_container_method(input, name)) return make_method(runtime, name, method, input);
    return runtime.undefined(fmt::format("'dict object' has no attribute '{}'", name));
}

}  // namespace

std::span<const Filter> selection_filters() {
    static constexpr Filter kFilters[] = {{"map", map},
                                          {"select", select<true, false>},
                                          {"reject", select<false, false>},
                                          {"selectattr", select<true, true>},
                                          {"rejectattr", select<false, true>},
                                          {"attr", attr}};
    return kFilters;
}

}  // namespace godwit::jinja
