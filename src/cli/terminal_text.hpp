// Text of a model as a terminal shows it: wrapped between words, without what could drive the terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace godwit {

/// For one answer, which comes in pieces. What add() and end() return is to be written at once, in order.
class TerminalText {
public:
    /// `columns` of the terminal; 0: unknown, nothing is wrapped.
    explicit TerminalText(int columns) : columns_(columns) {}

    /// Whole code points. The word at the end is held back, unless it is long. Control characters become U+FFFD. Code
    /// between fences (```) is not wrapped, so that it can be copied; between wide characters (Chinese, emoji) the
    /// terminal wraps.
    std::string add(std::string_view text);
    std::string end();

private:
    void add_character(char32_t c, std::string_view shown, std::string& out);
    void add_blank(char blank, std::string& out);
    void end_word(std::string& out);

    const int columns_;
    int column_ = 0;  // where the next character stands
    std::string word_;
    int word_columns_ = 0;
    bool is_wide_ = false;     // the word is one wide character, parted from its neighbours
    char32_t before_ = 0;      // the last character
    int32_t break_state_ = 0;  // of grapheme_break()
    int cluster_columns_ = 0;
    bool is_torn_ = false;  // the word's beginning was written already
    bool in_code_ = false;
};

}  // namespace godwit
