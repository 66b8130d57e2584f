// The global functions of a chat template.
#include <array>

#include "template/methods.hpp"
#include "template/print.hpp"

namespace godwit::jinja {

namespace {

constexpr int64_t kRangeMax = 100'000;  // as jinja2's sandbox

Result<Value> raise_exception(Runtime& runtime, const Value&, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("raise_exception", arguments, {"message"}, 1));
    auto message = TRY(to_text(runtime, *bound[0]));
    return error("{}", message.view());
}

Result<Value> range(Runtime& runtime, const Value&, const Arguments& arguments) {
    auto bound = TRY(bind_positional("range", arguments, 1, 3));
    auto* made = runtime.make<RangeObject>();
    int64_t first = TRY(to_index(*bound[0]));
    made->start = bound[1] ? first : 0;
    made->stop = bound[1] ? TRY(to_index(*bound[1])) : first;
    made->step = bound[2] ? TRY(to_index(*bound[2])) : 1;
    if (made->step == 0) return error("range() arg 3 must not be zero");
    Integer distance = Integer{made->stop} - made->start;
    if (made->step < 0) distance = -distance;
    Integer stride = made->step < 0 ? -Integer{made->step} : Integer{made->step};
    Integer size = distance <= 0 ? 0 : (distance - 1) / stride + 1;
    if (size > kRangeMax) return error("a range of more than {} numbers", kRangeMax);
    made->size = static_cast<int64_t>(size);
    Value value = object_value(Type::Range, made);
    value.origin = bound[0]->origin;
    return value;
}

// dict(mapping or pairs, **entries) and namespace(…).
Result<Value> fill_dict(Runtime& runtime, const Arguments& arguments) {
    if (arguments.positional.size() > 1) return error("dict expected at most 1 argument");
    Value made = runtime.dict();
    if (!arguments.positional.empty()) {
        const Value& source = arguments.positional[0];
        if (source.is(Type::Dict)) {
            TRY(runtime.spend(dict_of(source).entries.size()));
            for (const auto& [key, value] : dict_of(source).entries) dict_of(made).set(key, value);
        } else {
            for (const Value& pair : TRY(iterate(runtime, source))) {
                auto parts = TRY(iterate(runtime, pair));
                if (parts.size() != 2) return error("a dict is made of pairs, not of {} values", parts.size());
                if (!encode_key(parts[0])) return error("unhashable type: '{}'", type_name(parts[0]));
                dict_of(made).set(parts[0], parts[1]);
            }
        }
    }
    for (const auto& [name, value] : arguments.named) {
        dict_of(made).set(runtime.string(name, Origin::Template), value);
    }
    return made;
}

Result<Value> dict(Runtime& runtime, const Value&, const Arguments& arguments) { return fill_dict(runtime, arguments); }

Result<Value> make_namespace(Runtime& runtime, const Value&, const Arguments& arguments) {
    Value made = TRY(fill_dict(runtime, arguments));
    made.type = Type::Namespace;
    return made;
}

Result<Value> make_cycler(Runtime& runtime, const Value&, const Arguments& arguments) {
    if (!arguments.named.empty()) return error("cycler() takes no keyword arguments");
    if (arguments.positional.empty()) return error("at least one item has to be provided");
    auto* made = runtime.make<CyclerObject>();
    TRY(runtime.spend(arguments.positional.size()));
    made->items = arguments.positional;
    return object_value(Type::Cycler, made);
}

Result<Value> make_joiner(Runtime& runtime, const Value&, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("joiner", arguments, {"sep"}));
    auto* made = runtime.make<JoinerObject>();
    made->separator = bound[0] ? *bound[0] : runtime.string(", ", Origin::Template);
    return object_value(Type::Joiner, made);
}

}  // namespace

Value call_joiner(Runtime& runtime, const Value& joiner) {
    bool used = std::exchange(joiner_of(joiner).used, true);
    return used ? joiner_of(joiner).separator : runtime.string("", Origin::Template);
}

MethodFunction find_builtin(std::string_view name) {
    static constexpr std::pair<std::string_view, MethodFunction> kBuiltins[] = {
        {"raise_exception", raise_exception}, {"range", range},        {"dict", dict},
        {"namespace", make_namespace},        {"cycler", make_cycler}, {"joiner", make_joiner},
        {"strftime_now", strftime_now}};
    for (const auto& [builtin, call] : kBuiltins) {
        if (builtin == name) return call;
    }
    return nullptr;
}

}  // namespace godwit::jinja
