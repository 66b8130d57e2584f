#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace godwit {

Progress::Progress(std::string label) : label_(std::move(label)), terminal_(::isatty(STDERR_FILENO) != 0) {}

void Progress::update(int64_t done, int64_t total, std::string_view note) {
    constexpr int64_t kWidth = 30;
    if (terminal_) {
        int64_t filled = done * kWidth / total;
        std::string bar = fmt::format("\r{} [{}{}] {}/{}  {}\x1b[K", label_, std::string(filled, '='),
                                      std::string(kWidth - filled, ' '), done, total, note);
        std::fputs(bar.c_str(), stderr);
    } else if (int64_t tenths = done * 10 / total; tenths > tenths_shown_) {
        tenths_shown_ = tenths;
        std::fputs(fmt::format("{} {}/{}  {}\n", label_, done, total, note).c_str(), stderr);
    }
}

void Progress::finish() {
    if (terminal_) std::fputs("\r\x1b[K", stderr);
}

}  // namespace godwit
