// Template source to tokens, as jinja2's lexer with trim_blocks, lstrip_blocks and without the last newline.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "template/value.hpp"

namespace godwit::jinja {

enum class TokenKind : uint8_t {
    Text,
    VariableBegin,
    VariableEnd,
    BlockBegin,
    BlockEnd,
    Name,
    String,
    Int,
    Float,
    Symbol,
    End
};

struct Lexeme {
    TokenKind kind;
    uint32_t line;
    std::string text;  // Text, Name, String (unescaped), Symbol
    Integer integer = 0;
    double real = 0;
};

/// Ends with an End token. Time and memory linear in the source.
Result<std::vector<Lexeme>> tokenize_template(std::string_view source);

}  // namespace godwit::jinja
