#include <algorithm>

#include "template/filters.hpp"
#include "template/parser.hpp"
#include "template/tests.hpp"

namespace godwit::jinja {

bool Parser::is_symbol(std::string_view symbol) const {
    return current().kind == TokenKind::Symbol && current().text == symbol;
}
bool Parser::is_word(std::string_view word) const {
    return current().kind == TokenKind::Name && current().text == word;
}
bool Parser::skip_symbol(std::string_view symbol) {
    bool there = is_symbol(symbol);
    if (there) advance();
    return there;
}
bool Parser::skip_word(std::string_view word) {
    bool there = is_word(word);
    if (there) advance();
    return there;
}

std::string Parser::describe(const Lexeme& token) {
    switch (token.kind) {
        case TokenKind::Text:
            return "text";
        case TokenKind::VariableBegin:
            return "'{{'";
        case TokenKind::VariableEnd:
            return "'}}'";
        case TokenKind::BlockBegin:
            return "'{%'";
        case TokenKind::BlockEnd:
            return "'%}'";
        case TokenKind::String:
            return "a string";
        case TokenKind::End:
            return "the end of the template";
        default:
            return fmt::format("'{}'", std::string_view(token.text).substr(0, 60));
    }
}

Result<void> Parser::expect_symbol(std::string_view symbol) {
    if (!skip_symbol(symbol)) return fail("expected '{}', got {}", symbol, describe(current()));
    return done();
}
Result<void> Parser::expect_word(std::string_view word) {
    if (!skip_word(word)) return fail("expected '{}', got {}", word, describe(current()));
    return done();
}
Result<std::string> Parser::expect_name() {
    if (current().kind != TokenKind::Name) return fail("expected a name, got {}", describe(current()));
    std::string name = current().text;
    advance();
    return name;
}

NodeId Parser::add(NodeKind kind, uint32_t line) {
    Node made{};
    made.kind = kind;
    made.line = line;
    tree_.nodes.push_back(std::move(made));
    return static_cast<NodeId>(tree_.nodes.size() - 1);
}
NodeId Parser::add_literal(Value value, uint32_t line) {
    NodeId id = add(NodeKind::Literal, line);
    node(id).value = value;
    return id;
}
NodeId Parser::add_string(std::string_view text, uint32_t line) {
    auto object = std::make_unique<StringObject>();
    object->text = TracedText(text, Origin::Template);
    Value value = object_value(Type::String, object.get());
    tree_.literals.push_back(std::move(object));
    return add_literal(value, line);
}
NodeId Parser::add_unary(NodeKind kind, uint32_t line, NodeId operand) {
    NodeId id = add(kind, line);
    node(id).a = operand;
    return id;
}
NodeId Parser::add_binary(Operator op, uint32_t line, NodeId left, NodeId right) {
    NodeId id = add(NodeKind::Binary, line);
    node(id).op = op;
    node(id).a = left;
    node(id).b = right;
    return id;
}

Result<void> Parser::descend() {
    if (depth_ > kTemplateDepthMax) return fail("the template is nested more than {} deep", kTemplateDepthMax);
    return done();
}

Result<NodeId> Parser::expression(bool conditional) {
    DepthGuard guard(depth_);
    TRY(descend());
    if (!conditional) return disjunction();
    size_t unknown = unknown_.size();
    NodeId value = TRY(disjunction());
    while (is_word("if")) {
        uint32_t line = current().line;
        advance();
        NodeId condition = TRY(disjunction());
        NodeId otherwise = kNoNode;
        if (skip_word("else")) otherwise = TRY(expression());
        NodeId id = add(NodeKind::Conditional, line);
        node(id).a = value;
        node(id).b = condition;
        node(id).c = otherwise;
        value = id;
        allow_unknown_since(unknown);
    }
    return value;
}

Result<NodeId> Parser::disjunction() {
    NodeId left = TRY(conjunction());
    while (is_word("or")) {
        uint32_t line = current().line;
        advance();
        NodeId right = TRY(conjunction());
        left = add_binary(Operator::Add, line, left, right);
        node(left).kind = NodeKind::Or;
    }
    return left;
}

Result<NodeId> Parser::conjunction() {
    NodeId left = TRY(negation());
    while (is_word("and")) {
        uint32_t line = current().line;
        advance();
        NodeId right = TRY(negation());
        left = add_binary(Operator::Add, line, left, right);
        node(left).kind = NodeKind::And;
    }
    return left;
}

Result<NodeId> Parser::negation() {
    if (!is_word("not")) return comparison();
    DepthGuard guard(depth_);
    TRY(descend());
    uint32_t line = current().line;
    advance();
    NodeId operand = TRY(negation());
    return add_unary(NodeKind::Not, line, operand);
}

bool Parser::comparison_operator(Comparison& found) {
    static constexpr std::pair<std::string_view, Comparison> kOperators[] = {
        {"==", Comparison::Equal},     {"!=", Comparison::NotEqual}, {"<", Comparison::Less},
        {"<=", Comparison::LessEqual}, {">", Comparison::Greater},   {">=", Comparison::GreaterEqual}};
    for (const auto& [symbol, meaning] : kOperators) {
        if (!is_symbol(symbol)) continue;
        found = meaning;
        advance();
        return true;
    }
    if (skip_word("in")) {
        found = Comparison::In;
        return true;
    }
    if (is_word("not") && look().kind == TokenKind::Name && look().text == "in") {
        advance();
        advance();
        found = Comparison::NotIn;
        return true;
    }
    return false;
}

Result<NodeId> Parser::comparison() {
    uint32_t line = current().line;
    NodeId first = TRY(sum());
    std::vector<Comparison> operators;
    std::vector<NodeId> operands;
    for (Comparison found{}; comparison_operator(found);) {
        operators.push_back(found);
        operands.push_back(TRY(sum()));
    }
    if (operators.empty()) return first;
    NodeId id = add_unary(NodeKind::Compare, line, first);
    node(id).comparisons = std::move(operators);
    node(id).list = std::move(operands);
    return id;
}

Result<NodeId> Parser::sum() {
    NodeId left = TRY(concatenation());
    while (is_symbol("+") || is_symbol("-")) {
        Operator op = is_symbol("+") ? Operator::Add : Operator::Subtract;
        uint32_t line = current().line;
        advance();
        NodeId right = TRY(concatenation());
        left = add_binary(op, line, left, right);
    }
    return left;
}

Result<NodeId> Parser::concatenation() {
    uint32_t line = current().line;
    std::vector<NodeId> parts{TRY(product())};
    while (skip_symbol("~")) parts.push_back(TRY(product()));
    if (parts.size() == 1) return parts[0];
    NodeId id = add(NodeKind::Concat, line);
    node(id).list = std::move(parts);
    return id;
}

Result<NodeId> Parser::product() {
    static constexpr std::pair<std::string_view, Operator> kOperators[] = {
        {"*", Operator::Multiply}, {"/", Operator::Divide}, {"//", Operator::FloorDivide}, {"%", Operator::Modulo}};
    NodeId left = TRY(power());
    for (;;) {
        auto found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                  [&](const auto& candidate) { return is_symbol(candidate.first); });
        if (found == std::end(kOperators)) return left;
        uint32_t line = current().line;
        advance();
        NodeId right = TRY(power());
        left = add_binary(found->second, line, left, right);
    }
}

Result<NodeId> Parser::power() {
    NodeId left = TRY(unary());
    while (is_symbol("**")) {
        uint32_t line = current().line;
        advance();
        NodeId right = TRY(unary());
        left = add_binary(Operator::Power, line, left, right);
    }
    return left;
}

Result<NodeId> Parser::unary(bool with_filters) {
    DepthGuard guard(depth_);
    TRY(descend());
    uint32_t line = current().line;
    NodeId value = kNoNode;
    if (is_symbol("-") || is_symbol("+")) {
        NodeKind kind = is_symbol("-") ? NodeKind::Negative : NodeKind::Positive;
        advance();
        NodeId operand = TRY(unary(false));
        value = add_unary(kind, line, operand);
    } else {
        value = TRY(primary());
    }
    value = TRY(postfix(value));
    return with_filters ? filters_and_tests(value) : Result<NodeId>(value);
}

Result<NodeId> Parser::number_or_string() {
    const Lexeme& token = current();
    uint32_t line = token.line;
    NodeId id = kNoNode;
    if (token.kind == TokenKind::Int) {
        id = add_literal(int_value(token.integer, Origin::Template), line);
        advance();
    } else if (token.kind == TokenKind::Float) {
        id = add_literal(float_value(token.real, Origin::Template), line);
        advance();
    } else {
        std::string text;
        for (; current().kind == TokenKind::String; advance()) text += current().text;
        id = add_string(text, line);
    }
    return id;
}

Result<NodeId> Parser::primary() {
    const Lexeme& token = current();
    uint32_t line = token.line;
    if (token.kind == TokenKind::Int || token.kind == TokenKind::Float || token.kind == TokenKind::String) {
        return number_or_string();
    }
    if (token.kind == TokenKind::Name) {
        std::string name = token.text;
        advance();
        if (name == "true" || name == "True") return add_literal(bool_value(true, Origin::Template), line);
        if (name == "false" || name == "False") return add_literal(bool_value(false, Origin::Template), line);
        Value none = none_value();
        none.origin = Origin::Template;
        if (name == "none" || name == "None") return add_literal(none, line);
        if (macro_ != nullptr) {
            macro_->uses_varargs |= name == "varargs";
            macro_->uses_kwargs |= name == "kwargs";
            macro_->uses_caller |= name == "caller";
        }
        NodeId id = add(NodeKind::Name, line);
        if (namespace_names_ && is_symbol(".")) {
            advance();
            std::string attribute = TRY(expect_name());
            node(id).kind = NodeKind::NamespaceName;
            node(id).text = std::move(attribute);
        }
        node(id).name = std::move(name);
        return id;
    }
    if (skip_symbol("(")) {
        NodeId id = TRY(tuple({.parentheses = true}));
        TRY(expect_symbol(")"));
        return id;
    }
    if (is_symbol("[")) return list_literal();
    if (is_symbol("{")) return dict_literal();
    return fail("unexpected {}: an expression is missing", describe(token));
}

Result<NodeId> Parser::list_literal() {
    uint32_t line = current().line;
    advance();
    std::vector<NodeId> items;
    while (!is_symbol("]")) {
        if (!items.empty()) TRY(expect_symbol(","));
        if (is_symbol("]")) break;
        items.push_back(TRY(expression()));
    }
    advance();
    NodeId id = add(NodeKind::List, line);
    node(id).list = std::move(items);
    return id;
}

Result<NodeId> Parser::dict_literal() {
    uint32_t line = current().line;
    advance();
    std::vector<NodeId> items;
    while (!is_symbol("}")) {
        if (!items.empty()) TRY(expect_symbol(","));
        if (is_symbol("}")) break;
        items.push_back(TRY(expression()));
        TRY(expect_symbol(":"));
        items.push_back(TRY(expression()));
    }
    advance();
    NodeId id = add(NodeKind::Dict, line);
    node(id).list = std::move(items);
    return id;
}

bool Parser::tuple_ends(const TupleStyle& style) const {
    TokenKind kind = current().kind;
    return kind == TokenKind::VariableEnd || kind == TokenKind::BlockEnd || is_symbol(")") ||
           (!style.end_word.empty() && is_word(style.end_word));
}

Result<NodeId> Parser::tuple(TupleStyle style) {
    uint32_t line = current().line;
    std::vector<NodeId> items;
    bool is_tuple = false;
    for (;;) {
        if (!items.empty()) TRY(expect_symbol(","));
        if (tuple_ends(style)) break;
        items.push_back(style.simplified ? TRY(primary()) : TRY(expression(style.conditional)));
        if (!is_symbol(",")) break;
        is_tuple = true;
    }
    if (!is_tuple && !items.empty()) return items[0];
    if (!is_tuple && !style.parentheses) return fail("expected an expression, got {}", describe(current()));
    NodeId id = add(NodeKind::Tuple, line);
    node(id).list = std::move(items);
    return id;
}

Result<NodeId> Parser::postfix(NodeId operand) {
    for (;;) {
        if (is_symbol(".") || is_symbol("[")) {
            operand = TRY(subscript(operand));
        } else if (is_symbol("(")) {
            operand = TRY(call(operand));
        } else {
            return operand;
        }
    }
}

Result<NodeId> Parser::filters_and_tests(NodeId operand) {
    for (;;) {
        if (is_symbol("|")) {
            operand = TRY(filter_chain(operand, false));
        } else if (is_word("is")) {
            operand = TRY(test(operand));
        } else if (is_symbol("(")) {
            operand = TRY(call(operand));
        } else {
            return operand;
        }
    }
}

Result<NodeId> Parser::subscript(NodeId operand) {
    uint32_t line = current().line;
    if (skip_symbol(".")) {
        if (current().kind == TokenKind::Int) {
            NodeId index = TRY(number_or_string());
            NodeId id = add_unary(NodeKind::Item, line, operand);
            node(id).b = index;
            return id;
        }
        if (current().kind != TokenKind::Name) return fail("expected a name or a number, got {}", describe(current()));
        NodeId id = add_unary(NodeKind::Attribute, line, operand);
        node(id).name = current().text;
        advance();
        return id;
    }
    advance();
    std::vector<NodeId> parts;
    while (!is_symbol("]")) {
        if (!parts.empty()) TRY(expect_symbol(","));
        parts.push_back(TRY(subscript_part()));
    }
    advance();
    if (parts.empty()) return fail("the subscript is empty");
    NodeId part = parts[0];
    if (parts.size() == 1 && node(part).kind == NodeKind::Slice) {
        node(part).a = operand;
        return part;
    }
    if (parts.size() > 1) {
        part = add(NodeKind::Tuple, line);
        node(part).list = std::move(parts);
    }
    NodeId id = add_unary(NodeKind::Item, line, operand);
    node(id).b = part;
    return id;
}

Result<NodeId> Parser::subscript_part() {
    uint32_t line = current().line;
    std::vector<NodeId> bounds;
    NodeId first = kNoNode;
    if (!is_symbol(":")) {
        first = TRY(expression());
        if (!is_symbol(":")) return first;
    }
    bounds.push_back(first);
    while (skip_symbol(":")) {
        bool empty = is_symbol(":") || is_symbol("]") || is_symbol(",");
        bounds.push_back(empty ? kNoNode : TRY(expression()));
    }
    if (bounds.size() > 3) return fail("a slice has at most three parts");
    bounds.resize(3, kNoNode);
    NodeId id = add(NodeKind::Slice, line);
    node(id).list = std::move(bounds);
    return id;
}

Result<NodeId> Parser::call(NodeId callee) {
    uint32_t line = current().line;
    uint32_t arguments = TRY(call_arguments());
    NodeId id = add_unary(NodeKind::Call, line, callee);
    node(id).extra = arguments;
    return id;
}

Result<uint32_t> Parser::call_arguments() {
    TRY(expect_symbol("("));
    CallArguments arguments;
    bool first = true;
    while (!is_symbol(")")) {
        if (!first) {
            TRY(expect_symbol(","));
            if (is_symbol(")")) break;
        }
        first = false;
        bool keyword = current().kind == TokenKind::Name && look().kind == TokenKind::Symbol && look().text == "=";
        bool ended = arguments.more_named != kNoNode;
        if (skip_symbol("*")) {
            if (ended || arguments.more_positional != kNoNode) return fail("invalid syntax for function call");
            arguments.more_positional = TRY(expression());
        } else if (skip_symbol("**")) {
            if (ended) return fail("invalid syntax for function call");
            arguments.more_named = TRY(expression());
        } else if (keyword) {
            if (ended) return fail("invalid syntax for function call");
            std::string name = TRY(expect_name());
            advance();
            NodeId value = TRY(expression());
            arguments.named.emplace_back(std::move(name), value);
        } else {
            if (ended || !arguments.named.empty() || arguments.more_positional != kNoNode) {
                return fail("a positional argument follows a keyword argument");
            }
            arguments.positional.push_back(TRY(expression()));
        }
    }
    advance();
    tree_.calls.push_back(std::move(arguments));
    return static_cast<uint32_t>(tree_.calls.size() - 1);
}

// `begun`: in a filter block, where the first name comes without a bar.
Result<NodeId> Parser::filter_chain(NodeId operand, bool begun) {
    while (begun || skip_symbol("|")) {
        begun = false;
        uint32_t line = current().line;
        std::string name = TRY(expect_name());
        while (skip_symbol(".")) {
            name += ".";
            name += TRY(expect_name());
        }
        NodeId id = add_unary(NodeKind::Filter, line, operand);
        node(id).filter = find_filter(name);
        if (node(id).filter == nullptr) unknown_.push_back({line, fmt::format("there is no filter '{}'", name)});
        node(id).name = std::move(name);
        if (is_symbol("(")) {
            uint32_t arguments = TRY(call_arguments());
            node(id).extra = arguments;
        } else {
            tree_.calls.emplace_back();
            node(id).extra = static_cast<uint32_t>(tree_.calls.size() - 1);
        }
        operand = id;
    }
    return operand;
}

Result<NodeId> Parser::test(NodeId operand) {
    uint32_t line = current().line;
    advance();
    bool negate = skip_word("not");
    std::string name = TRY(expect_name());
    while (skip_symbol(".")) {
        name += ".";
        name += TRY(expect_name());
    }
    NodeId id = add_unary(NodeKind::Test, line, operand);
    // jinja2 knows the tests that are operators (`==`) by name only in filters: select('==', 3).
    node(id).test = find_test(name);
    if (node(id).test == nullptr) unknown_.push_back({line, fmt::format("there is no test '{}'", name)});
    node(id).name = std::move(name);
    TokenKind kind = current().kind;
    bool argument = kind == TokenKind::String || kind == TokenKind::Int || kind == TokenKind::Float || is_symbol("[") ||
                    is_symbol("{") ||
                    (kind == TokenKind::Name && !is_word("else") && !is_word("or") && !is_word("and"));
    uint32_t arguments = 0;
    if (is_symbol("(")) {
        arguments = TRY(call_arguments());
    } else {
        CallArguments one;
        if (argument) {
            if (is_word("is")) return fail("tests with 'is' cannot be chained");
            NodeId value = TRY(primary());
            one.positional.push_back(TRY(postfix(value)));
        }
        tree_.calls.push_back(std::move(one));
        arguments = static_cast<uint32_t>(tree_.calls.size() - 1);
    }
    node(id).extra = arguments;
    return negate ? add_unary(NodeKind::Not, line, id) : id;
}

}  // namespace godwit::jinja
