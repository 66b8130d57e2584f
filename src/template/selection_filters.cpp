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

// What `one` makes of each item, nullopt to leave it out, until it fails: that is known only to who takes so many
// items.
template <class One>
Result<Value> generate(Runtime& runtime, const Value& input, One one) {
    std::vector<Value> made;
    for (const Value& item : TRY(iterate(runtime, input))) {
        TRY(runtime.spend(1));
        Result<std::optional<Value>> result = one(item);
        if (!result.ok()) return runtime.generator(std::move(made), result.error());
        if (auto value = std::move(result).take()) made.push_back(*value);
    }
    return runtime.generator(std::move(made));
}

Result<Value> map_attribute(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("map", arguments, {"attribute", "default"}, 1));
    return generate(runtime, input, [&](const Value& item) -> Result<std::optional<Value>> {
        return std::optional(TRY(attribute_path(runtime, item, *bound[0], bound[1])));
    });
}

Result<Value> map_items(Runtime& runtime, const Value& input, const Arguments& arguments) {
    if (arguments.positional.empty()) return map_attribute(runtime, input, arguments);
    std::string_view name = TRY(name_argument(arguments.positional[0]));
    const Filter* filter = find_filter(name);
    if (filter == nullptr) return error("there is no filter '{}'", name);
    Arguments rest = arguments;
    rest.positional.erase(rest.positional.begin());
    return generate(runtime, input, [&](const Value& item) -> Result<std::optional<Value>> {
        TRY(runtime.spend_reading(item));
        return std::optional(TRY(filter->apply(runtime, item, rest)));
    });
}

template <bool Keep, bool ByAttribute>
Result<Value> select_items(Runtime& runtime, const Value& input, const Arguments& arguments) {
    size_t used = ByAttribute ? 1 : 0;
    if (arguments.positional.size() < used) return error("missing parameter for attribute name");
    const Test* test = nullptr;
    Arguments rest;
    if (arguments.positional.size() > used) {
        const Value& named = arguments.positional[used];
        std::string_view name = TRY(name_argument(named));
        test = find_test(name);
        if (test == nullptr) return error("there is no test '{}'", name);
        rest.positional.assign(arguments.positional.begin() + static_cast<ptrdiff_t>(used) + 1,
                               arguments.positional.end());
        rest.named = arguments.named;
    }
    return generate(runtime, input, [&](const Value& item) -> Result<std::optional<Value>> {
        bool by_attribute = ByAttribute && !arguments.positional[0].is(Type::None);
        Value tested = by_attribute ? TRY(attribute_path(runtime, item, arguments.positional[0])) : item;
        TRY(runtime.spend_reading(tested));
        bool holds = test ? TRY(test->apply(runtime, tested, rest)) : truthy(tested);
        return holds == Keep ? std::optional(item) : std::nullopt;
    });
}

// What is false has no items; and what the arguments lack is known only to who takes an item.
template <FilterFunction Apply>
Result<Value> lazily(Runtime& runtime, const Value& input, const Arguments& arguments) {
    if (!truthy(input)) return runtime.generator({});
    auto made = Apply(runtime, input, arguments);
    return made.ok() ? std::move(made) : runtime.generator({}, made.error());
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
    static constexpr Filter kFilters[] = {{"map", lazily<map_items>},
                                          {"select", lazily<select_items<true, false>>},
                                          {"reject", lazily<select_items<false, false>>},
                                          {"selectattr", lazily<select_items<true, true>>},
                                          {"rejectattr", lazily<select_items<false, true>>},
                                          {"attr", attr}};
    return kFilters;
}

}  // namespace godwit::jinja
