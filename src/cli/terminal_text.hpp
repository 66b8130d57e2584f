// Text of a model as a terminal shows it: wrapped between words, without what could drive the terminal.
#pragma once

#include <string>
#include <string_view>

namespace godwit {

/// Widths of characters are those of UTF-8 from here on, whatever the locale: the terminal speaks it, as models do.
/// Nothing else changes. (Sets LC_CTYPE: before other threads use it.)
void use_utf8_widths();

/// For one answer, which comes in pieces. What add() and end() return is to be written at once, in order.
class TerminalText {
public:
    /// `columns` of the terminal; 0: unknown, nothing is wrapped.
    explicit TerminalText(int columns) : columns_(columns) {}

    /// Whole code points. The word at the end is held back, unless it is long. Control characters become U+FFFD. Code
    /// between fences (```) is not wrapped, so that it can be copied.
    std::string add(std::string_view text);
    std::string end();

private:
    void add_blank(char blank, std::string& out);
    void end_word(std::string& out);

    const int columns_;
    int column_ = 0;  // where the next character stands
    std::string word_;
    int word_columns_ = 0;
    bool is_torn_ = false;  // the word's beginning was written already
    bool in_code_ = false;
};

}  // namespace godwit
