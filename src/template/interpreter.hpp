// Walks a tree. Recursion is bounded by TemplateLimits::depth, work by its steps, text by its bytes.
#pragma once

#include <string_view>
#include <vector>

#include "template/runtime.hpp"
#include "template/tree.hpp"

namespace godwit::jinja {

/// Variables of a block, a loop's pass or a macro's call. Reads fall through to the parent, writes do not.
struct Scope : Object {
    std::vector<std::pair<std::string_view, Value>> variables;
    Scope* parent = nullptr;
    bool captured = false;  // a macro refers to it: it must not be used again

    const Value* find(std::string_view name) const;
    void set(std::string_view name, const Value& value);
};

/// self.name: calls the block.
struct BlockObject : Object {
    NodeId block = kNoNode;
};

struct MacroObject : Object {
    const Node* node = nullptr;
    const MacroInfo* info = nullptr;
    Scope* closure = nullptr;
    bool autoescape = false;  // where it is defined
};

std::optional<Value> macro_attribute(Runtime& runtime, const MacroObject& macro, std::string_view name);

struct LoopObject : Object {
    const Node* node = nullptr;  // the for statement
    Scope* scope = nullptr;      // around it
    std::vector<Value> items;
    size_t index = 0;
    int depth = 0;
    std::vector<Value> last_changed;
    bool changed_before = false;
};

/// An attribute of the variable `loop`; undefined where there is none.
Result<Value> loop_attribute(Runtime& runtime, const Value& loop, std::string_view name);

class Interpreter {
public:
    Interpreter(const Tree& tree, Runtime& runtime, const DictObject& context)
        : tree_(tree), runtime_(runtime), context_(context) {}

    /// Errors begin with the line.
    Result<TracedText> run();

private:
    enum class Flow { Next, Break, Continue };

    // execute.cpp
    Result<Flow> execute(NodeId id, Scope& scope, TracedText& out);
    Result<Flow> execute_block(const Node& node, Scope& scope, TracedText& out);
    Result<Flow> execute_if(const Node& node, Scope& scope, TracedText& out);
    Result<Flow> execute_for(const Node& node, Scope& scope, TracedText& out);
    Result<Flow> execute_named_block(const Node& node, Scope& scope, TracedText& out);
    Result<Flow> execute_autoescape(const Node& node, Scope& scope, TracedText& out);
    Result<Flow> execute_with(const Node& node, Scope& scope, TracedText& out);
    Result<void> execute_output(const Node& node, Scope& scope, TracedText& out);
    Result<void> execute_set_block(const Node& node, Scope& scope);
    Result<void> execute_filter_block(const Node& node, Scope& scope, TracedText& out);
    Result<void> execute_call_block(const Node& node, Scope& scope, TracedText& out);
    Result<std::vector<Value>> loop_items(const Node& node, const Value& iterable, Scope& scope);
    Result<Flow> run_loop(const Node& node, const Value& iterable, int depth, Scope& scope, TracedText& out);
    Result<TracedText> capture(NodeId body, Scope& scope);
    Result<void> assign(NodeId target, const Value& value, Scope& scope);
    Result<void> assign_namespace(const Node& target, const Value& value, Scope& scope);
    Result<void> append(TracedText& out, const TracedText& text);
    Result<void> append_string(TracedText& out, const Value& value, std::string_view what);
    Scope* make_scope(Scope* parent);
    Value make_macro(const Node& node, Scope& scope);

    // evaluate.cpp
    Result<Value> evaluate(NodeId id, Scope& scope);
    Result<Value> evaluate_chain(NodeId id, const Value* input, Scope& scope);
    Result<Value> evaluate_leaf(const Node& node, Scope& scope);
    Result<Value> apply(const Node& node, const Value& operand, Scope& scope);
    Result<Value> apply_slice(const Node& node, const Value& operand, Scope& scope);
    Result<Value> apply_compare(const Node& node, const Value& operand, Scope& scope);
    Result<Value> apply_filter(const Node& node, const Value& operand, Scope& scope);
    Result<Value> apply_test(const Node& node, const Value& operand, Scope& scope);
    Result<Value> get_attribute(const Value& operand, std::string_view name);
    Value block_reference(std::string_view name);
    Result<Value> get_item(const Value& operand, const Value& key);
    Result<Value> evaluate_dict(const Node& node, Scope& scope);
    Result<Value> evaluate_concat(const Node& node, Scope& scope);
    Result<std::vector<Value>> evaluate_all(const std::vector<NodeId>& nodes, Scope& scope);
    Value look_up(std::string_view name, const Scope& scope);

    // call.cpp
    Result<Arguments> evaluate_arguments(const CallArguments& call, Scope& scope);
    Result<Value> call(const Value& callee, Arguments arguments);
    Result<Value> call_macro(const MacroObject& macro, Arguments arguments);
    Result<void> bind_macro(const MacroObject& macro, Arguments arguments, Scope& scope);
    Result<Value> call_block(const BlockObject& block);
    Result<Value> call_loop(const LoopObject& loop, const Arguments& arguments);

    Result<void> enter(uint32_t line);

    const Tree& tree_;
    Runtime& runtime_;
    const DictObject& context_;
    Scope* root_ = nullptr;      // the variables that blocks see
    std::vector<NodeId> spine_;  // what waits for its first operand, of all evaluations under way
    uint32_t line_ = 0;          // of the node that is being evaluated, for error texts
    int depth_ = 0;
};

}  // namespace godwit::jinja
