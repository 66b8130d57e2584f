#include "cli/line_editor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <histedit.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/utf8.hpp"
#include "text/unicode.hpp"

namespace godwit {
namespace {

constexpr int kLinesKept = 1000;
constexpr size_t kPastedMax = size_t{4} << 20;  // characters

// "Bracketed paste" of xterm and all that follow it: pasted text comes between two marks, and its newlines send
// nothing.
constexpr const char *kPasteOn = "\x1b[?2004h", *kPasteOff = "\x1b[?2004l", *kPasteBegins = "\x1b[200~";
constexpr std::wstring_view kPasteEnds = L"\x1b[201~";

void send(const std::string& sequence) {
    std::fputs(sequence.c_str(), stdout);
    std::fflush(stdout);
}

// The reader takes signals out of a pipe: whichever thread a signal interrupts, and whatever libedit is doing then, its
// state is touched only between two keys.
constexpr std::array kSignals = {SIGWINCH, SIGCONT, SIGTERM, SIGHUP, SIGQUIT};
std::array<int, 2> signal_pipe;

void note_signal(int number) {
    const int error = errno;
    const auto byte = static_cast<unsigned char>(number);
    [[maybe_unused]] const ssize_t written = ::write(signal_pipe[1], &byte, 1);  // full: it is awake already
    errno = error;
}

/// In the life of one, signals are noted.
class NotedSignals {
public:
    NotedSignals() {
        struct sigaction noted{};
        noted.sa_handler = note_signal;
        noted.sa_flags = SA_RESTART;
        for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &noted, &before_[i]);
    }
    ~NotedSignals() {
        for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
    }
    NotedSignals(const NotedSignals&) = delete;
    NotedSignals& operator=(const NotedSignals&) = delete;

private:
    std::array<struct sigaction, kSignals.size()> before_{};
};

/// Text as libedit lays it out on a terminal.
class Layout {
public:
    explicit Layout(int columns) : columns_(columns) {}

    void add(wchar_t c) {
        if (c == L'\n') {
            text_ += "\r\n";
            ++row_;
            column_ = 0;
        } else if (c == L'\t') {
            do put(U' ');
            while (column_ % 8 != 0);
        } else if (c < L' ' || c == L'\x7f') {
            put(U'^');
            put(static_cast<char32_t>(c) ^ 0x40);
        } else {
            put(static_cast<char32_t>(c));
        }
    }
    void add_prompt(std::string_view prompt) {
        bool is_shown = true;
        for (const char c : prompt) {  // ASCII
            if (c == LineEditor::kEscape) is_shown = !is_shown;
            else if (is_shown) add(c);
            else text_ += c;
        }
    }

    const std::string& text() const { return text_; }
    int last_row() const { return row_; }
    /// Where the next character stands.
    int row() const { return row_ + column_ / columns_; }
    int column() const { return column_ % columns_; }

private:
    void put(char32_t c) {
        append_utf8(text_, c);
        const int width = terminal_columns(c);
        if (column_ + width > columns_) {
            ++row_;
            column_ = 0;
        }
        column_ += width;
    }

    const int columns_;
    std::string text_;
    int row_ = 0, column_ = 0;
};

std::string move(int count, char direction) { return count > 0 ? fmt::format("\x1b[{}{}", count, direction) : ""; }

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

unsigned char LineEditor::on_suspend(editline* edit, int) {
    el_set(edit, EL_PREP_TERM, 0);
    std::raise(SIGTSTP);
    return CC_NORM;  // SIGCONT draws the line
}

int LineEditor::read_character(editline* edit, wchar_t* c) {
    std::array<pollfd, 2> ready = {pollfd{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                                   pollfd{.fd = signal_pipe[0], .events = POLLIN, .revents = 0}};
    while (ready[0].revents == 0) {
        if (::poll(ready.data(), ready.size(), -1) < 0) {
            if (errno != EINTR) return -1;
            ready[0].revents = ready[1].revents = 0;
        }
        unsigned char number;
        if (ready[1].revents != 0 && ::read(signal_pipe[0], &number, 1) == 1) of(edit).on_signal(number);
    }
    el_wset(edit, EL_GETCFN, EL_BUILTIN_GETCFN);
    const int count = el_wgetc(edit, c);
    el_wset(edit, EL_GETCFN, read_character);
    return count;
}

void LineEditor::on_signal(int number) {
    if (number == SIGWINCH) return redraw();
    el_set(edit_, EL_PREP_TERM, 0);
    if (number == SIGCONT) {  // the shell may have set the terminal
        el_set(edit_, EL_PREP_TERM, 1);
        if (pastes_) send(kPasteOn);
        el_set(edit_, EL_REFRESH);
        return;
    }
    if (pastes_) send(kPasteOff);
    std::signal(number, SIG_DFL);
    std::raise(number);
}

/// The terminal has wrapped the line anew and taken the cursor along, where libedit would draw. libedit leaves out
/// blanks at the end of a row, which parts the rows for the next time: so the line is written over.
void LineEditor::redraw() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return;
    const LineInfoW* line = el_wline(edit_);
    Layout before(size.ws_col);
    before.add_prompt(prompt_);
    for (const wchar_t* at = line->buffer; at < line->cursor; ++at) before.add(*at);
    Layout all = before;
    for (const wchar_t* at = line->cursor; at < line->lastchar; ++at) all.add(*at);

    const std::string to_begin = fmt::format("\r{}", move(before.row(), 'A'));
    send(to_begin + "\x1b[J");
    el_resize(edit_);
    el_set(edit_, EL_REFRESH);
    send(to_begin + all.text() + "\r" + move(all.last_row() - before.row(), 'A') +
         move(before.row() - all.last_row(), 'B') + move(before.column(), 'C'));
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
    if (::pipe2(signal_pipe.data(), O_CLOEXEC | O_NONBLOCK) == 0) el_wset(edit_, EL_GETCFN, read_character);
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
    const NotedSignals signals;
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
