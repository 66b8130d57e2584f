#include <algorithm>

#include "template/filters.hpp"
#include "template/interpreter.hpp"
#include "template/methods.hpp"
#include "template/operators.hpp"
#include "template/parser.hpp"
#include "template/print.hpp"
#include "template/tests.hpp"

namespace godwit::jinja {

Result<void> Interpreter::enter(uint32_t line) {
    line_ = line;
    if (depth_ > runtime_.limits().depth) return error("the template calls itself more than {} deep", depth_ - 1);
    return runtime_.spend(1);
}

Result<Value> Interpreter::evaluate(NodeId id, Scope& scope) { return evaluate_chain(id, nullptr, scope); }

// a.b[c](d)|e + f …: from the first operand outwards, in a loop. `input` stands for the operand that a chain of filters
// lacks in a filter block.
Result<Value> Interpreter::evaluate_chain(NodeId id, const Value* input, Scope& scope) {
    DepthGuard guard(depth_);
    TRY(enter(id == kNoNode ? line_ : tree_[id].line));
    size_t base = spine_.size();
    while (id != kNoNode && tree_[id].kind <= NodeKind::Compare) {
        spine_.push_back(id);
        id = tree_[id].a;
    }
    auto value = id == kNoNode ? Result<Value>(*input) : evaluate_leaf(tree_[id], scope);
    while (value.ok() && spine_.size() > base) {
        const Node& node = tree_[spine_.back()];
        spine_.pop_back();
        line_ = node.line;
        TRY(runtime_.spend(1));
        Value operand = std::move(value).take();
        value = apply(node, operand, scope);
    }
    spine_.resize(base);
    return value;
}

Value Interpreter::look_up(std::string_view name, const Scope& scope) {
    if (const Value* found = scope.find(name)) return *found;
    if (name == "self") return object_value(Type::Blocks, nullptr);
    if (const Value* found = context_.find(name)) return *found;
    if (auto builtin = find_builtin(name)) return make_method(runtime_, name, builtin, Value());
    return runtime_.undefined(fmt::format("'{}' is undefined", name));
}

Result<std::vector<Value>> Interpreter::evaluate_all(const std::vector<NodeId>& nodes, Scope& scope) {
    std::vector<Value> values;
    values.reserve(nodes.size());
    for (NodeId id : nodes) values.push_back(TRY(evaluate(id, scope)));
    return values;
}

Result<Value> Interpreter::evaluate_leaf(const Node& node, Scope& scope) {
    line_ = node.line;
    switch (node.kind) {
        case NodeKind::Literal:
            return node.value;
        case NodeKind::Name:
            return look_up(node.name, scope);
        case NodeKind::List:
            return runtime_.list(TRY(evaluate_all(node.list, scope)));
        case NodeKind::Tuple:
            return runtime_.list(TRY(evaluate_all(node.list, scope)), Type::Tuple);
        case NodeKind::Dict:
            return evaluate_dict(node, scope);
        case NodeKind::Concat:
            return evaluate_concat(node, scope);
        case NodeKind::Not:
            return bool_value(!truthy(TRY(evaluate(node.a, scope))));
        case NodeKind::Negative:
            return negate(TRY(evaluate(node.a, scope)));
        case NodeKind::Positive: {
            Value value = TRY(evaluate(node.a, scope));
            if (value.is(Type::Undefined)) return error("{}", undefined_message(value));
            if (!value.is_number()) return error("bad operand type for unary +: '{}'", type_name(value));
            return value.is(Type::Bool) ? int_value(value.integer, value.origin) : value;
        }
        case NodeKind::Conditional: {
            if (truthy(TRY(evaluate(node.b, scope)))) return evaluate(node.a, scope);
            if (node.c != kNoNode) return evaluate(node.c, scope);
            return runtime_.undefined("the inline if-expression evaluated to false and no else section was defined");
        }
        default:
            return error("this cannot be evaluated");
    }
}

Result<Value> Interpreter::evaluate_dict(const Node& node, Scope& scope) {
    Value made = runtime_.dict();
    for (size_t i = 0; i + 1 < node.list.size(); i += 2) {
        Value key = TRY(evaluate(node.list[i], scope));
        Value value = TRY(evaluate(node.list[i + 1], scope));
        if (!encode_key(key)) return error("unhashable type: '{}'", type_name(key));
        dict_of(made).set(key, value);
    }
    return made;
}

Result<Value> Interpreter::evaluate_concat(const Node& node, Scope& scope) {
    std::vector<Value> parts = TRY(evaluate_all(node.list, scope));
    bool markup = runtime_.autoescape && std::any_of(parts.begin(), parts.end(), is_markup);
    TracedText text;
    for (const Value& part : parts) {
        text.append(markup ? TRY(escaped_text(runtime_, part)) : TRY(to_text(runtime_, part)));
        TRY(runtime_.reserve(text.size()));
    }
    return runtime_.string(std::move(text), markup);
}

Result<Value> Interpreter::get_attribute(const Value& operand, std::string_view name) {
    if (operand.is(Type::Loop)) return loop_attribute(runtime_, operand, name);
    const auto* macro = operand.is(Type::Callable) ? dynamic_cast<MacroObject*>(operand.object) : nullptr;
    if (macro != nullptr) {
        if (auto found = macro_attribute(runtime_, *macro, name)) return *found;
    }
    if (operand.is(Type::Blocks)) return block_reference(name);
    return attribute(runtime_, operand, name);
}

Value Interpreter::block_reference(std::string_view name) {
    for (NodeId id : tree_.blocks) {
        if (tree_[id].name != name) continue;
        auto* block = runtime_.make<BlockObject>();
        block->block = id;
        return object_value(Type::Callable, block);
    }
    return runtime_.undefined(fmt::format("there is no block '{}'", name));
}

Result<Value> Interpreter::get_item(const Value& operand, const Value& key) {
    bool ours = operand.is(Type::Loop) || operand.is(Type::Callable) || operand.is(Type::Blocks);
    if (key.is(Type::String) && ours) {
        return get_attribute(operand, view_of(key));
    }
    return item(runtime_, operand, key);
}

Result<Value> Interpreter::apply(const Node& node, const Value& operand, Scope& scope) {
    switch (node.kind) {
        case NodeKind::Attribute:
            return get_attribute(operand, node.name);
        case NodeKind::Item: {
            Value key = TRY(evaluate(node.b, scope));
            line_ = node.line;
            return get_item(operand, key);
        }
        case NodeKind::Slice:
            return apply_slice(node, operand, scope);
        case NodeKind::Call: {
            Arguments arguments = TRY(evaluate_arguments(tree_.calls[node.extra], scope));
            line_ = node.line;
            return call(operand, std::move(arguments));
        }
        case NodeKind::Filter:
            return apply_filter(node, operand, scope);
        case NodeKind::Test:
            return apply_test(node, operand, scope);
        case NodeKind::And:
            return truthy(operand) ? evaluate(node.b, scope) : Result<Value>(operand);
        case NodeKind::Or:
            return truthy(operand) ? Result<Value>(operand) : evaluate(node.b, scope);
        case NodeKind::Compare:
            return apply_compare(node, operand, scope);
        default: {
            Value right = TRY(evaluate(node.b, scope));
            line_ = node.line;
            return calculate(runtime_, node.op, operand, right);
        }
    }
}

Result<Value> Interpreter::apply_slice(const Node& node, const Value& operand, Scope& scope) {
    Value bounds[3];
    const Value* given[3] = {};
    for (size_t i = 0; i < 3; ++i) {
        if (node.list[i] == kNoNode) continue;
        bounds[i] = TRY(evaluate(node.list[i], scope));
        given[i] = &bounds[i];
    }
    line_ = node.line;
    return slice(runtime_, operand, given[0], given[1], given[2]);
}

Result<Value> Interpreter::apply_compare(const Node& node, const Value& operand, Scope& scope) {
    Value left = operand;
    for (size_t i = 0; i < node.list.size(); ++i) {
        Value right = TRY(evaluate(node.list[i], scope));
        line_ = node.line;
        if (!TRY(compare(runtime_, node.comparisons[i], left, right))) return bool_value(false);
        left = right;
    }
    return bool_value(true);
}

Result<Value> Interpreter::apply_filter(const Node& node, const Value& operand, Scope& scope) {
    Arguments arguments = TRY(evaluate_arguments(tree_.calls[node.extra], scope));
    line_ = node.line;
    if (node.filter == nullptr) return error("there is no filter '{}'", node.name);
    TRY(runtime_.spend_reading(operand));
    return node.filter->apply(runtime_, operand, arguments);
}

Result<Value> Interpreter::apply_test(const Node& node, const Value& operand, Scope& scope) {
    Arguments arguments = TRY(evaluate_arguments(tree_.calls[node.extra], scope));
    line_ = node.line;
    if (node.test == nullptr) return error("there is no test '{}'", node.name);
    TRY(runtime_.spend_reading(operand));
    return bool_value(TRY(node.test->apply(runtime_, operand, arguments)));
}

}  // namespace godwit::jinja
