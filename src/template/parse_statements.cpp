#include <algorithm>

#include "template/parser.hpp"

namespace godwit::jinja {

Result<Tree> Parser::run() {
    NodeId root = TRY(statements({}));
    tree_.root = root;
    TRY(check_unknown());
    return std::move(tree_);
}

Result<void> Parser::check_unknown() const {
    for (size_t i = 0; i < unknown_.size(); ++i) {
        bool allowed = std::any_of(allowed_.begin(), allowed_.end(),
                                   [&](const Allowed& range) { return range.begin <= i && i < range.end; });
        if (!allowed) return error("line {}: {}", unknown_[i].line, unknown_[i].message);
    }
    return done();
}

Error Parser::unknown_tag(Words ends) const {
    std::string expected;
    for (std::string_view end : ends) expected += fmt::format("{}'{}'", expected.empty() ? "" : " or ", end);
    bool ended = current().kind == TokenKind::End;
    std::string what = ended ? "the template ends too early" : fmt::format("unknown tag {}", describe(current()));
    if (expected.empty()) return fail("{}", what);
    return fail("{}: '{}' must be closed by {}", what, open_.back(), expected);
}

// Until one of `ends` (the tag's word is then current) or, without ends, the end of the template.
Result<NodeId> Parser::statements(Words ends) {
    DepthGuard guard(depth_);
    TRY(descend());
    std::vector<NodeId> list;
    uint32_t line = current().line;
    for (;;) {
        const Lexeme& token = current();
        if (token.kind == TokenKind::End) {
            if (ends.size() > 0) return unknown_tag(ends);
            break;
        }
        if (token.kind == TokenKind::Text) {
            NodeId id = add_string(token.text, token.line);
            node(id).kind = NodeKind::Text;
            list.push_back(id);
            advance();
        } else if (token.kind == TokenKind::VariableBegin) {
            NodeId id = add(NodeKind::Output, token.line);
            advance();
            NodeId value = TRY(tuple({}));
            node(id).list = {value};
            if (current().kind != TokenKind::VariableEnd) return fail("expected '}}}}', got {}", describe(current()));
            advance();
            list.push_back(id);
        } else {
            advance();
            if (std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return is_word(end); })) break;
            if (current().kind != TokenKind::Name) return fail("a tag begins with a word, got {}", describe(current()));
            open_.push_back(current().text);
            NodeId id = TRY(statement(ends));
            open_.pop_back();
            list.push_back(id);
            TRY(expect_block_end());
        }
    }
    NodeId id = add(NodeKind::Block, line);
    node(id).list = std::move(list);
    return id;
}

Result<void> Parser::expect_block_end() {
    if (current().kind != TokenKind::BlockEnd) return fail("expected '%}}', got {}", describe(current()));
    advance();
    return done();
}

// `%}`, statements, and the word `end`, which is skipped.
Result<NodeId> Parser::body_to(std::string_view end) {
    TRY(expect_block_end());
    NodeId body = TRY(statements({end}));
    advance();
    return body;
}

Result<NodeId> Parser::statement(Words ends) {
    using Parse = Result<NodeId> (Parser::*)();
    static constexpr std::pair<std::string_view, Parse> kStatements[] = {
        {"if", &Parser::if_statement},
        {"for", &Parser::for_statement},
        {"set", &Parser::set_statement},
        {"macro", &Parser::macro_statement},
        {"call", &Parser::call_statement},
        {"filter", &Parser::filter_statement},
        {"autoescape", &Parser::autoescape_statement},
        {"with", &Parser::with_statement},
        {"block", &Parser::block_statement},
        {"print", &Parser::print_statement},
    };
    for (const auto& [word, parse] : kStatements) {
        if (is_word(word)) return (this->*parse)();
    }
    if (is_word("generation")) return scope_statement("endgeneration");
    if (is_word("break")) return loop_control(NodeKind::Break);
    if (is_word("continue")) return loop_control(NodeKind::Continue);
    for (std::string_view word : {"include", "extends", "import", "from"}) {
        if (is_word(word)) return unsupported(word);
    }
    open_.pop_back();
    return unknown_tag(ends);
}

Result<NodeId> Parser::if_statement() {
    size_t unknown = unknown_.size();
    uint32_t line = current().line;
    std::vector<NodeId> parts;
    NodeId otherwise = kNoNode;
    for (;;) {
        advance();
        parts.push_back(TRY(tuple({.conditional = false})));
        TRY(expect_block_end());
        parts.push_back(TRY(statements({"elif", "else", "endif"})));
        if (is_word("elif")) continue;
        if (is_word("else")) {
            advance();
            otherwise = TRY(body_to("endif"));
        } else {
            advance();
        }
        break;
    }
    allow_unknown_since(unknown);
    NodeId id = add(NodeKind::If, line);
    node(id).list = std::move(parts);
    node(id).c = otherwise;
    return id;
}

Result<NodeId> Parser::for_statement() {
    uint32_t line = current().line;
    advance();
    NodeId item = TRY(target(false, "in"));
    TRY(expect_word("in"));
    NodeId items = TRY(tuple({.conditional = false, .end_word = "recursive"}));
    NodeId test = kNoNode;
    if (skip_word("if")) test = TRY(expression());
    bool recursive = skip_word("recursive");
    TRY(expect_block_end());
    ++loops_;
    NodeId body = TRY(statements({"endfor", "else"}));
    --loops_;
    NodeId otherwise = kNoNode;
    bool has_else = is_word("else");
    advance();
    if (has_else) otherwise = TRY(body_to("endfor"));
    NodeId id = add(NodeKind::For, line);
    Node& made = node(id);
    made.flag = recursive;
    made.a = item;
    made.b = items;
    made.c = test;
    made.list = {body, otherwise};
    return id;
}

Result<NodeId> Parser::target(bool namespaces, std::string_view end_word) {
    namespace_names_ = namespaces;
    auto parsed = tuple({.simplified = true, .end_word = end_word});
    namespace_names_ = false;
    NodeId id = TRY(std::move(parsed));
    TRY(check_target(id));
    return id;
}

Result<void> Parser::check_target(NodeId id) {
    NodeKind kind = node(id).kind;
    if (kind == NodeKind::Name || kind == NodeKind::NamespaceName) return done();
    if (kind != NodeKind::Tuple) return fail("a value cannot be assigned to");
    for (NodeId item : node(id).list) TRY(check_target(item));
    return done();
}

Result<NodeId> Parser::set_statement() {
    uint32_t line = current().line;
    advance();
    NodeId name = TRY(target(true, {}));
    if (skip_symbol("=")) {
        NodeId value = TRY(tuple({}));
        NodeId id = add(NodeKind::Set, line);
        node(id).a = name;
        node(id).b = value;
        return id;
    }
    NodeId filters = TRY(filter_chain(kNoNode, false));
    NodeId body = TRY(body_to("endset"));
    NodeId id = add(NodeKind::SetBlock, line);
    node(id).a = name;
    node(id).b = body;
    node(id).c = filters;
    return id;
}

Result<MacroInfo> Parser::signature() {
    TRY(expect_symbol("("));
    MacroInfo info;
    while (!is_symbol(")")) {
        if (!info.parameters.empty()) TRY(expect_symbol(","));
        Parameter parameter;
        parameter.name = TRY(expect_name());
        bool repeated = std::any_of(info.parameters.begin(), info.parameters.end(),
                                    [&](const Parameter& other) { return other.name == parameter.name; });
        if (repeated) return fail("the parameter '{}' is there twice", parameter.name);
        if (skip_symbol("=")) {
            parameter.otherwise = TRY(expression());
        } else if (!info.parameters.empty() && info.parameters.back().otherwise != kNoNode) {
            return fail("the parameter '{}' without a default follows one with a default", parameter.name);
        }
        info.parameters.push_back(std::move(parameter));
    }
    advance();
    return info;
}

Result<NodeId> Parser::macro_body(std::string name, MacroInfo info, std::string_view end, uint32_t line) {
    MacroInfo* outer = std::exchange(macro_, &info);
    int loops = std::exchange(loops_, 0);
    auto parsed = body_to(end);
    macro_ = outer;
    loops_ = loops;
    NodeId body = TRY(std::move(parsed));
    bool lacks_caller = std::any_of(info.parameters.begin(), info.parameters.end(), [](const Parameter& parameter) {
        return parameter.name == "caller" && parameter.otherwise == kNoNode;
    });
    if (info.uses_caller && lacks_caller)
        return fail("the special parameter 'caller' must be omitted or have a default");
    tree_.macros.push_back(std::move(info));
    NodeId id = add(NodeKind::Macro, line);
    node(id).name = std::move(name);
    node(id).extra = static_cast<uint32_t>(tree_.macros.size() - 1);
    node(id).b = body;
    return id;
}

Result<NodeId> Parser::macro_statement() {
    uint32_t line = current().line;
    advance();
    std::string name = TRY(expect_name());
    MacroInfo info = TRY(signature());
    return macro_body(std::move(name), std::move(info), "endmacro", line);
}

Result<NodeId> Parser::call_statement() {
    uint32_t line = current().line;
    advance();
    MacroInfo info;
    if (is_symbol("(")) info = TRY(signature());
    NodeId call = TRY(expression());
    if (node(call).kind != NodeKind::Call) return fail("a call block needs a call");
    NodeId caller = TRY(macro_body("caller", std::move(info), "endcall", line));
    NodeId id = add_unary(NodeKind::CallBlock, line, call);
    node(id).b = caller;
    return id;
}

Result<NodeId> Parser::filter_statement() {
    uint32_t line = current().line;
    advance();
    NodeId filters = TRY(filter_chain(kNoNode, true));
    NodeId body = TRY(body_to("endfilter"));
    NodeId id = add_unary(NodeKind::FilterBlock, line, filters);
    node(id).b = body;
    return id;
}

Result<NodeId> Parser::with_statement() {
    uint32_t line = current().line;
    advance();
    std::vector<NodeId> parts;
    while (current().kind != TokenKind::BlockEnd) {
        if (!parts.empty()) TRY(expect_symbol(","));
        NodeId name = TRY(target(false, {}));
        TRY(expect_symbol("="));
        NodeId value = TRY(expression());
        parts.push_back(name);
        parts.push_back(value);
    }
    NodeId body = TRY(body_to("endwith"));
    NodeId id = add(NodeKind::With, line);
    node(id).list = std::move(parts);
    node(id).b = body;
    return id;
}

Result<NodeId> Parser::scope_statement(std::string_view end) {
    uint32_t line = current().line;
    advance();
    NodeId body = TRY(body_to(end));
    NodeId id = add(NodeKind::Scope, line);
    node(id).b = body;
    return id;
}

// {% block name scoped required %}: without inheritance, what stands there and what self.name() gives.
Result<NodeId> Parser::block_statement() {
    uint32_t line = current().line;
    advance();
    std::string name = TRY(expect_name());
    for (NodeId other : tree_.blocks) {
        if (node(other).name == name) return fail("block '{}' defined twice", name);
    }
    NodeId id = add(NodeKind::NamedBlock, line);
    tree_.blocks.push_back(id);
    node(id).flag = skip_word("scoped");
    node(id).extra = skip_word("required") ? 1 : 0;
    node(id).name = name;
    MacroInfo* outer = std::exchange(macro_, nullptr);
    int loops = std::exchange(loops_, 0);
    auto parsed = body_to("endblock");
    macro_ = outer;
    loops_ = loops;
    NodeId body = TRY(std::move(parsed));
    if (is_word(name)) advance();
    if (node(id).extra != 0) TRY(check_empty(body));
    node(id).b = body;
    return id;
}

// A required block holds white space only.
Result<void> Parser::check_empty(NodeId body) const {
    for (NodeId id : tree_[body].list) {
        const Node& part = tree_[id];
        bool blank = part.kind == NodeKind::Text &&
                     view_of(part.value).find_first_not_of(" \t\n\v\f\r") == std::string_view::npos;
        if (!blank) return fail("required blocks can only contain comments or whitespace");
    }
    return done();
}

Result<NodeId> Parser::autoescape_statement() {
    uint32_t line = current().line;
    advance();
    NodeId whether = TRY(expression());
    NodeId body = TRY(body_to("endautoescape"));
    NodeId id = add_unary(NodeKind::Autoescape, line, whether);
    node(id).b = body;
    return id;
}

Result<NodeId> Parser::print_statement() {
    NodeId id = add(NodeKind::Output, current().line);
    advance();
    std::vector<NodeId> list;
    while (current().kind != TokenKind::BlockEnd) {
        if (!list.empty()) TRY(expect_symbol(","));
        list.push_back(TRY(expression()));
    }
    node(id).list = std::move(list);
    return id;
}

Result<NodeId> Parser::loop_control(NodeKind kind) {
    if (loops_ == 0) return fail("'{}' outside of a loop", current().text);
    NodeId id = add(kind, current().line);
    advance();
    return id;
}

// Statements that need other templates: an error when they are met, as in jinja2 without a loader.
Result<NodeId> Parser::unsupported(std::string_view word) {
    NodeId id = add(NodeKind::Unsupported, current().line);
    node(id).text = fmt::format("'{}' needs another template, and there is none", word);
    while (current().kind != TokenKind::BlockEnd && current().kind != TokenKind::End) advance();
    return id;
}

Result<Tree> parse_template(std::string_view source) { return Parser(TRY(tokenize_template(source))).run(); }

}  // namespace godwit::jinja
