#include <algorithm>

#include "base/utf8.hpp"
#include "template/methods.hpp"
#include "template/print.hpp"
#include "template/text_codec.hpp"

namespace godwit::jinja {

namespace {

std::string object_name(const Value& value) {
    if (value.is(Type::None)) return "None";
    return fmt::format("{} object", type_name(value));
}

Value missing_attribute(Runtime& runtime, const Value& container, std::string_view name) {
    return runtime.undefined(fmt::format("'{}' has no attribute '{}'", object_name(container), name));
}

Value unsafe_attribute(Runtime& runtime, const Value& container, std::string_view name) {
    return runtime.undefined(
        fmt::format("access to attribute '{}' of '{}' object is unsafe", name, type_name(container)));
}

// Methods that change their object: the immutable sandbox refuses them. (Of append and pop see container_methods.cpp.)
bool is_mutating(const Value& container, std::string_view name) {
    static constexpr std::string_view kList[] = {"clear", "reverse", "insert", "sort", "extend", "remove"};
    static constexpr std::string_view kDict[] = {"clear", "pop", "popitem", "setdefault", "update"};
    if (container.is(Type::List)) return std::find(std::begin(kList), std::end(kList), name) != std::end(kList);
    if (container.is(Type::Dict)) return std::find(std::begin(kDict), std::end(kDict), name) != std::end(kDict);
    return false;
}

MethodFunction find_method(const Value& container, std::string_view name) {
    if (container.is(Type::Bytes)) return find_bytes_method(name);
    if (container.is_number()) return find_number_method(container, name);
    if (!container.is(Type::String)) return find_container_method(container, name);
    MethodFunction of_markup = is_markup(container) ? find_markup_method(name) : nullptr;
    return of_markup ? of_markup : find_string_method(name);
}

// Methods and what else a Python object has; nullopt: nothing of that name.
std::optional<Value> own_attribute(Runtime& runtime, const Value& container, std::string_view name) {
    if (is_mutating(container, name)) return unsafe_attribute(runtime, container, name);
    if (MethodFunction method = find_method(container, name)) return make_method(runtime, name, method, container);
    if (container.is_number()) return number_attribute(container, name);
    if (container.is(Type::Tuple) && list_of(container).group) {
        if (name == "grouper") return list_of(container).items[0];
        if (name == "list") return list_of(container).items[1];
    }
    if (container.is(Type::Range)) {
        const RangeObject& range = range_of(container);
        if (name == "start") return int_value(range.start, container.origin);
        if (name == "stop") return int_value(range.stop, container.origin);
        if (name == "step") return int_value(range.step, container.origin);
    }
    if (container.is(Type::Cycler)) {
        const CyclerObject& cycler = cycler_of(container);
        if (name == "current") return cycler.items[cycler.position];
        if (name == "items") return runtime.list(cycler.items, Type::Tuple);
        if (name == "pos") return int_value(static_cast<Integer>(cycler.position));
    }
    if (container.is(Type::Joiner)) {
        if (name == "sep") return joiner_of(container).separator;
        if (name == "used") return bool_value(joiner_of(container).used);
    }
    return std::nullopt;
}

std::optional<Value> sequence_item(Runtime& runtime, const Value& container, Integer index) {
    if (container.is(Type::String)) {
        auto size = length(container);
        Integer count = static_cast<Integer>(std::move(size).take());
        if (index < 0) index += count;
        if (index < 0 || index >= count) return std::nullopt;
        std::string_view bytes = view_of(container);
        size_t at = 0;
        for (Integer i = 0; i < index; ++i) at += next_utf8(bytes.substr(at)).size;
        size_t end = at + next_utf8(bytes.substr(at)).size;
        return runtime.string(text_of(container).slice(at, end), is_markup(container));
    }
    if (container.is(Type::Range)) {
        const RangeObject& range = range_of(container);
        if (index < 0) index += range.size;
        if (index < 0 || index >= range.size) return std::nullopt;
        return int_value(range.start + index * range.step, container.origin);
    }
    if (container.is(Type::Bytes)) {
        std::string_view bytes = view_of(container);
        if (index < 0) index += static_cast<Integer>(bytes.size());
        if (index < 0 || index >= static_cast<Integer>(bytes.size())) return std::nullopt;
        return int_value(static_cast<unsigned char>(bytes[static_cast<size_t>(index)]));
    }
    if (!container.is_sequence()) return std::nullopt;
    const auto& items = list_of(container).items;
    if (index < 0) index += static_cast<Integer>(items.size());
    if (index < 0 || index >= static_cast<Integer>(items.size())) return std::nullopt;
    return items[static_cast<size_t>(index)];
}

}  // namespace

Value make_method(Runtime& runtime, std::string_view name, MethodFunction call, const Value& self) {
    auto* method = runtime.make<MethodObject>();
    method->name = name;
    method->call = call;
    method->self = self;
    return object_value(Type::Callable, method);
}

Result<Value> attribute(Runtime& runtime, const Value& container, std::string_view name) {
    if (container.is(Type::Undefined)) return error("{}", undefined_message(container));
    if (container.is(Type::Namespace)) {
        if (name.starts_with('_')) return error("access to attribute '{}' of a namespace is unsafe", name);
        const Value* found = dict_of(container).find(name);
        return found ? *found : missing_attribute(runtime, container, name);
    }
    if (auto own = own_attribute(runtime, container, name)) return *own;
    if (container.is(Type::Dict)) {
        if (const Value* found = dict_of(container).find(name)) return *found;
    }
    if (name.starts_with("__")) return unsafe_attribute(runtime, container, name);
    return missing_attribute(runtime, container, name);
}

Result<Value> item(Runtime& runtime, const Value& container, const Value& key) {
    if (container.is(Type::Undefined)) return error("{}", undefined_message(container));
    TRY(runtime.spend_reading(key));
    if (container.is(Type::Dict)) {
        if (const Value* found = dict_of(container).find(key)) return *found;
    }
    if (key.is(Type::String)) {
        if (container.is(Type::Namespace)) return attribute(runtime, container, view_of(key));
        if (auto own = own_attribute(runtime, container, view_of(key))) return *own;
        return missing_attribute(runtime, container, view_of(key));
    }
    if (key.is_integral()) {
        TRY(runtime.spend(container.is(Type::String) ? view_of(container).size() / 16 : 0));
        if (auto found = sequence_item(runtime, container, key.integer)) return *found;
    }
    auto spelled = TRY(repr(runtime, key));
    return runtime.undefined(fmt::format("{} has no element {}", object_name(container), spelled.view().substr(0, 60)));
}

namespace {

struct SliceRange {
    int64_t start, stop, step, count;
};

Result<SliceRange> slice_range(int64_t size, const Value* start, const Value* stop, const Value* step) {
    auto bound = [](const Value* value, int64_t otherwise) -> Result<int64_t> {
        if (value == nullptr || value->is(Type::None)) return otherwise;
        if (!value->is_integral()) return error("slice indices must be integers or None");
        constexpr Integer kFar = Integer{1} << 40;
        return static_cast<int64_t>(std::clamp(value->integer, -kFar, kFar));
    };
    int64_t stride = TRY(bound(step, 1));
    if (stride == 0) return error("slice step cannot be zero");
    int64_t low = stride < 0 ? -1 : 0;
    int64_t high = stride < 0 ? size - 1 : size;
    auto place = [&](int64_t index) { return std::clamp(index < 0 ? index + size : index, low, high); };
    bool no_start = start == nullptr || start->is(Type::None);
    bool no_stop = stop == nullptr || stop->is(Type::None);
    int64_t first = no_start ? (stride < 0 ? high : low) : place(TRY(bound(start, 0)));
    int64_t last = no_stop ? (stride < 0 ? low : high) : place(TRY(bound(stop, 0)));
    int64_t distance = stride < 0 ? first - last : last - first;
    int64_t span = stride < 0 ? -stride : stride;
    return SliceRange{first, last, stride, distance <= 0 ? 0 : (distance - 1) / span + 1};
}

Result<Value> slice_range_object(Runtime& runtime, const Value& container, const Value* start, const Value* stop,
                                 const Value* step) {
    const RangeObject& range = range_of(container);
    SliceRange part = TRY(slice_range(range.size, start, stop, step));
    auto* made = runtime.make<RangeObject>();
    made->start = range.start + part.start * range.step;
    made->stop = range.start + part.stop * range.step;
    made->step = range.step * part.step;
    made->size = part.count;
    Value value = object_value(Type::Range, made);
    value.origin = container.origin;
    return value;
}

Result<Value> slice_bytes(Runtime& runtime, const Value& container, const Value* start, const Value* stop,
                          const Value* step) {
    std::string_view bytes = view_of(container);
    TRY(runtime.spend(bytes.size() / 16));
    SliceRange part = TRY(slice_range(std::ssize(bytes), start, stop, step));
    TracedText out;
    for (int64_t i = 0; i < part.count; ++i) {
        size_t at = static_cast<size_t>(part.start + i * part.step);
        out.append(text_of(container), at, at + 1);
    }
    Value made = runtime.string(std::move(out));
    made.type = Type::Bytes;
    return made;
}

Value slice_string(Runtime& runtime, const Value& container, const std::vector<size_t>& begins, SliceRange range) {
    const TracedText& text = text_of(container);
    if (range.step == 1) {
        size_t first = static_cast<size_t>(range.start);
        size_t last = first + static_cast<size_t>(range.count);
        return runtime.string(text.slice(begins[first], begins[last]), is_markup(container));
    }
    TracedText out;
    for (int64_t i = 0; i < range.count; ++i) {
        size_t at = static_cast<size_t>(range.start + i * range.step);
        out.append(text, begins[at], begins[at + 1]);
    }
    return runtime.string(std::move(out), is_markup(container));
}

}  // namespace

Result<Value> slice(Runtime& runtime, const Value& container, const Value* start, const Value* stop,
                    const Value* step) {
    if (container.is(Type::Undefined)) return error("{}", undefined_message(container));
    bool sliceable =
        container.is_sequence() || container.is(Type::String) || container.is(Type::Range) || container.is(Type::Bytes);
    for (const Value* bound : {start, stop, step}) {
        bool valid = bound == nullptr || bound->is(Type::None) || bound->is_integral();
        if (!valid && container.is(Type::Bytes)) return error("slice indices must be integers or None");
        if (!valid || !sliceable)
            return runtime.undefined(fmt::format("'{}' has no such slice", object_name(container)));
    }
    if (container.is(Type::String)) {
        std::vector<size_t> begins;
        std::string_view bytes = view_of(container);
        TRY(runtime.spend(bytes.size() / 16));
        for (size_t at = 0; at < bytes.size(); at += next_utf8(bytes.substr(at)).size) begins.push_back(at);
        auto range = TRY(slice_range(static_cast<int64_t>(begins.size()), start, stop, step));
        begins.push_back(bytes.size());
        if (range.count == 0) return runtime.string(TracedText(), is_markup(container));
        return slice_string(runtime, container, begins, range);
    }
    if (container.is(Type::Range)) return slice_range_object(runtime, container, start, stop, step);
    if (container.is(Type::Bytes)) return slice_bytes(runtime, container, start, stop, step);
    std::vector<Value> items = TRY(iterate(runtime, container));
    auto range = TRY(slice_range(static_cast<int64_t>(items.size()), start, stop, step));
    std::vector<Value> chosen;
    for (int64_t i = 0; i < range.count; ++i)
        chosen.push_back(items[static_cast<size_t>(range.start + i * range.step)]);
    return runtime.list(std::move(chosen), container.type);
}

Result<Value> attribute_path(Runtime& runtime, const Value& container, const Value& path, const Value* otherwise) {
    auto step = [&](const Value& from, const Value& key) -> Result<Value> {
        Value found = TRY(item(runtime, from, key));
        return found.is(Type::Undefined) && otherwise && !otherwise->is(Type::None) ? *otherwise : found;
    };
    if (path.is(Type::None)) return container;
    if (!path.is(Type::String)) return step(container, path);
    Value value = container;
    std::string_view rest = view_of(path);
    for (;;) {
        size_t dot = rest.find('.');
        std::string_view part = rest.substr(0, dot);
        bool digits =
            !part.empty() && part.size() < 10 && part.find_first_not_of("0123456789") == std::string_view::npos;
        Value key = digits ? int_value(std::stoi(std::string(part))) : runtime.string(part);
        value = TRY(step(value, key));
        if (dot == std::string_view::npos) return value;
        rest.remove_prefix(dot + 1);
    }
}

}  // namespace godwit::jinja
