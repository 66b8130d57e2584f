#include "cli/chat_terminal.hpp"

#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

#include "base/printable.hpp"
#include "cli/chat_commands.hpp"
#include "cli/input_history.hpp"
#include "cli/line_editor.hpp"

namespace godwit {
namespace {

constexpr int kExitInterrupted = 130;
constexpr std::string_view kQuotes = "\"\"\"";

/// What is typed while an answer comes does not stand in the middle of it; it is read with the next line.
class WithoutEcho {
public:
    WithoutEcho() : changed_(::tcgetattr(STDIN_FILENO, &before_) == 0) {
        termios now = before_;
        now.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        if (changed_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &now);
    }
    ~WithoutEcho() {
        if (changed_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
    }
    WithoutEcho(const WithoutEcho&) = delete;
    WithoutEcho& operator=(const WithoutEcho&) = delete;

private:
    termios before_{};
    bool changed_;
};

bool use_colours() {
    const char *no_color = std::getenv("NO_COLOR"), *kind = std::getenv("TERM");  // no-color.org
    return (no_color == nullptr || *no_color == '\0') && kind != nullptr && std::string_view(kind) != "dumb";
}

class Terminal {
public:
    Terminal(Chat& chat, std::string title, const InputHistory* history)
        : chat_(chat),
          title_(std::move(title)),
          history_(history),
          editor_(history != nullptr ? history->entries() : std::vector<std::string>()) {}

    int run() {
        say(title_ + "\n/help lists the commands, Ctrl-D leaves.\n\n");
        for (Input input; !leaves_;) {
            input = read_input();
            if (input.kind == Input::Kind::End) break;
            if (input.kind == Input::Kind::Interrupted) {
                if (++interrupts_ > 1) return kExitInterrupted;
                say("Ctrl-C again, Ctrl-D or /exit leaves.\n");
                continue;
            }
            interrupts_ = 0;
            if (input.text.find_first_not_of(" \t\r\n") == input.text.npos) continue;
            remember(input.text);
            if (input.kind == Input::Kind::Command) command(input.text);
            else answer([&] { return chat_.ask(input.text); });
        }
        return 0;
    }

private:
    struct Input {
        enum class Kind { Message, Command, Interrupted, End } kind = Kind::End;
        std::string text;
    };
    using Line = LineEditor::Line;

    /// A line about the chat, not of it: dim.
    void say(std::string_view text) const {
        if (colours_) fmt::print("\x1b[2m{}\x1b[0m", text);
        else fmt::print("{}", text);
        std::fflush(stdout);
    }
    void say_error(const std::string& message) const { say(printable(message, 4000) + "\n\n"); }

    /// "[212/8192 · 230 tok/s] >>> "
    std::string prompt() const {
        if (chat_.used() == 0) return ">>> ";
        std::string state = fmt::format("[{}/{}", chat_.used(), chat_.context());
        if (chat_.last())
            if (auto rate = chat_.last()->generate_rate())
                state += fmt::format(" · {:.{}f} tok/s", *rate, *rate < 10 ? 1 : 0);
        state += "]";
        constexpr char kEscape = LineEditor::kEscape;
        if (colours_) state = fmt::format("{0}\x1b[2m{0}{1}{0}\x1b[0m{0}", kEscape, state);
        return state + " >>> ";
    }

    Input read_input() {
        Line line = editor_.read(prompt());
        if (line.kind == Line::Kind::End) {
            fmt::print("\n");
            return {};
        }
        if (line.kind == Line::Kind::Interrupted) {
            if (!line.text.empty()) interrupts_ = 0;  // it was meant for the line
            return {Input::Kind::Interrupted, {}};
        }
        if (line.text.starts_with(kQuotes)) return read_quoted(line.text.substr(kQuotes.size()));
        if (line.text == "exit" || line.text == "quit") line.text.insert(0, 1, '/');  // as everywhere else
        bool is_command = line.text.starts_with('/') && line.text.find('\n') == line.text.npos;
        return read_continued(is_command ? Input::Kind::Command : Input::Kind::Message, std::move(line.text));
    }

    /// The next line of a message; false: there is none.
    bool read_more(std::string& text, Input& given_up) {
        Line line = editor_.read("... ");
        if (line.kind == Line::Kind::Interrupted) given_up = {Input::Kind::Interrupted, {}}, interrupts_ = 0;
        if (line.kind == Line::Kind::End) fmt::print("\n");
        text += line.kind == Line::Kind::Text ? line.text : "";
        return line.kind == Line::Kind::Text;
    }

    /// Up to the closing quotes, or Ctrl-D on an empty line.
    Input read_quoted(std::string text) {
        Input input{Input::Kind::Message, {}};
        while (!text.ends_with(kQuotes)) {
            if (!text.empty()) text += '\n';
            if (!read_more(text, input)) break;
        }
        if (text.ends_with(kQuotes)) text.resize(text.size() - kQuotes.size());
        if (text.ends_with('\n')) text.pop_back();
        if (input.kind == Input::Kind::Message) input.text = std::move(text);
        return input;
    }

    Input read_continued(Input::Kind kind, std::string text) {
        Input input{kind, {}};
        while (text.ends_with('\\')) {
            text.back() = '\n';
            if (!read_more(text, input)) break;
        }
        if (input.kind == kind) input.text = std::move(text);
        return input;
    }

    void remember(const std::string& text) {
        editor_.remember(text);
        if (history_ == nullptr) return;
        Result<void> kept = history_->add(text);
        if (!kept.ok()) say_error(kept.error().message), history_ = nullptr;
    }

    void command(const std::string& line) {
        Result<ChatCommand> parsed = ChatCommand::parse(line);
        if (!parsed.ok()) return say_error(parsed.error().message);
        const ChatCommand& command = parsed.value();
        if (command.kind == ChatCommand::Kind::Exit) leaves_ = true;
        else if (command.kind == ChatCommand::Kind::Regenerate) answer([&] { return chat_.ask_again(); });
        else if (Result<std::string> told = perform(command, chat_, title_); told.ok()) say(told.value() + "\n");
        else say_error(told.error().message);
    }

    template <class Ask>
    void answer(Ask ask) {
        Result<Reply> reply = [&] {
            WithoutEcho quiet;
            return ask();
        }();
        if (!reply.ok())
            return say_error(reply.error().message +
                             (chat_.messages().empty() ? "" : "; /reset begins a new conversation"));
        const Event& end = reply.value().end;
        if (end.reason == FinishReason::Cancelled) say("(stopped)\n");
        bool is_full = end.prompt_tokens + end.generated_tokens >= chat_.context();
        if (end.reason == FinishReason::Length && is_full)
            say(fmt::format(
                "(the context of {} tokens is full: /save PATH keeps the conversation, /reset begins a new one)\n",
                chat_.context()));
        else if (end.reason == FinishReason::Length) say(fmt::format("(cut: -n {})\n", end.generated_tokens));
        fmt::print("\n");
    }

    Chat& chat_;
    const std::string title_;
    const InputHistory* history_;
    LineEditor editor_;
    const bool colours_ = use_colours();
    int interrupts_ = 0;  // at the prompt, one after the other
    bool leaves_ = false;
};

}  // namespace

int chat_on_terminal(Chat& chat, const std::string& title) {
    std::signal(SIGINT, [](int) { interrupt_reply(); });
    Result<InputHistory> history = InputHistory::open(default_history_path());
    if (!history.ok()) fmt::print("no history is kept: {}\n", printable(history.error().message, 1000));
    return Terminal(chat, title, history.ok() ? &history.value() : nullptr).run();
}

}  // namespace godwit
