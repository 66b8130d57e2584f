#include "template/lexer.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/utf8.hpp"
#include "template/string_literal.hpp"
#include "text/unicode.hpp"

namespace godwit::jinja {

namespace {

// Every line break as \n, the last one dropped.
std::string normalise_lines(std::string_view source) {
    std::string out;
    out.reserve(source.size());
    for (size_t i = 0; i < source.size(); ++i) {
        if (source[i] != '\r') {
            out += source[i];
        } else {
            out += '\n';
            if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
        }
    }
    if (!out.empty() && out.back() == '\n') out.pop_back();
    return out;
}

bool is_digit(char c, int base) {
    if (base == 16) return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f');
    return c >= '0' && c < '0' + base;
}

class Lexer {
public:
    explicit Lexer(std::string_view source) : source_(normalise_lines(source)) {}

    Result<std::vector<Lexeme>> run() {
        while (at_ < source_.size()) {
            size_t begin = find_begin();
            if (begin == std::string::npos) {
                add_text(at_, source_.size());
                break;
            }
            TRY(read_tag(begin));
        }
        push(TokenKind::End);
        return std::move(tokens_);
    }

private:
    char peek(size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
    std::string_view rest() const { return std::string_view(source_).substr(at_); }

    template <class... Args>
    Error fail(fmt::format_string<Args...> format, Args&&... args) const {
        return error("line {}: {}", line_, fmt::format(format, std::forward<Args>(args)...));
    }

    void push(TokenKind kind, std::string text = {}) { tokens_.push_back({kind, line_, std::move(text)}); }

    size_t find_begin() const {
        for (size_t at = source_.find('{', at_); at != std::string::npos; at = source_.find('{', at + 1)) {
            char next = at + 1 < source_.size() ? source_[at + 1] : '\0';
            if (next == '{' || next == '%' || next == '#') return at;
        }
        return std::string::npos;
    }

    void move_to(size_t position) {
        line_ += static_cast<uint32_t>(std::count(source_.begin() + static_cast<ptrdiff_t>(at_),
                                                  source_.begin() + static_cast<ptrdiff_t>(position), '\n'));
        at_ = position;
    }

    void add_text(size_t begin, size_t end) {
        if (begin < end) push(TokenKind::Text, source_.substr(begin, end - begin));
    }

    // The text before a tag that begins at `end`, stripped as the tag's sign says.
    void add_text_before(size_t end, char sign, bool variable) {
        size_t begin = at_;
        size_t stop = end;
        if (sign == '-') {
            while (stop > begin) {
                size_t back = stop - 1;
                while (back > begin && (static_cast<unsigned char>(source_[back]) & 0xC0) == 0x80) --back;
                if (!is_space(next_utf8(std::string_view(source_).substr(back)).code_point)) break;
                stop = back;
            }
        } else if (sign != '+' && !variable) {
            size_t line_begin = end;
            while (line_begin > begin && is_blank(line_begin - 1)) --line_begin;
            bool at_line = line_begin > begin ? source_[line_begin - 1] == '\n' : line_starting_;
            if (at_line) stop = line_begin;
        }
        add_text(begin, stop);
    }
    bool is_blank(size_t position) const {
        char c = source_[position];
        return c == ' ' || c == '\t' || c == '\f' || c == '\v';
    }

    size_t skip_spaces(size_t position) const {
        while (position < source_.size()) {
            Utf8Unit unit = next_utf8(std::string_view(source_).substr(position));
            if (!is_space(unit.code_point)) break;
            position += unit.size;
        }
        return position;
    }

    Result<void> read_tag(size_t begin) {
        char kind = source_[begin + 1];
        char sign = begin + 2 < source_.size() ? source_[begin + 2] : '\0';
        bool variable = kind == '{';
        if (sign != '-' && sign != '+') sign = '\0';
        add_text_before(begin, sign, variable);
        move_to(begin + (sign ? 3 : 2));
        if (kind == '#') return read_comment();
        if (kind == '%' && is_raw()) return read_raw();
        push(variable ? TokenKind::VariableBegin : TokenKind::BlockBegin);
        return read_code(variable);
    }

    // After `%}`, `}}` or `#}`: what the sign and trim_blocks drop.
    void end_tag(char sign, bool trim) {
        if (sign == '-') {
            move_to(skip_spaces(at_));
        } else if (sign != '+' && trim && peek() == '\n') {
            move_to(at_ + 1);
        }
        line_starting_ = source_[at_ - 1] == '\n';
    }

    Result<void> read_comment() {
        size_t end = source_.find("#}", at_);
        if (end == std::string::npos) return fail("Missing end of comment tag");
        char sign = end > at_ ? source_[end - 1] : '\0';
        move_to(end + 2);
        end_tag(sign, true);
        return done();
    }

    bool is_raw() const {
        size_t at = skip_spaces(at_);
        if (source_.compare(at, 3, "raw") != 0) return false;
        at = skip_spaces(at + 3);
        return source_.compare(at, 2, "%}") == 0 || source_.compare(at, 3, "-%}") == 0;
    }

    Result<void> read_raw() {
        size_t close = source_.find("%}", at_);
        bool strip = source_[close - 1] == '-';
        move_to(close + 2);
        end_tag(strip ? '-' : '\0', false);
        for (size_t at = source_.find("{%", at_); at != std::string::npos; at = source_.find("{%", at + 2)) {
            size_t word = at + 2;
            char sign = word < source_.size() ? source_[word] : '\0';
            if (sign == '-' || sign == '+') ++word;
            word = skip_spaces(word);
            if (source_.compare(word, 6, "endraw") != 0) continue;
            word = skip_spaces(word + 6);
            char end_sign = word < source_.size() ? source_[word] : '\0';
            if (end_sign == '-' || end_sign == '+') ++word;
            if (source_.compare(word, 2, "%}") != 0) continue;
            add_text_before(at, sign, false);
            move_to(word + 2);
            end_tag(end_sign, true);
            return done();
        }
        return fail("Missing end of raw directive");
    }

    Result<void> read_code(bool variable) {
        std::string_view end = variable ? "}}" : "%}";
        std::string brackets;
        while (at_ < source_.size()) {
            size_t next = skip_spaces(at_);
            if (next != at_) {
                move_to(next);
                continue;
            }
            char sign = peek();
            bool signed_end = (sign == '-' || (sign == '+' && !variable)) && rest().substr(1).starts_with(end);
            if (brackets.empty() && (signed_end || rest().starts_with(end))) {
                push(variable ? TokenKind::VariableEnd : TokenKind::BlockEnd);
                move_to(at_ + (signed_end ? 3 : 2));
                end_tag(signed_end ? sign : '\0', !variable);
                return done();
            }
            TRY(read_token(brackets));
        }
        return done();  // the parser says what was expected
    }

    Result<void> read_token(std::string& brackets) {
        char c = peek();
        if (c >= '0' && c <= '9') return read_number();
        if (c == '"' || c == '\'') return read_string(c);
        Utf8Unit unit = next_utf8(rest());
        bool name = unit.form == Utf8Form::WellFormed && begins_identifier(unit.code_point);
        return name ? read_name() : read_symbol(brackets);
    }

    Result<void> read_name() {
        size_t end = at_;
        while (end < source_.size()) {
            Utf8Unit unit = next_utf8(std::string_view(source_).substr(end));
            if (unit.form != Utf8Form::WellFormed || !continues_identifier(unit.code_point)) break;
            end += unit.size;
        }
        push(TokenKind::Name, source_.substr(at_, end - at_));
        at_ = end;
        return done();
    }

    // Digits of `base` with single underscores between them, from `position` on; where they end.
    size_t skip_digits(size_t position, int base) const {
        auto digit = [&](size_t at) { return at < source_.size() && is_digit(source_[at], base); };
        while (digit(position) || (position < source_.size() && source_[position] == '_' && digit(position + 1))) {
            ++position;
        }
        return position;
    }

    Result<void> read_number() {
        static constexpr std::pair<char, int> kBases[] = {{'x', 16}, {'o', 8}, {'b', 2}};
        for (auto [letter, base] : kBases) {
            size_t end = skip_digits(at_ + 2, base);
            if (peek() == '0' && (peek(1) | 32) == letter && end > at_ + 2) return read_integer(at_ + 2, end, base);
        }
        size_t end = skip_digits(at_, 10);
        size_t whole = end;
        auto digit = [&](size_t at) { return at < source_.size() && is_digit(source_[at], 10); };
        if (end < source_.size() && source_[end] == '.' && digit(end + 1)) end = skip_digits(end + 1, 10);
        if (end < source_.size() && (source_[end] | 32) == 'e') {
            size_t power = end + 1;
            if (power < source_.size() && (source_[power] == '+' || source_[power] == '-')) ++power;
            if (digit(power)) end = skip_digits(power, 10);
        }
        if (end == whole && peek() == '0') {  // 01 is 0, and then 1
            end = at_ + 1;
            while (end < whole && (source_[end] == '0' || (source_[end] == '_' && source_[end + 1] == '0'))) ++end;
        }
        if (end <= whole) return read_integer(at_, end, 10);
        std::string digits;
        for (size_t i = at_; i < end; ++i) digits += source_[i] == '_' ? "" : source_.substr(i, 1);
        Lexeme token{TokenKind::Float, line_, source_.substr(at_, end - at_)};
        token.real = parse_decimal(digits);
        tokens_.push_back(std::move(token));
        at_ = end;
        return done();
    }

    Result<void> read_integer(size_t begin, size_t end, int base) {
        Lexeme token{TokenKind::Int, line_, source_.substr(at_, end - at_)};
        for (size_t i = begin; i < end; ++i) {
            char c = source_[i];
            if (c == '_') continue;
            int digit = c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
            if (__builtin_mul_overflow(token.integer, Integer{base}, &token.integer) ||
                __builtin_add_overflow(token.integer, Integer{digit}, &token.integer)) {
                return fail("the integer {} is too large", std::string_view(token.text).substr(0, 60));
            }
        }
        tokens_.push_back(std::move(token));
        at_ = end;
        return done();
    }

    Result<void> read_string(char quote) {
        size_t end = at_ + 1;
        while (end < source_.size() && source_[end] != quote) end += source_[end] == '\\' ? 2 : 1;
        if (end >= source_.size()) return fail("unexpected char {:?}: the string does not end", std::string(1, quote));
        auto text = unescape_literal(std::string_view(source_).substr(at_ + 1, end - at_ - 1));
        if (!text.ok()) return fail("{}", text.error().message);
        push(TokenKind::String, std::move(text).take());
        move_to(end + 1);
        return done();
    }

    Result<void> read_symbol(std::string& brackets) {
        static constexpr std::string_view kLong[] = {"//", "**", "==", "!=", ">=", "<="};
        for (std::string_view symbol : kLong) {
            if (!rest().starts_with(symbol)) continue;
            push(TokenKind::Symbol, std::string(symbol));
            at_ += 2;
            return done();
        }
        char c = peek();
        if (c == '\0' || std::string_view("+-/*%~[](){}><=.:|,;").find(c) == std::string_view::npos) {
            return fail("unexpected char '{}'", rest().substr(0, next_utf8(rest()).size));
        }
        if (c == '(' || c == '[' || c == '{') brackets += c == '(' ? ')' : c == '[' ? ']' : '}';
        if (c == ')' || c == ']' || c == '}') {
            if (brackets.empty()) return fail("unexpected '{}'", c);
            if (brackets.back() != c) return fail("unexpected '{}', expected '{}'", c, brackets.back());
            brackets.pop_back();
        }
        push(TokenKind::Symbol, std::string(1, c));
        ++at_;
        return done();
    }

    std::string source_;
    size_t at_ = 0;
    uint32_t line_ = 1;
    bool line_starting_ = true;
    std::vector<Lexeme> tokens_;
};

}  // namespace

Result<std::vector<Lexeme>> tokenize_template(std::string_view source) { return Lexer(source).run(); }

}  // namespace godwit::jinja
