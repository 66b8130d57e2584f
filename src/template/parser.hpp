// Tokens to a tree. Its recursion is bounded by kTemplateDepthMax, whatever the template.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "template/lexer.hpp"
#include "template/tree.hpp"

namespace godwit::jinja {

/// Errors begin with the line.
Result<Tree> parse_template(std::string_view source);

/// Expressions and statements of one template (parse_expressions.cpp, parse_statements.cpp).
class Parser {
public:
    explicit Parser(std::vector<Lexeme> tokens) : tokens_(std::move(tokens)) {}
    Result<Tree> run();

private:
    using Words = std::initializer_list<std::string_view>;
    struct TupleStyle {
        bool simplified = false;      // targets: names only
        bool conditional = true;      // a if b else c may be an element
        std::string_view end_word{};  // ends the tuple too
        bool parentheses = false;     // () is a tuple
    };

    // Tokens.
    const Lexeme& current() const { return tokens_[at_]; }
    const Lexeme& look() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
    void advance() { at_ = std::min(at_ + 1, tokens_.size() - 1); }
    bool is_symbol(std::string_view symbol) const;
    bool is_word(std::string_view word) const;
    bool skip_symbol(std::string_view symbol);
    bool skip_word(std::string_view word);
    Result<void> expect_symbol(std::string_view symbol);
    Result<void> expect_word(std::string_view word);
    Result<std::string> expect_name();
    Result<void> expect_block_end();
    static std::string describe(const Lexeme& token);
    template <class... Args>
    Error fail(fmt::format_string<Args...> format, Args&&... args) const {
        return error("line {}: {}", current().line, fmt::format(format, std::forward<Args>(args)...));
    }

    // Nodes.
    NodeId add(NodeKind kind, uint32_t line);
    Node& node(NodeId id) { return tree_.nodes[id]; }
    NodeId add_literal(Value value, uint32_t line);
    NodeId add_string(std::string_view text, uint32_t line);
    NodeId add_unary(NodeKind kind, uint32_t line, NodeId operand);
    NodeId add_binary(Operator op, uint32_t line, NodeId left, NodeId right);

    // Expressions.
    Result<NodeId> expression(bool conditional = true);
    Result<NodeId> disjunction();
    Result<NodeId> conjunction();
    Result<NodeId> negation();
    Result<NodeId> comparison();
    bool comparison_operator(Comparison& found);
    Result<NodeId> sum();
    Result<NodeId> concatenation();
    Result<NodeId> product();
    Result<NodeId> power();
    Result<NodeId> unary(bool with_filters = true);
    Result<NodeId> primary();
    Result<NodeId> number_or_string();
    Result<NodeId> list_literal();
    Result<NodeId> dict_literal();
    Result<NodeId> tuple(TupleStyle style);
    bool tuple_ends(const TupleStyle& style) const;
    Result<NodeId> postfix(NodeId operand);
    Result<NodeId> filters_and_tests(NodeId operand);
    Result<NodeId> subscript(NodeId operand);
    Result<NodeId> subscript_part();
    Result<NodeId> call(NodeId callee);
    Result<uint32_t> call_arguments();
    Result<NodeId> filter_chain(NodeId operand, bool begun);
    Result<NodeId> test(NodeId operand);

    // Statements.
    Result<NodeId> statements(Words ends);
    Result<NodeId> statement(Words ends);
    Result<NodeId> body_to(std::string_view end);
    Error unknown_tag(Words ends) const;
    Result<NodeId> if_statement();
    Result<NodeId> for_statement();
    Result<NodeId> set_statement();
    Result<NodeId> macro_statement();
    Result<NodeId> call_statement();
    Result<NodeId> filter_statement();
    Result<NodeId> with_statement();
    Result<NodeId> scope_statement(std::string_view end);
    Result<NodeId> block_statement();
    Result<void> check_empty(NodeId body) const;
    Result<NodeId> autoescape_statement();
    Result<NodeId> print_statement();
    Result<NodeId> loop_control(NodeKind kind);
    Result<NodeId> unsupported(std::string_view word);
    Result<NodeId> target(bool namespaces, std::string_view end_word);
    Result<void> check_target(NodeId id);
    Result<MacroInfo> signature();
    Result<NodeId> macro_body(std::string name, MacroInfo info, std::string_view end, uint32_t line);
    Result<void> check_unknown() const;
    void allow_unknown_since(size_t first) { allowed_.push_back({first, unknown_.size()}); }

    Result<void> descend();

    std::vector<Lexeme> tokens_;
    size_t at_ = 0;
    Tree tree_;
    int depth_ = 0;
    int loops_ = 0;                  // open for loops of the innermost macro
    std::vector<std::string> open_;  // the words of the open statements, for error texts
    // Unknown filters and tests are errors of compilation, except in conditional code, where they are errors when met.
    struct Unknown {
        uint32_t line;
        std::string message;
    };
    struct Allowed {
        size_t begin, end;
    };
    std::vector<Unknown> unknown_;
    std::vector<Allowed> allowed_;
    MacroInfo* macro_ = nullptr;  // the innermost macro that is being parsed
    bool namespace_names_ = false;
};

/// Counts one level of nesting while it lives.
class DepthGuard {
public:
    explicit DepthGuard(int& depth) : depth_(depth) { ++depth_; }
    ~DepthGuard() { --depth_; }
    DepthGuard(const DepthGuard&) = delete;

private:
    int& depth_;
};

}  // namespace godwit::jinja
