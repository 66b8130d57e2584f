#include "cli/line_editor.hpp"

#include <histedit.h>

#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace godwit {
namespace {

constexpr int kLinesKept = 1000;
constexpr size_t kPastedMax = size_t{4} << 20;  // characters

// "Bracketed paste" of xterm and all that follow it: pasted text comes between two marks, and its newlines send
// nothing.
constexpr const char *kPasteOn = "\x1b[?2004h", *kPasteOff = "\x1b[?2004l", *kPasteBegins = "\x1b[200~";
constexpr std::wstring_view kPasteEnds = L"\x1b[201~";

void send(const char* sequence) {
    std::fputs(sequence, stdout);
    std::fflush(stdout);
}

}  // namespace

LineEditor& LineEditor::of(editline* edit) {
    void* self = nullptr;
    el_get(edit, EL_CLIENTDATA, &self);
    return *static_cast<LineEditor*>(self);
}

char* LineEditor::prompt_of(editline* edit) { return of(edit).prompt_.data(); }

/// The line is ended as if by Enter, so that libedit leaves the terminal below it.
unsigned char LineEditor::on_interrupt(editline* edit, int) {
    LineEditor& self = of(edit);
    const LineInfo* line = el_line(edit);
    self.interrupted_text_.assign(line->buffer, line->lastchar);
    self.interrupted_ = true;
    el_push(edit, "\n");
    return CC_NORM;
}

/// libedit's handler puts the terminal right before, and the line afterwards.
unsigned char LineEditor::on_suspend(editline*, int) {
    std::raise(SIGTSTP);
    return CC_REDISPLAY;
}

unsigned char LineEditor::on_paste(editline* edit, int) {
    std::wstring text;
    for (wchar_t c; !std::wstring_view(text).ends_with(kPasteEnds);) {
        if (text.size() > kPastedMax || el_wgetc(edit, &c) != 1) return CC_EOF;
        if (c == L'\r') c = L'\n';
        if (c == L'\x1b' || c == L'\n' || c == L'\t' || c >= L' ') text += c;
    }
    text.resize(text.size() - kPasteEnds.size());
    std::erase(text, L'\x1b');
    while (text.ends_with(L'\n')) text.pop_back();
    if (!text.empty() && el_winsertstr(edit, text.c_str()) != 0) return CC_ERROR;
    return CC_REFRESH;
}

LineEditor::LineEditor(const std::vector<std::string>& earlier) {
    // libedit reads and measures text as the locale does; the terminal speaks UTF-8, as models do.
    if (std::setlocale(LC_CTYPE, "C.UTF-8") == nullptr) std::setlocale(LC_CTYPE, "");
    edit_ = el_init("godwit", stdin, stdout, stderr);
    history_ = history_init();
    HistEvent event;
    history(history_, &event, H_SETSIZE, kLinesKept);
    history(history_, &event, H_SETUNIQUE, 1);
    for (const std::string& line : earlier) remember(line);

    el_set(edit_, EL_CLIENTDATA, this);
    el_set(edit_, EL_PROMPT_ESC, prompt_of, kEscape);
    el_set(edit_, EL_HIST, history, history_);
    el_set(edit_, EL_SIGNAL,
           1);  // the terminal is put right when the program is stopped, and measured anew when resized
    el_set(edit_, EL_EDITOR, "emacs");
    el_set(edit_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    el_set(edit_, EL_BIND, "^W", "ed-delete-prev-word", nullptr);
    el_set(edit_, EL_BIND, "^[[1;5C", "em-next-word", nullptr);
    el_set(edit_, EL_BIND, "^[[1;5D", "ed-prev-word", nullptr);
    el_set(edit_, EL_ADDFN, "complete-file", "completes a file name", _el_fn_complete);
    el_set(edit_, EL_BIND, "^I", "complete-file", nullptr);
    el_source(edit_, nullptr);  // ~/.editrc
    // Ctrl-C and Ctrl-Z are keys while a line is read, so that no signal comes at a bad time.
    el_set(edit_, EL_SETTY, "-d", "-isig", nullptr);
    el_set(edit_, EL_ADDFN, "interrupt-line", "gives the line up", on_interrupt);
    el_set(edit_, EL_BIND, "^C", "interrupt-line", nullptr);
    el_set(edit_, EL_ADDFN, "suspend", "back to the shell", on_suspend);
    el_set(edit_, EL_BIND, "^Z", "suspend", nullptr);
    const char* kind = std::getenv("TERM");
    pastes_ = kind != nullptr && std::string_view(kind) != "dumb" && *kind != '\0';
    el_set(edit_, EL_ADDFN, "paste", "takes pasted text", on_paste);
    el_set(edit_, EL_BIND, kPasteBegins, "paste", nullptr);
}

LineEditor::~LineEditor() {
    el_end(edit_);
    history_end(history_);
}

LineEditor::Line LineEditor::read(const std::string& prompt) {
    prompt_ = prompt;
    interrupted_ = false;
    el_resize(edit_);
    if (pastes_) send(kPasteOn);
    int length = 0;
    const char* text = el_gets(edit_, &length);
    if (pastes_) send(kPasteOff);
    if (interrupted_) return {Line::Kind::Interrupted, std::move(interrupted_text_)};
    if (text == nullptr || length <= 0) return {};
    std::string line(text);
    if (line.ends_with('\n')) line.pop_back();
    return {Line::Kind::Text, std::move(line)};
}

void LineEditor::remember(const std::string& text) {
    HistEvent event;
    if (!text.empty()) history(history_, &event, H_ENTER, text.c_str());
}

}  // namespace godwit
