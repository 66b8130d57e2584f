#include <algorithm>

#include "template/interpreter.hpp"
#include "template/parser.hpp"
#include "template/print.hpp"

namespace godwit::jinja {

const Value* Scope::find(std::string_view name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->parent) {
        for (const auto& [variable, value] : scope->variables) {
            if (variable == name) return &value;
        }
    }
    return nullptr;
}

void Scope::set(std::string_view name, const Value& value) {
    for (auto& [variable, old] : variables) {
        if (variable == name) {
            old = value;
            return;
        }
    }
    variables.emplace_back(name, value);
}

Scope* Interpreter::make_scope(Scope* parent) {
    auto* scope = runtime_.make<Scope>();
    scope->parent = parent;
    return scope;
}

Value Interpreter::make_macro(const Node& node, Scope& scope) {
    for (Scope* s = &scope; s != nullptr && !s->captured; s = s->parent) s->captured = true;
    auto* macro = runtime_.make<MacroObject>();
    macro->node = &node;
    macro->info = &tree_.macros[node.extra];
    macro->closure = &scope;
    macro->autoescape = runtime_.autoescape;
    return object_value(Type::Callable, macro);
}

Result<TracedText> Interpreter::run() {
    TracedText out;
    root_ = make_scope(nullptr);
    auto flow = execute(tree_.root, *root_, out);
    if (!flow.ok()) return error("line {}: {}", line_, flow.error().message);
    if (auto last = runtime_.spend(0); !last.ok()) return error("line {}: {}", line_, last.error().message);
    return out;
}

Result<void> Interpreter::append(TracedText& out, const TracedText& text) {
    if (text.size() > runtime_.limits().output_bytes - std::min(out.size(), runtime_.limits().output_bytes)) {
        return error("the template writes more than {} bytes", runtime_.limits().output_bytes);
    }
    out.append(text);
    return done();
}

Result<Interpreter::Flow> Interpreter::execute(NodeId id, Scope& scope, TracedText& out) {
    DepthGuard guard(depth_);
    const Node& node = tree_[id];
    TRY(enter(node.line));
    switch (node.kind) {
        case NodeKind::Block:
            return execute_block(node, scope, out);
        case NodeKind::Text:
            TRY(append(out, text_of(node.value)));
            break;
        case NodeKind::Output:
            TRY(execute_output(node, scope, out));
            break;
        case NodeKind::If:
            return execute_if(node, scope, out);
        case NodeKind::For:
            return execute_for(node, scope, out);
        case NodeKind::Set: {
            Value value = TRY(evaluate(node.b, scope));
            line_ = node.line;
            TRY(assign(node.a, value, scope));
            break;
        }
        case NodeKind::SetBlock:
            TRY(execute_set_block(node, scope));
            break;
        case NodeKind::Macro:
            scope.set(node.name, make_macro(node, scope));
            break;
        case NodeKind::CallBlock:
            TRY(execute_call_block(node, scope, out));
            break;
        case NodeKind::FilterBlock:
            TRY(execute_filter_block(node, scope, out));
            break;
        case NodeKind::With:
            return execute_with(node, scope, out);
        case NodeKind::Scope:
            return execute(node.b, *make_scope(&scope), out);
        case NodeKind::NamedBlock:
            return execute_named_block(node, scope, out);
        case NodeKind::Autoescape:
            return execute_autoescape(node, scope, out);
        case NodeKind::Break:
            return Flow::Break;
        case NodeKind::Continue:
            return Flow::Continue;
        case NodeKind::Unsupported:
            return error("{}", node.text);
        default:
            return error("this is no statement");
    }
    return Flow::Next;
}

Result<Interpreter::Flow> Interpreter::execute_block(const Node& node, Scope& scope, TracedText& out) {
    for (NodeId id : node.list) {
        Flow flow = TRY(execute(id, scope, out));
        if (flow != Flow::Next) return flow;
    }
    return Flow::Next;
}

Result<Interpreter::Flow> Interpreter::execute_if(const Node& node, Scope& scope, TracedText& out) {
    for (size_t i = 0; i + 1 < node.list.size(); i += 2) {
        if (truthy(TRY(evaluate(node.list[i], scope)))) return execute(node.list[i + 1], scope, out);
    }
    return node.c == kNoNode ? Result<Flow>(Flow::Next) : execute(node.c, scope, out);
}

Result<void> Interpreter::execute_output(const Node& node, Scope& scope, TracedText& out) {
    for (NodeId id : node.list) {
        Value value = TRY(evaluate(id, scope));
        if (runtime_.autoescape) {
            TracedText text = TRY(escaped_text(runtime_, value));
            TRY(append(out, text));
        } else if (value.is(Type::String)) {
            TRY(append(out, text_of(value)));
        } else {
            TracedText text = TRY(to_text(runtime_, value));
            TRY(append(out, text));
        }
    }
    return done();
}

Result<TracedText> Interpreter::capture(NodeId body, Scope& scope) {
    TracedText text;
    TRY(execute(body, *make_scope(&scope), text));
    return text;
}

Result<void> Interpreter::execute_set_block(const Node& node, Scope& scope) {
    Value value = runtime_.string(TRY(capture(node.b, scope)), runtime_.autoescape);
    if (node.c != kNoNode) value = TRY(evaluate_chain(node.c, &value, scope));
    if (runtime_.autoescape) value = runtime_.string(TRY(to_text(runtime_, value)), true);
    return assign(node.a, value, scope);
}

Result<void> Interpreter::execute_filter_block(const Node& node, Scope& scope, TracedText& out) {
    Value body = runtime_.string(TRY(capture(node.b, scope)), runtime_.autoescape);
    Value value = TRY(evaluate_chain(node.a, &body, scope));
    return append_string(out, value, "a filter block");
}

Result<void> Interpreter::execute_call_block(const Node& node, Scope& scope, TracedText& out) {
    const Node& call_node = tree_[node.a];
    Value callee = TRY(evaluate(call_node.a, scope));
    Arguments arguments = TRY(evaluate_arguments(tree_.calls[call_node.extra], scope));
    arguments.named.emplace_back("caller", make_macro(tree_[node.b], scope));
    line_ = node.line;
    Value value = TRY(call(callee, std::move(arguments)));
    return append_string(out, value, "a call block");
}

Result<void> Interpreter::append_string(TracedText& out, const Value& value, std::string_view what) {
    if (!value.is(Type::String)) return error("{} must give a string, not '{}'", what, type_name(value));
    return append(out, text_of(value));
}

// A block sees the variables of the template's outermost level, one that is `scoped` those around it.
Result<Interpreter::Flow> Interpreter::execute_named_block(const Node& node, Scope& scope, TracedText& out) {
    if (node.extra != 0) return error("required block '{}' not found", node.name);
    return execute(node.b, *make_scope(node.flag ? &scope : root_), out);
}

Result<Interpreter::Flow> Interpreter::execute_autoescape(const Node& node, Scope& scope, TracedText& out) {
    bool escapes = truthy(TRY(evaluate(node.a, scope)));
    bool before = std::exchange(runtime_.autoescape, escapes);
    auto flow = execute(node.b, *make_scope(&scope), out);
    runtime_.autoescape = before;
    return flow;
}

Result<Interpreter::Flow> Interpreter::execute_with(const Node& node, Scope& scope, TracedText& out) {
    Scope* inner = make_scope(&scope);
    for (size_t i = 0; i + 1 < node.list.size(); i += 2) {
        Value value = TRY(evaluate(node.list[i + 1], scope));
        TRY(assign(node.list[i], value, *inner));
    }
    return execute(node.b, *inner, out);
}

Result<Interpreter::Flow> Interpreter::execute_for(const Node& node, Scope& scope, TracedText& out) {
    Value iterable = TRY(evaluate(node.b, scope));
    line_ = node.line;
    return run_loop(node, iterable, 0, scope, out);
}

// The items that pass the loop's own test.
Result<std::vector<Value>> Interpreter::loop_items(const Node& node, const Value& iterable, Scope& scope) {
    std::vector<Value> items = TRY(iterate(runtime_, iterable));
    if (node.c == kNoNode) return items;
    std::vector<Value> kept;
    Scope* inner = make_scope(&scope);
    for (const Value& value : items) {
        TRY(assign(node.a, value, *inner));
        if (truthy(TRY(evaluate(node.c, *inner)))) kept.push_back(value);
    }
    return kept;
}

Result<Interpreter::Flow> Interpreter::run_loop(const Node& node, const Value& iterable, int depth, Scope& scope,
                                                TracedText& out) {
    std::vector<Value> items = TRY(loop_items(node, iterable, scope));
    if (items.empty()) {
        return node.list[1] == kNoNode ? Result<Flow>(Flow::Next) : execute(node.list[1], scope, out);
    }
    auto* loop = runtime_.make<LoopObject>();
    loop->node = &node;
    loop->scope = &scope;
    loop->items = std::move(items);
    loop->depth = depth;
    Scope* inner = make_scope(&scope);
    bool completed = false;  // a pass that neither break nor continue ended: as jinja2, it decides on the else
    for (; loop->index < loop->items.size(); ++loop->index) {
        if (inner->captured) inner = make_scope(&scope);
        inner->variables.clear();
        inner->set("loop", object_value(Type::Loop, loop));
        TRY(assign(node.a, loop->items[loop->index], *inner));
        Flow flow = TRY(execute(node.list[0], *inner, out));
        completed = completed || flow == Flow::Next;
        if (flow == Flow::Break) break;
    }
    return completed || node.list[1] == kNoNode ? Result<Flow>(Flow::Next) : execute(node.list[1], scope, out);
}

Result<void> Interpreter::assign_namespace(const Node& target, const Value& value, Scope& scope) {
    Value object = look_up(target.name, scope);
    if (!object.is(Type::Namespace)) {
        return error("cannot assign attribute '{}': '{}' is no namespace", target.text, target.name);
    }
    dict_of(object).set(runtime_.string(target.text, Origin::Template), value);
    return done();
}

Result<void> Interpreter::assign(NodeId target, const Value& value, Scope& scope) {
    const Node& node = tree_[target];
    if (node.kind == NodeKind::Name) {
        scope.set(node.name, value);
        return done();
    }
    if (node.kind == NodeKind::NamespaceName) return assign_namespace(node, value, scope);
    auto unpacked = iterate(runtime_, value);
    if (!unpacked.ok()) return error("cannot unpack non-iterable {} object", type_name(value));
    std::vector<Value> items = std::move(unpacked).take();
    if (items.size() != node.list.size()) {
        return error("{} values to unpack (expected {}, got {})",
                     items.size() < node.list.size() ? "not enough" : "too many", node.list.size(), items.size());
    }
    for (size_t i = 0; i < items.size(); ++i) TRY(assign(node.list[i], items[i], scope));
    return done();
}

}  // namespace godwit::jinja
