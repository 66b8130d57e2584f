#include "cli/terminal_text.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"
#include "text/unicode.hpp"

namespace godwit {
namespace {

constexpr int kWordColumnsMax = 24;  // longer ones (links) are written as they come

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }

/// Hangul is wide, but parts words by blanks.
bool is_hangul(char32_t c) { return (c >= 0x1100 && c < 0x1200) || (c >= 0xAC00 && c < 0xD7A4); }

}  // namespace

void TerminalText::end_word(std::string& out) {
    if (columns_ > 0 && !in_code_ && !is_torn_ && column_ > 0 && column_ + word_columns_ > columns_) {
        if (!is_wide_) out += '\n';  // a wide character is put there by the terminal
        column_ = 0;
    }
    if (column_ == 0 && word_.starts_with("```")) in_code_ = !in_code_;
    out += word_;
    column_ += word_columns_;
    if (columns_ > 0 && column_ > columns_) column_ %= columns_;  // the terminal has wrapped it
    word_.clear();
    word_columns_ = 0;
    is_wide_ = false;
}

void TerminalText::add_blank(char blank, std::string& out) {
    end_word(out);
    is_torn_ = false;
    before_ = static_cast<char32_t>(blank);
    break_state_ = 0;
    if (blank != '\n' && !in_code_ && columns_ > 0 && column_ >= columns_) return;  // it would begin the next line
    out += blank;
    if (blank == '\n') column_ = 0;
    else column_ = blank == '\t' ? (column_ / 8 + 1) * 8 : column_ + 1;
}

/// A cluster takes no more columns than its widest form, however many characters it has.
void TerminalText::add_character(char32_t c, std::string_view shown, std::string& out) {
    constexpr char32_t kEmojiStyle = 0xFE0F;
    constexpr int kWide = 2;
    if (grapheme_break(before_, c, break_state_)) {
        const bool is_wide = terminal_columns(c) == kWide && !is_hangul(c);
        if (is_wide || is_wide_) {
            end_word(out);
            is_torn_ = false;
        }
        is_wide_ = is_wide;
        cluster_columns_ = 0;
    }
    before_ = c;
    const int columns = c == kEmojiStyle ? kWide : std::min(cluster_columns_ + terminal_columns(c), kWide);
    word_ += shown;
    word_columns_ += columns - std::exchange(cluster_columns_, columns);
    if (word_columns_ <= kWordColumnsMax) return;
    end_word(out);
    is_torn_ = true;
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
        } else if (is_control(unit.code_point)) {
            add_character(0xFFFD, kReplacementCharacter, out);
        } else {
            add_character(unit.code_point, shown, out);
        }
    }
    return out;
}

std::string TerminalText::end() {
    std::string out;
    end_word(out);
    return out;
}

}  // namespace godwit
