// The methods of list, tuple and dict that change nothing, as jinja2's immutable sandbox allows them; and append and
// pop of lists, which it does not: Kimi K2's templates call them.
#include <algorithm>

#include "template/methods.hpp"
#include "template/operators.hpp"
#include "template/print.hpp"

namespace godwit::jinja {

namespace {

Result<Value> count(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_positional("count", arguments, 1, 1));
    int64_t found = 0;
    for (const Value& item : list_of(self).items) found += TRY(equal(runtime, item, *bound[0])) ? 1 : 0;
    return int_value(found);
}

Result<Value> index(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_positional("index", arguments, 1, 3));
    const auto& items = list_of(self).items;
    auto place = [&](const Value* bound_value, size_t otherwise) -> Result<size_t> {
        if (bound_value == nullptr) return otherwise;
        if (!bound_value->is_integral()) return error("slice indices must be integers");
        Integer size = static_cast<Integer>(items.size()), index = bound_value->integer;
        if (index < 0) index += size;
        return static_cast<size_t>(std::clamp<Integer>(index, 0, size));
    };
    size_t first = TRY(place(bound[1], 0)), last = TRY(place(bound[2], items.size()));
    for (size_t i = first; i < last; ++i) {
        if (TRY(equal(runtime, items[i], *bound[0]))) return int_value(static_cast<Integer>(i));
    }
    auto spelled = TRY(repr(runtime, *bound[0]));
    return error("{} is not in {}", spelled.view().substr(0, 60), type_name(self));
}

Result<Value> copy_list(Runtime& runtime, const Value& self, const Arguments& arguments) {
    TRY(no_arguments("copy", arguments));
    return runtime.list(TRY(iterate(runtime, self)), self.type);
}

Result<Value> append(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_positional("append", arguments, 1, 1));
    TRY(runtime.spend(1));
    list_of(self).items.push_back(*bound[0]);
    return none_value();
}

Result<Value> pop(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_positional("pop", arguments, 0, 1));
    auto& items = list_of(self).items;
    TRY(runtime.spend(1 + items.size() / 64));
    int64_t index = bound[0] ? TRY(to_index(*bound[0])) : -1;
    if (index < 0) index += std::ssize(items);
    if (index < 0 || index >= std::ssize(items)) return error("pop index out of range");
    Value popped = items[static_cast<size_t>(index)];
    items.erase(items.begin() + index);
    return popped;
}

Result<Value> copy_dict(Runtime& runtime, const Value& self, const Arguments& arguments) {
    TRY(no_arguments("copy", arguments));
    Value copy = runtime.dict();
    TRY(runtime.spend(dict_of(self).entries.size()));
    for (const auto& [key, value] : dict_of(self).entries) dict_of(copy).set(key, value);
    return copy;
}

Result<Value> get(Runtime&, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_positional("get", arguments, 1, 2));
    if (!encode_key(*bound[0]) && !bound[0]->is(Type::Undefined)) {
        return error("unhashable type: '{}'", type_name(*bound[0]));
    }
    if (const Value* found = dict_of(self).find(*bound[0])) return *found;
    return bound[1] ? *bound[1] : none_value();
}

Result<Value> from_keys(Runtime& runtime, const Value&, const Arguments& arguments) {
    auto bound = TRY(bind_positional("fromkeys", arguments, 1, 2));
    Value made = runtime.dict();
    for (const Value& key : TRY(iterate(runtime, *bound[0]))) {
        if (!encode_key(key)) return error("unhashable type: '{}'", type_name(key));
        dict_of(made).set(key, bound[1] ? *bound[1] : none_value());
    }
    return made;
}

Result<Value> is_disjoint(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_positional("isdisjoint", arguments, 1, 1));
    if (bound[0]->is(Type::Undefined)) return bool_value(true);
    for (const Value& candidate : TRY(iterate(runtime, *bound[0]))) {
        if (!encode_key(candidate)) return error("unhashable type: '{}'", type_name(candidate));
        if (TRY(contains(runtime, self, candidate))) return bool_value(false);
    }
    return bool_value(true);
}

Result<Value> range_count(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_positional("count", arguments, 1, 1));
    return int_value(TRY(contains(runtime, self, *bound[0])) ? 1 : 0);
}

Result<Value> range_index(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_positional("index", arguments, 1, 1));
    auto items = TRY(iterate(runtime, self));
    for (size_t i = 0; i < items.size(); ++i) {
        if (TRY(equal(runtime, items[i], *bound[0]))) return int_value(static_cast<Integer>(i));
    }
    return error("the value is not in the range");
}

Result<Value> cycler_next(Runtime&, const Value& self, const Arguments& arguments) {
    TRY(no_arguments("next", arguments));
    CyclerObject& cycler = cycler_of(self);
    Value current = cycler.items[cycler.position];
    cycler.position = (cycler.position + 1) % cycler.items.size();
    return current;
}

Result<Value> cycler_reset(Runtime&, const Value& self, const Arguments& arguments) {
    TRY(no_arguments("reset", arguments));
    cycler_of(self).position = 0;
    return none_value();
}

Value view(Runtime& runtime, std::vector<Value> items, std::string_view name) {
    Value made = runtime.list(std::move(items), Type::View);
    list_of(made).view_name = name;
    return made;
}

Result<Value> keys(Runtime& runtime, const Value& self, const Arguments& arguments) {
    TRY(no_arguments("keys", arguments));
    return view(runtime, TRY(iterate(runtime, self)), "dict_keys");
}

Result<Value> values(Runtime& runtime, const Value& self, const Arguments& arguments) {
    TRY(no_arguments("values", arguments));
    TRY(runtime.spend(dict_of(self).entries.size()));
    std::vector<Value> items;
    for (const auto& entry : dict_of(self).entries) items.push_back(entry.second);
    return view(runtime, std::move(items), "dict_values");
}

Result<Value> items(Runtime& runtime, const Value& self, const Arguments& arguments) {
    TRY(no_arguments("items", arguments));
    TRY(runtime.spend(dict_of(self).entries.size()));
    std::vector<Value> pairs;
    for (const auto& [key, value] : dict_of(self).entries) pairs.push_back(runtime.list({key, value}, Type::Tuple));
    return view(runtime, std::move(pairs), "dict_items");
}

}  // namespace

MethodFunction find_container_method(const Value& self, std::string_view name) {
    using Entry = std::pair<std::string_view, MethodFunction>;
    static constexpr Entry kDict[] = {{"items", items}, {"keys", keys},      {"values", values},
                                      {"get", get},     {"copy", copy_dict}, {"fromkeys", from_keys}};
    static constexpr Entry kRange[] = {{"count", range_count}, {"index", range_index}};
    static constexpr Entry kView[] = {{"isdisjoint", is_disjoint}};
    static constexpr Entry kCycler[] = {{"next", cycler_next}, {"reset", cycler_reset}};
    static constexpr Entry kList[] = {
        {"count", count}, {"index", index}, {"copy", copy_list}, {"append", append}, {"pop", pop}};
    std::span<const Entry> methods;
    if (self.is(Type::Dict)) methods = kDict;
    if (self.is(Type::List)) methods = kList;
    if (self.is(Type::Range)) methods = kRange;
    if (self.is(Type::Cycler)) methods = kCycler;
    if (self.is(Type::View) && list_of(self).view_name != "dict_values") methods = kView;
    if (self.is(Type::Tuple)) methods = std::span(kList).first(2);
    for (const auto& [method, call] : methods) {
        if (method == name) return call;
    }
    return nullptr;
}

}  // namespace godwit::jinja
