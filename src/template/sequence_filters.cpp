// Filters over the items of a value.
#include <algorithm>
#include <set>

#include "base/utf8.hpp"
#include "template/filters.hpp"
#include "template/methods.hpp"
#include "template/operators.hpp"
#include "template/print.hpp"
#include "template/text_algorithms.hpp"

namespace godwit::jinja {

namespace {

Value fold_case(Runtime& runtime, const Value& value) {
    return value.is(Type::String) ? runtime.string(change_case(text_of(value), Case::Lower)) : value;
}

// What items are compared by: themselves or their attribute ("a", "a.b", with `several` also "a,b"), without case
// unless asked.
Result<std::vector<Value>> keys_of(Runtime& runtime, const std::vector<Value>& items, const Value* attribute,
                                   bool case_sensitive, bool several = false) {
    bool by_attribute = attribute && !attribute->is(Type::None);
    std::vector<Value> paths;
    if (by_attribute && several && attribute->is(Type::String)) {
        std::string_view rest = view_of(*attribute);
        for (;;) {
            size_t comma = rest.find(',');
            paths.push_back(runtime.string(rest.substr(0, comma)));
            if (comma == std::string_view::npos) break;
            rest.remove_prefix(comma + 1);
        }
    } else if (by_attribute) {
        paths.push_back(*attribute);
    }
    std::vector<Value> keys;
    for (const Value& item : items) {
        std::vector<Value> parts;
        for (const Value& path : paths) parts.push_back(TRY(attribute_path(runtime, item, path)));
        if (paths.empty()) parts.push_back(item);
        for (Value& part : parts) part = case_sensitive ? part : fold_case(runtime, part);
        keys.push_back(parts.size() == 1 && !several ? parts[0] : runtime.list(std::move(parts)));
        TRY(runtime.spend(1));
    }
    return keys;
}

// The order of `keys`: indices, stable.
Result<std::vector<size_t>> sorted_order(Runtime& runtime, const std::vector<Value>& keys, bool reverse) {
    std::vector<size_t> order(keys.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::optional<Error> failed;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        if (failed) return false;
        auto before = reverse ? less(runtime, keys[b], keys[a]) : less(runtime, keys[a], keys[b]);
        if (!before.ok()) failed = before.error();
        return before.ok() && std::move(before).take();
    });
    if (failed) return *failed;
    return order;
}

Result<Value> sort(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("sort", arguments, {"reverse", "case_sensitive", "attribute"}));
    auto items = TRY(iterate(runtime, input));
    auto keys = TRY(keys_of(runtime, items, bound[2], argument_is_true(bound[1]), true));
    bool reverse = bound[0] && TRY(to_index(*bound[0])) != 0;
    std::vector<Value> sorted;
    for (size_t i : TRY(sorted_order(runtime, keys, reverse))) sorted.push_back(items[i]);
    return runtime.list(std::move(sorted));
}

Result<Value> dictsort(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("dictsort", arguments, {"case_sensitive", "by", "reverse"}));
    if (!input.is(Type::Dict)) return error("dictsort needs a mapping, got '{}'", type_name(input));
    bool by_value = bound[1] && bound[1]->is(Type::String) && view_of(*bound[1]) == "value";
    if (bound[1] && !by_value && !(bound[1]->is(Type::String) && view_of(*bound[1]) == "key")) {
        return error("dictsort: you can only sort by either \"key\" or \"value\"");
    }
    std::vector<Value> compared;
    for (const auto& [key, value] : dict_of(input).entries) compared.push_back(by_value ? value : key);
    auto keys = TRY(keys_of(runtime, compared, nullptr, argument_is_true(bound[0])));
    bool reverse = bound[2] && TRY(to_index(*bound[2])) != 0;
    std::vector<Value> sorted;
    for (size_t i : TRY(sorted_order(runtime, keys, reverse))) {
        const auto& [key, value] = dict_of(input).entries[i];
        sorted.push_back(runtime.list({key, value}, Type::Tuple));
    }
    return runtime.list(std::move(sorted));
}

Result<Value> unique(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("unique", arguments, {"case_sensitive", "attribute"}));
    auto items = TRY(iterate(runtime, input));
    auto keys = TRY(keys_of(runtime, items, bound[1], argument_is_true(bound[0])));
    std::set<std::string> seen;
    std::vector<Value> kept;
    for (size_t i = 0; i < items.size(); ++i) {
        auto key = encode_key(keys[i]);
        if (!key) return runtime.generator(std::move(kept), error("unhashable type: '{}'", type_name(keys[i])));
        if (seen.insert(std::move(*key)).second) kept.push_back(items[i]);
    }
    return runtime.generator(std::move(kept));
}

Result<Value> groupby(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("groupby", arguments, {"attribute", "default", "case_sensitive"}, 1));
    auto items = TRY(iterate(runtime, input));
    bool exact = argument_is_true(bound[2]);
    std::vector<Value> values, keys;
    for (const Value& item : items) {
        Value value = TRY(attribute_path(runtime, item, *bound[0], bound[1]));
        values.push_back(value);
        keys.push_back(exact ? value : fold_case(runtime, value));
    }
    std::vector<Value> groups;
    const Value* last = nullptr;
    for (size_t i : TRY(sorted_order(runtime, keys, false))) {
        if (last == nullptr || !TRY(equal(runtime, *last, keys[i]))) {
            Value group = runtime.list({values[i], runtime.list({})}, Type::Tuple);
            list_of(group).group = true;
            groups.push_back(group);
        }
        last = &keys[i];
        list_of(list_of(groups.back()).items[1]).items.push_back(items[i]);
    }
    return runtime.list(std::move(groups));
}

// A size that no count reaches (0, none, a text) makes one batch.
Result<Value> batch(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("batch", arguments, {"linecount", "fill_with"}, 1));
    std::vector<Value> batches, current;
    auto items = TRY(iterate(runtime, input));
    for (const Value& item : items) {
        bool full = TRY(equal(runtime, int_value(static_cast<Integer>(current.size())), *bound[0]));
        if (full) batches.push_back(runtime.list(std::exchange(current, {})));
        current.push_back(item);
    }
    if (current.empty()) return runtime.generator(std::move(batches));
    if (bound[1] && !bound[1]->is(Type::None)) {
        if (!bound[0]->is_number())
            return runtime.generator(std::move(batches), error("batch: the size must be a number"));
        double size = static_cast<double>(current.size());
        double wanted = bound[0]->is(Type::Float) ? bound[0]->real : static_cast<double>(bound[0]->integer);
        if (wanted > size) {
            if (bound[0]->is(Type::Float))
                return runtime.generator(std::move(batches), error("batch: the size must be an integer"));
            if (wanted > 1'000'000) return error("batch: the size {} is too large", wanted);
            current.resize(static_cast<size_t>(bound[0]->integer), *bound[1]);
        }
    }
    batches.push_back(runtime.list(std::move(current)));
    return runtime.generator(std::move(batches));
}

Result<Value> slice_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("slice", arguments, {"slices", "fill_with"}, 1));
    int64_t slices = TRY(to_index(*bound[0]));
    auto items = TRY(iterate(runtime, input));
    if (slices == 0) return runtime.generator({}, error("slice: the number of slices must not be 0"));
    if (slices < 0) return runtime.generator({});
    TRY(runtime.spend(static_cast<size_t>(slices)));
    size_t count = static_cast<size_t>(slices);
    size_t each = items.size() / count, longer = items.size() % count, at = 0;
    std::vector<Value> parts;
    for (size_t i = 0; i < count; ++i) {
        size_t end = at + each + (i < longer ? 1 : 0);
        std::vector<Value> part(items.begin() + static_cast<ptrdiff_t>(at),
                                items.begin() + static_cast<ptrdiff_t>(end));
        if (bound[1] && !bound[1]->is(Type::None) && i >= longer) part.push_back(*bound[1]);
        parts.push_back(runtime.list(std::move(part)));
        at = end;
    }
    return runtime.generator(std::move(parts));
}

Result<Value> join(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("join", arguments, {"d", "attribute"}));
    Value separator = bound[0] ? *bound[0] : runtime.string("");
    auto items = TRY(iterate(runtime, input));
    if (bound[1] && !bound[1]->is(Type::None)) {
        for (Value& item : items) item = TRY(attribute_path(runtime, item, *bound[1]));
    }
    // Markup among the parts escapes the separator, markup as the separator the parts.
    bool markup = runtime.autoescape && is_markup(separator);
    bool escapes = runtime.autoescape && !markup && std::any_of(items.begin(), items.end(), is_markup);
    TracedText between = escapes ? TRY(escaped_text(runtime, separator)) : TRY(to_text(runtime, separator)), out;
    for (size_t i = 0; i < items.size(); ++i) {
        if (i > 0) out.append(between);
        out.append(markup || escapes ? TRY(escaped_text(runtime, items[i])) : TRY(to_text(runtime, items[i])));
        if (out.too_long()) return error("the template builds a string of more than {} bytes", kTextBytesMax);
    }
    return runtime.string(std::move(out), markup || escapes);
}

Result<Value> length_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
    TRY(no_arguments("length", arguments));
    TRY(runtime.spend(input.is(Type::String) ? view_of(input).size() / 64 : 0));
    return int_value(static_cast<Integer>(TRY(length(input))));
}

Result<Value> first(Runtime& runtime, const Value& input, const Arguments& arguments) {
    TRY(no_arguments("first", arguments));
    if (input.is(Type::String)) {
        size_t size = truthy(input) ? next_utf8(view_of(input)).size : 0;
        if (size > 0) return runtime.string(text_of(input).slice(0, size));
    } else if (input.is_sequence()) {
        if (truthy(input)) return list_of(input).items.front();
    } else if (input.is(Type::Generator)) {
        auto& items = list_of(input).items;
        if (auto failed = list_of(input).failure; failed && items.empty()) return *failed;
        if (!items.empty()) {
            Value taken = items.front();
            items.erase(items.begin());
            return taken;
        }
    } else {
        auto items = TRY(iterate(runtime, input));
        if (!items.empty()) return items.front();
    }
    return runtime.undefined("No first item, sequence was empty.");
}

Result<Value> last(Runtime& runtime, const Value& input, const Arguments& arguments) {
    TRY(no_arguments("last", arguments));
    if (input.is(Type::String) || input.is_sequence()) {
        if (truthy(input)) return item(runtime, input, int_value(-1));
    } else {
        if (input.is(Type::Generator)) return error("'generator' object is not reversible");
        auto items = TRY(iterate(runtime, input));
        if (!items.empty()) return items.back();
    }
    return runtime.undefined("No last item, sequence was empty.");
}

Result<Value> list(Runtime& runtime, const Value& input, const Arguments& arguments) {
    TRY(no_arguments("list", arguments));
    return runtime.list(TRY(iterate(runtime, input)));
}

Result<Value> reverse(Runtime& runtime, const Value& input, const Arguments& arguments) {
    TRY(no_arguments("reverse", arguments));
    auto items = TRY(iterate(runtime, input));
    std::reverse(items.begin(), items.end());
    if (input.is(Type::Generator)) return runtime.list(std::move(items));
    if (!input.is(Type::String)) return runtime.generator(std::move(items));
    TracedText out;
    for (const Value& character : items) out.append(text_of(character));
    return runtime.string(std::move(out), is_markup(input));
}

Result<Value> sum(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("sum", arguments, {"attribute", "start"}));
    Value total = bound[1] ? *bound[1] : int_value(0);
    if (total.is(Type::String)) return error("sum() can't sum strings [use join instead]");
    for (const Value& item : TRY(iterate(runtime, input))) {
        bool by_attribute = bound[0] && !bound[0]->is(Type::None);
        Value term = by_attribute ? TRY(attribute_path(runtime, item, *bound[0])) : item;
        total = TRY(calculate(runtime, Operator::Add, total, term));
    }
    return total;
}

template <bool Greatest>
Result<Value> extreme(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("min and max", arguments, {"case_sensitive", "attribute"}));
    auto items = TRY(iterate(runtime, input));
    if (items.empty()) return runtime.undefined("No aggregated item, sequence was empty.");
    auto keys = TRY(keys_of(runtime, items, bound[1], argument_is_true(bound[0])));
    size_t best = 0;
    for (size_t i = 1; i < items.size(); ++i) {
        bool better = Greatest ? TRY(less(runtime, keys[best], keys[i])) : TRY(less(runtime, keys[i], keys[best]));
        if (better) best = i;
    }
    return items[best];
}

Result<Value> items_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
    TRY(no_arguments("items", arguments));
    if (input.is(Type::Undefined)) return runtime.generator({});
    if (!input.is(Type::Dict))
        return runtime.generator({}, error("can only get item pairs from a mapping, not from '{}'", type_name(input)));
    TRY(runtime.spend(dict_of(input).entries.size()));
    std::vector<Value> pairs;
    for (const auto& [key, value] : dict_of(input).entries) pairs.push_back(runtime.list({key, value}, Type::Tuple));
    return runtime.generator(std::move(pairs));
}

}  // namespace

std::span<const Filter> sequence_filters() {
    static constexpr Filter kFilters[] = {{"length", length_filter}, {"count", length_filter}, {"join", join},
                                          {"first", first},          {"last", last},           {"list", list},
                                          {"items", items_filter},   {"dictsort", dictsort},   {"sort", sort},
                                          {"unique", unique},        {"groupby", groupby},     {"batch", batch},
                                          {"slice", slice_filter},   {"reverse", reverse},     {"sum", sum},
                                          {"min", extreme<false>},   {"max", extreme<true>}};
    return kFilters;
}

}  // namespace godwit::jinja
