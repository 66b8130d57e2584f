// A compiled template: nodes in one array, referring to each other by index.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "template/value.hpp"

namespace godwit::jinja {

struct Filter;
struct Test;

using NodeId = uint32_t;
inline constexpr NodeId kNoNode = UINT32_MAX;

enum class NodeKind : uint8_t {
    // Expressions whose first operand `a` is evaluated first: chains of them are walked in a loop, not by recursion.
    Attribute,  // a.name
    Item,       // a[b]
    Slice,      // a[list[0] : list[1] : list[2]], kNoNode where left out
    Call,       // a(call)
    Filter,     // a | name(call); a may be kNoNode in a filter block
    Test,       // a is name(call)
    Binary,     // a op b
    And,
    Or,
    Compare,  // a op list[0] op list[1] …, `operators` in `text`
    // Other expressions.
    Literal,  // value
    Name,
    List,
    Tuple,
    Dict,    // list: key, value, key, value, …
    Concat,  // list
    Not,
    Negative,
    Positive,
    Conditional,    // a if b else c
    NamespaceName,  // name.text, as a target only
    // Statements.
    Text,         // value
    Output,       // list
    If,           // list: test, body, test, body, …; c: else
    For,          // a: target, b: items, c: test or none, list: body, else or none; flag: recursive
    Set,          // a: target, b: value
    SetBlock,     // a: target, b: body, c: filter chain or none
    Macro,        // name, call.parameters, b: body
    CallBlock,    // a: call, b: the caller as a Macro node
    FilterBlock,  // a: filter chain, b: body
    With,         // list: target, value, …; b: body
    Scope,        // b: body (generation)
    NamedBlock,   // name, b: body; flag: scoped; extra: required
    Autoescape,   // a: whether, b: body
    Break,
    Continue,
    Unsupported,  // text: the message of its error
    Block,        // list of statements
};

enum class Operator : uint8_t { Add, Subtract, Multiply, Divide, FloorDivide, Modulo, Power };
enum class Comparison : uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, In, NotIn };

struct CallArguments {
    std::vector<NodeId> positional;
    std::vector<std::pair<std::string, NodeId>> named;
    NodeId more_positional = kNoNode, more_named = kNoNode;  // *args, **kwargs
};

struct Parameter {
    std::string name;
    NodeId otherwise = kNoNode;
};

struct MacroInfo {
    std::vector<Parameter> parameters;
    bool uses_varargs = false, uses_kwargs = false, uses_caller = false;
};

struct Node {
    NodeKind kind;
    bool flag = false;
    Operator op = Operator::Add;
    uint32_t line = 0;
    NodeId a = kNoNode, b = kNoNode, c = kNoNode;
    uint32_t extra = 0;  // into calls or macros
    std::string name, text;
    std::vector<NodeId> list;
    std::vector<Comparison> comparisons;
    Value value;
    const Filter* filter = nullptr;  // nullptr: unknown, an error when met
    const Test* test = nullptr;
};

struct Tree {
    std::vector<Node> nodes;
    std::vector<CallArguments> calls;
    std::vector<MacroInfo> macros;
    std::vector<std::unique_ptr<Object>> literals;
    std::vector<NodeId> blocks;  // the named ones
    NodeId root = kNoNode;

    const Node& operator[](NodeId id) const { return nodes[id]; }
};

/// Deeper templates are refused: the bound of every recursion over a tree.
inline constexpr int kTemplateDepthMax = 200;

}  // namespace godwit::jinja
