#include "template/runtime.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace godwit::jinja {

Result<void> Runtime::spend(size_t steps) {
    steps_ += steps;
    if (steps_ > limits_.steps) return error("the template needs more than {} steps", limits_.steps);
    if (too_long_) return error("the template builds a string of more than {} bytes", kTextBytesMax);
    return reserve(0);
}

Result<void> Runtime::spend_reading(const Value& value) {
    return value.is(Type::String) || value.is(Type::Bytes) ? spend(view_of(value).size() / 64) : done();
}

Result<void> Runtime::reserve(size_t bytes) const {
    if (memory_ > limits_.memory_bytes || bytes > limits_.memory_bytes - memory_) {
        return error("the template needs more than {} bytes of memory", limits_.memory_bytes);
    }
    return done();
}

Value Runtime::string(TracedText text, bool markup) {
    too_long_ = too_long_ || text.too_long();
    memory_ += text.size();
    auto* object = make<StringObject>();
    object->text = std::move(text);
    object->markup = markup;
    return object_value(Type::String, object);
}

Value Runtime::list(std::vector<Value> items, Type type) {
    memory_ += items.size() * sizeof(Value);
    auto* object = make<ListObject>();
    object->items = std::move(items);
    return object_value(type, object);
}

Value Runtime::dict() { return object_value(Type::Dict, make<DictObject>()); }

Value Runtime::generator(std::vector<Value> items, std::optional<Error> failure) {
    Value made = list(std::move(items), Type::Generator);
    list_of(made).failure = std::move(failure);
    return made;
}

Value Runtime::undefined(std::string message) {
    auto* object = make<UndefinedObject>();
    object->message = std::move(message);
    return object_value(Type::Undefined, object);
}

Result<Bound> bind_arguments(std::string_view what, const Arguments& arguments,
                             std::span<const std::string_view> parameters, size_t required) {
    if (arguments.positional.size() > parameters.size()) {
        return error("{}() takes at most {} arguments, {} were given", what, parameters.size(),
                     arguments.positional.size());
    }
    Bound bound(parameters.size(), nullptr);
    for (size_t i = 0; i < arguments.positional.size(); ++i) bound[i] = &arguments.positional[i];
    for (const auto& [name, value] : arguments.named) {
        auto at = std::find(parameters.begin(), parameters.end(), name);
        if (at == parameters.end()) return error("{}() has no parameter '{}'", what, name);
        const Value*& slot = bound[static_cast<size_t>(at - parameters.begin())];
        if (slot != nullptr) return error("{}() got several values for '{}'", what, name);
        slot = &value;
    }
    for (size_t i = 0; i < required; ++i) {
        if (bound[i] == nullptr) return error("{}() needs the argument '{}'", what, parameters[i]);
    }
    return bound;
}

Result<Bound> bind_positional(std::string_view what, const Arguments& arguments, size_t least, size_t most) {
    const auto& given = arguments.positional;
    if (!arguments.named.empty()) return error("{}() takes no keyword arguments", what);
    if (given.size() < least || given.size() > most) {
        return error("{}() takes {} to {} arguments, {} were given", what, least, most, given.size());
    }
    Bound bound(most, nullptr);
    for (size_t i = 0; i < given.size(); ++i) bound[i] = &given[i];
    return bound;
}

namespace {

Result<std::vector<Value>> characters(Runtime& runtime, const Value& value) {
    const TracedText& text = text_of(value);
    TRY(runtime.reserve(text.size() * 64));
    std::vector<Value> items;
    for (size_t at = 0; at < text.size();) {
        size_t size = next_utf8(text.view().substr(at)).size;
        items.push_back(runtime.string(text.slice(at, at + size)));
        at += size;
        if (items.size() % 1024 == 0) TRY(runtime.spend(1024));
    }
    return items;
}

}  // namespace

Result<std::vector<Value>> iterate(Runtime& runtime, const Value& value) {
    std::vector<Value> items;
    switch (value.type) {
        case Type::Undefined:
            return items;
        case Type::String:
            return characters(runtime, value);
        case Type::List:
        case Type::Tuple:
        case Type::View:
            TRY(runtime.spend(list_of(value).items.size()));
            return list_of(value).items;
        case Type::Generator:
            TRY(runtime.spend(list_of(value).items.size()));
            items = std::exchange(list_of(value).items, {});
            if (auto failed = std::exchange(list_of(value).failure, std::nullopt)) return *failed;
            return items;
        case Type::Bytes:
            TRY(runtime.spend(view_of(value).size()));
            for (char byte : view_of(value)) items.push_back(int_value(static_cast<unsigned char>(byte)));
            return items;
        case Type::Dict:
            TRY(runtime.spend(dict_of(value).entries.size()));
            for (const auto& entry : dict_of(value).entries) items.push_back(entry.first);
            return items;
        case Type::Range: {
            const RangeObject& range = range_of(value);
            TRY(runtime.spend(static_cast<size_t>(range.size)));
            for (int64_t i = 0; i < range.size; ++i) {
                items.push_back(int_value(Integer{range.start} + Integer{i} * range.step, value.origin));
            }
            return items;
        }
        default:
            return error("'{}' object is not iterable", type_name(value));
    }
}

Result<size_t> length(const Value& value) {
    switch (value.type) {
        case Type::Undefined:
            return size_t{0};
        case Type::String:
            return utf8_length(view_of(value));
        case Type::List:
        case Type::Tuple:
        case Type::View:
            return list_of(value).items.size();
        case Type::Dict:
            return dict_of(value).entries.size();
        case Type::Range:
            return static_cast<size_t>(range_of(value).size);
        case Type::Bytes:
            return view_of(value).size();
        default:
            return error("object of type '{}' has no len()", type_name(value));
    }
}

Result<int64_t> to_index(const Value& value) {
    if (!value.is_integral()) return error("'{}' object cannot be interpreted as an integer", type_name(value));
    if (value.integer > INT64_MAX || value.integer < INT64_MIN) return error("an integer is too large here");
    return static_cast<int64_t>(value.integer);
}

bool argument_is_true(const Value* argument, bool otherwise) { return argument ? truthy(*argument) : otherwise; }

}  // namespace godwit::jinja
