// Calls of macros, builtins, methods and recursive loops.
#include <algorithm>

#include "template/interpreter.hpp"
#include "template/methods.hpp"
#include "template/operators.hpp"
#include "template/print.hpp"

namespace godwit::jinja {

Result<Arguments> Interpreter::evaluate_arguments(const CallArguments& call, Scope& scope) {
    Arguments arguments;
    if (call.positional.empty() && call.named.empty() && call.more_positional == kNoNode &&
        call.more_named == kNoNode) {
        return arguments;
    }
    arguments.positional = TRY(evaluate_all(call.positional, scope));
    for (const auto& [name, id] : call.named) arguments.named.emplace_back(name, TRY(evaluate(id, scope)));
    if (call.more_positional != kNoNode) {
        Value more = TRY(evaluate(call.more_positional, scope));
        for (const Value& value : TRY(iterate(runtime_, more))) arguments.positional.push_back(value);
    }
    if (call.more_named != kNoNode) {
        Value more = TRY(evaluate(call.more_named, scope));
        if (!more.is(Type::Dict)) return error("argument after ** must be a mapping, not {}", type_name(more));
        TRY(runtime_.spend(dict_of(more).entries.size()));
        for (const auto& [name, value] : dict_of(more).entries) {
            if (!name.is(Type::String)) return error("keywords must be strings");
            arguments.named.emplace_back(view_of(name), value);
        }
    }
    return arguments;
}

Result<Value> Interpreter::call(const Value& callee, Arguments arguments) {
    if (callee.is(Type::Undefined)) return error("{}", undefined_message(callee));
    if (callee.is(Type::Loop)) return call_loop(static_cast<LoopObject&>(*callee.object), arguments);
    if (!callee.is(Type::Callable)) return error("'{}' object is not callable", type_name(callee));
    if (auto* macro = dynamic_cast<MacroObject*>(callee.object)) return call_macro(*macro, std::move(arguments));
    const auto& method = static_cast<MethodObject&>(*callee.object);
    TRY(runtime_.spend_reading(method.self));
    return method.call(runtime_, method.self, arguments);
}

Result<Value> Interpreter::call_macro(const MacroObject& macro, Arguments arguments) {
    Scope* scope = make_scope(macro.closure);
    TRY(bind_surplus(macro, arguments, *scope));
    TRY(bind_macro(macro, arguments, *scope));
    TracedText out;
    TRY(execute(macro.node->b, *scope, out));
    return runtime_.string(std::move(out));
}

Result<void> Interpreter::bind_macro(const MacroObject& macro, const Arguments& arguments, Scope& scope) {
    const auto& parameters = macro.info->parameters;
    for (size_t i = 0; i < parameters.size(); ++i) {
        const Parameter& parameter = parameters[i];
        auto named = std::find_if(arguments.named.begin(), arguments.named.end(),
                                  [&](const auto& argument) { return argument.first == parameter.name; });
        Value value;
        if (i < arguments.positional.size()) {
            value = arguments.positional[i];
        } else if (named != arguments.named.end()) {
            value = named->second;
        } else if (parameter.otherwise != kNoNode) {
            value = TRY(evaluate(parameter.otherwise, scope));
        } else {
            value = runtime_.undefined(fmt::format("parameter '{}' was not provided", parameter.name));
        }
        scope.set(parameter.name, value);
    }
    return done();
}

// caller, varargs and kwargs; an error where the macro has no use for what was given.
Result<void> Interpreter::bind_surplus(const MacroObject& macro, const Arguments& arguments, Scope& scope) {
    const MacroInfo& info = *macro.info;
    size_t count = info.parameters.size();
    if (arguments.positional.size() > count && !info.uses_varargs) {
        return error("macro '{}' takes not more than {} argument(s)", macro.node->name, count);
    }
    std::vector<Value> surplus;
    for (size_t i = count; i < arguments.positional.size(); ++i) surplus.push_back(arguments.positional[i]);
    if (info.uses_varargs) scope.set("varargs", runtime_.list(std::move(surplus), Type::Tuple));
    Value kwargs = runtime_.dict();
    for (const auto& [name, value] : arguments.named) {
        auto known = std::find_if(info.parameters.begin(), info.parameters.end(),
                                  [&](const Parameter& parameter) { return parameter.name == name; });
        bool parameter = known != info.parameters.end();
        if (parameter && static_cast<size_t>(known - info.parameters.begin()) < arguments.positional.size()) {
            return error("macro '{}' got several values for '{}'", macro.node->name, name);
        }
        if (parameter) continue;
        if (name == "caller" && info.uses_caller) {
            scope.set("caller", value);
        } else if (info.uses_kwargs) {
            dict_of(kwargs).set(runtime_.string(name, Origin::Template), value);
        } else {
            return error("macro '{}' takes no keyword argument '{}'", macro.node->name, name);
        }
    }
    if (info.uses_kwargs) scope.set("kwargs", kwargs);
    if (info.uses_caller && scope.variables.end() == std::find_if(scope.variables.begin(), scope.variables.end(),
                                                                  [](const auto& v) { return v.first == "caller"; })) {
        scope.set("caller", runtime_.undefined("no caller defined"));
    }
    return done();
}

Result<Value> Interpreter::call_loop(const LoopObject& loop, const Arguments& arguments) {
    if (!loop.node->flag) return error("the loop must have the 'recursive' marker to be called");
    auto bound = TRY(bind_arguments("loop", arguments, {"iterable"}, 1));
    TracedText out;
    TRY(run_loop(*loop.node, *bound[0], loop.depth + 1, *loop.scope, out));
    return runtime_.string(std::move(out));
}

namespace {

Result<Value> loop_cycle(Runtime&, const Value& self, const Arguments& arguments) {
    if (arguments.positional.empty()) return error("no items for cycling given");
    const auto& loop = static_cast<LoopObject&>(*self.object);
    return arguments.positional[loop.index % arguments.positional.size()];
}

Result<Value> loop_changed(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto& loop = static_cast<LoopObject&>(*self.object);
    bool same = loop.changed_before && loop.last_changed.size() == arguments.positional.size();
    for (size_t i = 0; same && i < arguments.positional.size(); ++i) {
        same = TRY(equal(runtime, loop.last_changed[i], arguments.positional[i]));
    }
    loop.changed_before = true;
    loop.last_changed = arguments.positional;
    return bool_value(!same);
}

}  // namespace

Result<Value> loop_attribute(Runtime& runtime, const Value& value, std::string_view name) {
    const auto& loop = static_cast<LoopObject&>(*value.object);
    auto index = static_cast<int64_t>(loop.index), count = static_cast<int64_t>(loop.items.size());
    auto number = [](int64_t n) { return int_value(n, Origin::Template); };
    if (name == "index") return number(index + 1);
    if (name == "index0") return number(index);
    if (name == "first") return bool_value(index == 0);
    if (name == "last") return bool_value(index + 1 == count);
    if (name == "length") return number(count);
    if (name == "revindex") return number(count - index);
    if (name == "revindex0") return number(count - index - 1);
    if (name == "depth") return number(loop.depth + 1);
    if (name == "depth0") return number(loop.depth);
    if (name == "cycle") return make_method(runtime, "cycle", loop_cycle, value);
    if (name == "changed") return make_method(runtime, "changed", loop_changed, value);
    if (name == "previtem") {
        if (index > 0) return loop.items[loop.index - 1];
        return runtime.undefined("there is no previous item");
    }
    if (name == "nextitem") {
        if (index + 1 < count) return loop.items[loop.index + 1];
        return runtime.undefined("there is no next item");
    }
    return runtime.undefined(fmt::format("'loop' has no attribute '{}'", name));
}

}  // namespace godwit::jinja
