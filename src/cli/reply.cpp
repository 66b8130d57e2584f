#include "cli/reply.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <thread>

#include "cli/progress.hpp"
#include "cli/terminal_text.hpp"

namespace godwit {
namespace {

constexpr int64_t kTokensOfARate = 8;  // fewer: the clock tells more of how the threads were woken than of the speed

std::atomic<Generation*> current = nullptr;
static_assert(std::atomic<Generation*>::is_always_lock_free, "used in a signal handler");

/// 0: standard output is no terminal, or one of unknown width.
int terminal_columns() {
    winsize size{};
    return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void write_out(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

double seconds_between(std::chrono::steady_clock::time_point begin, std::chrono::steady_clock::time_point end) {
    return std::chrono::duration<double>(end - begin).count();
}

std::optional<double> rate(int64_t tokens, double seconds) {
    if (tokens <= 0 || seconds <= 0) return std::nullopt;
    return static_cast<double>(tokens) / seconds;
}

std::string count_and_rate(int64_t tokens, std::optional<double> rate) {
    return fmt::format("{} token{}{}", tokens, tokens == 1 ? "" : "s",
                       rate ? fmt::format(", {:.1f} tokens/s", *rate) : "");
}

/// The first event.
bool await_first(Generation& generation, const Engine& engine, Event& event) {
    constexpr auto kOften = std::chrono::milliseconds(2), kLong = std::chrono::milliseconds(500);
    StatusLine status;
    if (!status.is_on()) return generation.next(event);
    const int64_t before = engine.stats().prompt_tokens;
    const auto start = std::chrono::steady_clock::now();
    while (!generation.try_next(event)) {
        std::this_thread::sleep_for(kOften);
        if (std::chrono::steady_clock::now() - start > kLong)
            status.show(fmt::format("reading the prompt: {} tokens …", engine.stats().prompt_tokens - before));
    }
    return true;
}

}  // namespace

std::optional<double> Reply::prompt_rate() const { return rate(end.prompt_tokens, prompt_seconds); }

std::optional<double> Reply::generate_rate() const {
    return end.generated_tokens < kTokensOfARate ? std::nullopt : rate(end.generated_tokens - 1, generate_seconds);
}

std::string Reply::summary() const {
    return fmt::format("prompt {}; answer {}", count_and_rate(end.prompt_tokens, prompt_rate()),
                       count_and_rate(end.generated_tokens, generate_rate()));
}

Reply print_reply(Generation& generation, const Engine& engine) {
    using Clock = std::chrono::steady_clock;
    const bool terminal = ::isatty(STDOUT_FILENO) != 0;
    TerminalText shown(terminal_columns());
    current = &generation;
    Reply reply;
    Clock::time_point start = Clock::now(), first = start;
    bool started = false;
    for (bool more = await_first(generation, engine, reply.end); more; more = generation.next(reply.end)) {
        if (!started && reply.end.kind == Event::Kind::Token) {
            started = true;
            first = Clock::now();
            reply.prompt_seconds = seconds_between(start, first);
        }
        reply.text += reply.end.text;
        write_out(terminal ? shown.add(reply.end.text) : reply.end.text);
        if (reply.end.kind == Event::Kind::Finish) break;
    }
    reply.generate_seconds = seconds_between(first, Clock::now());
    current = nullptr;
    write_out(shown.end() + "\n");
    return reply;
}

void interrupt_reply() {
    if (Generation* generation = current.load()) generation->cancel();
}

}  // namespace godwit
