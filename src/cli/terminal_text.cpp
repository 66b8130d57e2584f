#include "cli/terminal_text.hpp"

#include <clocale>
#include <cwchar>

#include "base/utf8.hpp"

namespace godwit {
namespace {

constexpr int kWordColumnsMax = 24;  // longer ones (links, Chinese) are written as they come

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }

/// As the locale knows it; in the C locale 1 for all but ASCII.
int columns_of(char32_t c) {
    int columns = ::wcwidth(static_cast<wchar_t>(c));
    return columns < 0 ? 1 : columns;
}

}  // namespace

void use_utf8_widths() {
    if (std::setlocale(LC_CTYPE, "C.UTF-8") == nullptr) std::setlocale(LC_CTYPE, "");
}

void TerminalText::end_word(std::string& out) {
    if (columns_ > 0 && !in_code_ && !is_torn_ && column_ > 0 && column_ + word_columns_ > columns_) {
        out += '\n';
        column_ = 0;
    }
    if (column_ == 0 && word_.starts_with("```")) in_code_ = !in_code_;
    out += word_;
    column_ += word_columns_;
    if (columns_ > 0 && column_ > columns_) column_ %= columns_;  // the terminal has wrapped it
    word_.clear();
    word_columns_ = 0;
}

void TerminalText::add_blank(char blank, std::string& out) {
    end_word(out);
    is_torn_ = false;
    if (blank != '\n' && !in_code_ && columns_ > 0 && column_ >= columns_) return;  // it would begin the next line
    out += blank;
    if (blank == '\n') column_ = 0;
    else column_ = blank == '\t' ? (column_ / 8 + 1) * 8 : column_ + 1;
}

std::string TerminalText::add(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        Utf8Unit unit = next_utf8(text);
        std::string_view shown = text.substr(0, unit.size);
        text.remove_prefix(unit.size);
        if (shown == "\r") continue;
        if (shown == " " || shown == "\t" || shown == "\n") {
            add_blank(shown[0], out);
            continue;
        }
        word_ += is_control(unit.code_point) ? kReplacementCharacter : shown;
        word_columns_ += columns_of(unit.code_point);
        if (word_columns_ <= kWordColumnsMax) continue;
        end_word(out);
        is_torn_ = true;
    }
    return out;
}

std::string TerminalText::end() {
    std::string out;
    end_word(out);
    return out;
}

}  // namespace godwit
