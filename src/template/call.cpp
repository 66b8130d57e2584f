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
    if (callee.is(Type::Joiner)) {
        TRY(no_arguments("a joiner", arguments));
        return call_joiner(runtime_, callee);
    }
    if (!callee.is(Type::Callable)) return error("'{}' object is not callable", type_name(callee));
    if (auto* macro = dynamic_cast<MacroObject*>(callee.object)) return call_macro(*macro, std::move(arguments));
    if (auto* block = dynamic_cast<BlockObject*>(callee.object)) {
        TRY(no_arguments("a block", arguments));
        return call_block(*block);
    }
    const auto& method = static_cast<MethodObject&>(*callee.object);
    TRY(runtime_.spend_reading(method.self));
    return method.call(runtime_, method.self, arguments);
}

Result<Value> Interpreter::call_block(const BlockObject& block) {
    TracedText out;
    TRY(execute(tree_[block.block].b, *make_scope(root_), out));
    return runtime_.string(std::move(out), runtime_.autoescape);
}

Result<Value> Interpreter::call_macro(const MacroObject& macro, Arguments arguments) {
    Scope* scope = make_scope(macro.closure);
    TRY(bind_macro(macro, std::move(arguments), *scope));
    TracedText out;
    bool outer = std::exchange(runtime_.autoescape, macro.autoescape);
    auto flow = execute(macro.node->b, *scope, out);
    runtime_.autoescape = outer;
    TRY(std::move(flow));
    return runtime_.string(std::move(out), outer);
}

// Parameters, caller, kwargs and varargs, in jinja2's order; an error where the macro has no use for what was given.
Result<void> Interpreter::bind_macro(const MacroObject& macro, Arguments arguments, Scope& scope) {
    const MacroInfo& info = *macro.info;
    auto& named = arguments.named;
    const size_t count = info.parameters.size(), given = arguments.positional.size();
    auto take = [&](std::string_view name) -> std::optional<Value> {
        auto found =
            std::find_if(named.begin(), named.end(), [&](const auto& argument) { return argument.first == name; });
        if (found == named.end()) return std::nullopt;
        Value value = found->second;
        named.erase(found);
        return value;
    };
    std::vector<std::optional<Value>> values(count);
    bool caller_bound = false;
    for (size_t i = 0; i < count; ++i) {
        bool caller = info.parameters[i].name == "caller";
        values[i] = i < given ? std::optional(arguments.positional[i]) : take(info.parameters[i].name);
        caller_bound = caller_bound || caller;
    }
    std::optional<Value> caller;
    if (info.uses_caller && !caller_bound) {
        caller = take("caller");
        scope.set("caller", caller ? *caller : runtime_.undefined("no caller defined"));
    }
    if (!info.uses_kwargs && !named.empty()) {
        return error("macro '{}' takes no keyword argument '{}'", macro.node->name, named[0].first);
    }
    if (!info.uses_varargs && given > count) {
        return error("macro '{}' takes not more than {} argument(s)", macro.node->name, count);
    }
    if (info.uses_kwargs) {
        Value kwargs = runtime_.dict();
        for (const auto& [name, value] : named) dict_of(kwargs).set(runtime_.string(name, Origin::Template), value);
        scope.set("kwargs", kwargs);
    }
    if (info.uses_varargs) {
        auto first = arguments.positional.begin() + static_cast<ptrdiff_t>(std::min(count, given));
        scope.set("varargs", runtime_.list({first, arguments.positional.end()}, Type::Tuple));
    }
    for (size_t i = 0; i < count; ++i) {
        const Parameter& parameter = info.parameters[i];
        if (!values[i] && parameter.otherwise != kNoNode) values[i] = TRY(evaluate(parameter.otherwise, scope));
        if (!values[i]) values[i] = runtime_.undefined(fmt::format("parameter '{}' was not provided", parameter.name));
        scope.set(parameter.name, *values[i]);
    }
    return done();
}

std::optional<Value> macro_attribute(Runtime& runtime, const MacroObject& macro, std::string_view name) {
    const MacroInfo& info = *macro.info;
    if (name == "name") return runtime.string(macro.node->name, Origin::Template);
    if (name == "catch_kwargs") return bool_value(info.uses_kwargs);
    if (name == "catch_varargs") return bool_value(info.uses_varargs);
    if (name == "caller") return bool_value(info.uses_caller);
    if (name == "explicit_caller" || name == "arguments") {
        std::vector<Value> names;
        bool caller = false;
        for (const Parameter& parameter : info.parameters) {
            caller = caller || parameter.name == "caller";
            names.push_back(runtime.string(parameter.name, Origin::Template));
        }
        return name == "arguments" ? runtime.list(std::move(names), Type::Tuple) : bool_value(caller);
    }
    return std::nullopt;
}

Result<Value> Interpreter::call_loop(const LoopObject& loop, const Arguments& arguments) {
    if (!loop.node->flag) return error("the loop must have the 'recursive' marker to be called");
    auto bound = TRY(bind_arguments("loop", arguments, {"iterable"}, 1));
    TracedText out;
    TRY(run_loop(*loop.node, *bound[0], loop.depth + 1, *loop.scope, out));
    return runtime_.string(std::move(out), runtime_.autoescape);
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
