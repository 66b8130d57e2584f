// The methods of list, tuple and dict that change nothing, as jinja2's immutable sandbox allows them; and append and
// pop of lists, which it does not: Kimi K2's templates call them.
#include "template/methods.hpp"
#include "template/operators.hpp"
#include "template/print.hpp"

namespace godwit::jinja {

namespace {

Result<Value> count(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("count", arguments, {"value"}, 1));
    int64_t found = 0;
    for (const Value& item : list_of(self).items) found += TRY(equal(runtime, item, *bound[0])) ? 1 : 0;
    return int_value(found);
}

Result<Value> index(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("index", arguments, {"value"}, 1));
    const auto& items = list_of(self).items;
    for (size_t i = 0; i < items.size(); ++i) {
        if (TRY(equal(runtime, items[i], *bound[0]))) return int_value(static_cast<Integer>(i));
    }
    auto spelled = TRY(repr(runtime, *bound[0]));
    return error("{} is not in {}", spelled.view().substr(0, 60), type_name(self));
}

Result<Value> copy_list(Runtime& runtime, const Value& self, const Arguments&) {
    return runtime.list(TRY(iterate(runtime, self)), self.type);
}

Result<Value> append(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("append", arguments, {"value"}, 1));
    TRY(runtime.spend(1));
    list_of(self).items.push_back(*bound[0]);
    return none_value();
}

Result<Value> pop(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("pop", arguments, {"index"}));
    auto& items = list_of(self).items;
    TRY(runtime.spend(1 + items.size() / 64));
    int64_t index = bound[0] ? TRY(to_index(*bound[0])) : -1;
    if (index < 0) index += std::ssize(items);
    if (index < 0 || index >= std::ssize(items)) return error("pop index out of range");
    Value popped = items[static_cast<size_t>(index)];
    items.erase(items.begin() + index);
    return popped;
}

Result<Value> copy_dict(Runtime& runtime, const Value& self, const Arguments&) {
    Value copy = runtime.dict();
    TRY(runtime.spend(dict_of(self).entries.size()));
    for (const auto& [key, value] : dict_of(self).entries) dict_of(copy).set(key, value);
    return copy;
}

Result<Value> get(Runtime&, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("get", arguments, {"key", "default"}, 1));
    if (!encode_key(*bound[0]) && !bound[0]->is(Type::Undefined)) {
        return error("unhashable type: '{}'", type_name(*bound[0]));
    }
    if (const Value* found = dict_of(self).find(*bound[0])) return *found;
    return bound[1] ? *bound[1] : none_value();
}

Value view(Runtime& runtime, std::vector<Value> items, std::string_view name) {
    Value made = runtime.list(std::move(items), Type::View);
    list_of(made).view_name = name;
    return made;
}

Result<Value> keys(Runtime& runtime, const Value& self, const Arguments&) {
    return view(runtime, TRY(iterate(runtime, self)), "dict_keys");
}

Result<Value> values(Runtime& runtime, const Value& self, const Arguments&) {
    TRY(runtime.spend(dict_of(self).entries.size()));
    std::vector<Value> items;
    for (const auto& entry : dict_of(self).entries) items.push_back(entry.second);
    return view(runtime, std::move(items), "dict_values");
}

Result<Value> items(Runtime& runtime, const Value& self, const Arguments&) {
    TRY(runtime.spend(dict_of(self).entries.size()));
    std::vector<Value> pairs;
    for (const auto& [key, value] : dict_of(self).entries) pairs.push_back(runtime.list({key, value}, Type::Tuple));
    return view(runtime, std::move(pairs), "dict_items");
}

}  // namespace

MethodFunction find_container_method(const Value& self, std::string_view name) {
    using Entry = std::pair<std::string_view, MethodFunction>;
    static constexpr Entry kDict[] = {
        {"items", items}, {"keys", keys}, {"values", values}, {"get", get}, {"copy", copy_dict}};
    static constexpr Entry kList[] = {
        {"count", count}, {"index", index}, {"copy", copy_list}, {"append", append}, {"pop", pop}};
    std::span<const Entry> methods;
    if (self.is(Type::Dict)) methods = kDict;
    if (self.is(Type::List)) methods = kList;
    if (self.is(Type::Tuple)) methods = std::span(kList).first(2);
    for (const auto& [method, call] : methods) {
        if (method == name) return call;
    }
    return nullptr;
}

}  // namespace godwit::jinja
