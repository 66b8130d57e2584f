// Lines from a terminal, with editing, earlier lines, and pasted text as one piece. Over libedit
// (docs/decisions/0013-libedit.md).
#pragma once

#include <string>
#include <vector>

struct editline;
struct history;

namespace godwit {

/// One in a process (it sets LC_CTYPE). Thread rule: one thread.
class LineEditor {
public:
    /// In a prompt: what stands between two of these is sent as it is and takes no column; something follows it.
    static constexpr char kEscape = '\1';

    struct Line {
        enum class Kind {
            Text,
            Interrupted,  // Ctrl-C
            End,          // Ctrl-D on an empty line, or the terminal is gone
        } kind = Kind::End;
        std::string text;  // UTF-8; newlines inside if such text was pasted. Interrupted: what stood there
    };

    /// Standard input and output are terminals. `earlier`: lines to go back to, oldest first; the last 1,000 are kept.
    explicit LineEditor(const std::vector<std::string>& earlier);
    ~LineEditor();
    LineEditor(const LineEditor&) = delete;
    LineEditor& operator=(const LineEditor&) = delete;

    Line read(const std::string& prompt);
    void remember(const std::string& text);

private:
    static LineEditor& of(editline* edit);
    static char* prompt_of(editline* edit);
    static unsigned char on_interrupt(editline* edit, int key);
    static unsigned char on_suspend(editline* edit, int key);
    static unsigned char on_paste(editline* edit, int key);
    static int read_character(editline* edit, wchar_t* c);
    void on_signal(int number);
    void redraw();

    editline* edit_;
    history* history_;
    std::string prompt_, interrupted_text_;
    bool interrupted_ = false;
    bool pastes_;  // the terminal brackets pasted text
};

}  // namespace godwit
