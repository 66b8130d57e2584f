// Four conversations at once with one model, by means of include/godwit/engine.hpp alone.
//
//     four_conversations MODEL [QUESTION QUESTION QUESTION QUESTION]
//
// On a terminal four answers grow side by side; into a pipe go complete lines, each with the number of its answer.
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <godwit/engine.hpp>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using Lines = std::vector<std::string>;

/// The text broken into lines of `width` characters, without what could control a terminal.
Lines wrap(const std::string& text, int width) {
    Lines lines(1);
    int column = 0;
    for (unsigned char c : text) {
        bool begins = (c & 0xC0) != 0x80;  // a character of UTF-8
        if (c == '\n' || (begins && column == width)) lines.emplace_back(), column = 0;
        if (c < ' ' || c == 0x7F) continue;
        lines.back() += static_cast<char>(c);
        column += begins;
    }
    return lines;
}

/// Shows answers as they grow. All threads may write.
class Screen {
public:
    explicit Screen(const Lines& questions) : questions_(questions), answers_(questions.size()) {}

    void write(size_t who, const std::string& text, bool complete) {
        std::lock_guard lock(mutex_);
        answers_[who] += text;
        ::isatty(STDOUT_FILENO) != 0 ? draw() : print_lines(who, complete);
    }

private:
    void draw() {
        winsize window{};
        int width = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 8 ? window.ws_col - 4 : 76;
        std::string page = drawn_ > 0 ? "\x1b[" + std::to_string(drawn_) + "A\x1b[J" : "";  // go up again, and clear
        drawn_ = 0;
        for (size_t who = 0; who < answers_.size(); ++who) {
            page += "\x1b[1m" + wrap(questions_[who], width)[0] + "\x1b[0m\n";
            Lines lines = wrap(answers_[who], width);
            size_t shown = std::min<size_t>(lines.size(), 4);  // the last ones: all answers fit on a small screen
            for (auto line = lines.end() - shown; line != lines.end(); ++line) page += "    " + *line + "\n";
            drawn_ += 1 + shown;
        }
        std::cout << page << std::flush;
    }

    void print_lines(size_t who, bool complete) {
        std::string& rest = answers_[who];
        if (complete && !rest.empty()) rest += '\n';
        for (size_t end; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1))
            std::cout << who + 1 << ": " << rest.substr(0, end) << std::endl;
    }

    Lines questions_, answers_;
    size_t drawn_ = 0;  // lines
    std::mutex mutex_;
};

int fail(const godwit::Error& error) { return std::cerr << error.message << std::endl, 1; }

int main(int argc, char** argv) {
    if (argc != 2 && argc != 6) return fail({"usage: four_conversations MODEL [QUESTION QUESTION QUESTION QUESTION]"});
    Lines questions{"Why is the sky blue?", "Why do birds migrate?", "Name three rivers.", "Tell me a joke."};
    if (argc == 6) questions.assign(argv + 2, argv + 6);

    auto engine = godwit::Engine::open(godwit::Runtime::make({}), {.model = argv[1], .context = 1024, .sequences = 4});
    if (!engine.ok()) return fail(engine.error());

    std::vector<godwit::Generation> answers;
    for (const std::string& question : questions) {  // in the chat format of the default model
        std::string prompt = "<|im_start|>user\n" + question + "<|im_end|>\n<|im_start|>assistant\n";
        auto answer = engine.value()->submit({.prompt = prompt, .tokens_max = 60, .sampling = {.temperature = 0}});
        if (!answer.ok()) return fail(answer.error());
        answers.push_back(std::move(answer).take());
    }

    Screen screen(questions);
    std::vector<std::jthread> readers;
    for (size_t who = 0; who < answers.size(); ++who)
        readers.emplace_back([&, who] {
            for (godwit::Event e; answers[who].next(e);)
                screen.write(who, e.text + e.error, e.kind == godwit::Event::Kind::Finish);
        });
}
