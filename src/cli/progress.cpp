#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "cli/common.hpp"

namespace godwit {

Progress::Progress(std::string label) : label_(std::move(label)), terminal_(::isatty(STDERR_FILENO) != 0) {}

void Progress::draw(int64_t done, int64_t total, std::string_view text) const {
    constexpr int64_t kWidth = 20;
    int64_t filled = done * kWidth / total;
    std::string bar =
        fmt::format("\r{} [{}{}] {}\x1b[K", label_, std::string(filled, '='), std::string(kWidth - filled, ' '), text);
    std::fputs(bar.c_str(), stderr);
}

void Progress::update(int64_t done, int64_t total, std::string_view note) {
    std::string text = fmt::format("{}/{}  {}", done, total, note);
    if (terminal_) return draw(done, total, text);
    if (int64_t tenths = done * 10 / total; tenths > tenths_shown_) {
        tenths_shown_ = tenths;
        std::fputs(fmt::format("{} {}\n", label_, text).c_str(), stderr);
    }
}

void Progress::update_bytes(uint64_t done, uint64_t total) {
    constexpr auto kBetween = std::chrono::milliseconds(100), kBetweenLines = std::chrono::milliseconds(1000);
    Clock::time_point now = Clock::now();
    if (!bytes_before_) {
        bytes_before_ = done, start_ = now;
        if (!terminal_) shown_ = now;
    }
    // In thousandths, so that no count is too large to draw.
    int64_t share =
        total == 0 ? 1000 : static_cast<int64_t>(static_cast<double>(done) / static_cast<double>(total) * 1000);
    bool is_due = terminal_ ? done == total || now - shown_ >= kBetween
                            : share / 100 > tenths_shown_ && now - shown_ >= kBetweenLines;
    if (!is_due) return;
    shown_ = now;
    tenths_shown_ = share / 100;
    double seconds = std::chrono::duration<double>(now - start_).count(),
           came = static_cast<double>(done - *bytes_before_);
    std::string text = fmt::format("{} of {}", human_bytes(done), human_bytes(total));
    if (came > 0 && seconds > 0) {
        double rate = came / seconds;
        auto left = static_cast<int64_t>(static_cast<double>(total - done) / rate);
        text += fmt::format("  {}/s  {}:{:02} left", human_bytes(static_cast<uint64_t>(rate)), left / 60, left % 60);
    }
    if (terminal_) draw(share, 1000, text);
    else std::fputs(fmt::format("{}  {}\n", label_, text).c_str(), stderr);
}

void Progress::finish() {
    if (terminal_) std::fputs("\r\x1b[K", stderr);
}

StatusLine::StatusLine() : on_(::isatty(STDERR_FILENO) != 0) {}

void StatusLine::show(const std::string& text) {
    if (!on_ || text == shown_) return;
    std::fputs(fmt::format("\r{}\x1b[K", text).c_str(), stderr);
    shown_ = text;
}

void StatusLine::clear() {
    if (!std::exchange(shown_, "").empty()) std::fputs("\r\x1b[K", stderr);
}

}  // namespace godwit
