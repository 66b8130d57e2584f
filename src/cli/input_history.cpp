#include "cli/input_history.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "base/printable.hpp"
#include "cli/common.hpp"
#include "text/json.hpp"

namespace godwit {
namespace {

/// `flags`: O_APPEND or O_TRUNC.
Result<void> write_private(const std::string& path, const std::string& text, int flags) {
    int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, S_IRUSR | S_IWUSR);
    bool written = file >= 0 && ::fchmod(file, S_IRUSR | S_IWUSR) == 0 &&
                   ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    int reason = errno;
    if (file >= 0) ::close(file);
    if (!written) return error("{}: cannot write: {}", printable(path, 500), std::strerror(reason));
    return done();
}

}  // namespace

std::string default_history_path() {
    const char *state = std::getenv("XDG_STATE_HOME"), *home = std::getenv("HOME");
    if (state != nullptr && *state == '/')
        return std::string(state) + "/godwit/history";  // the specification wants absolute paths
    if (home == nullptr || *home == '\0') return "";
    return std::string(home) + "/.local/state/godwit/history";
}

Result<InputHistory> InputHistory::open(const std::string& path) {
    if (path.empty()) return error("no home folder (set HOME or XDG_STATE_HOME)");
    InputHistory history(path);
    std::error_code ignored;  // of folders that cannot be made: the file cannot be written
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
    TRY(write_private(path, "", O_APPEND));
    std::string lines = TRY(read_text(path));
    size_t found = 0;
    for (size_t begin = 0, end; begin < lines.size(); begin = end + 1, ++found) {
        end = std::min(lines.find('\n', begin), lines.size());
        Result<Json> entry = parse_json(std::string_view(lines).substr(begin, end - begin), {.depth = 1, .values = 1});
        if (entry.ok() && entry.value().is_string()) history.entries_.push_back(entry.value().get<std::string>());
    }
    if (history.entries_.size() > kEntriesMax)
        history.entries_.erase(history.entries_.begin(), history.entries_.end() - kEntriesMax);
    if (found == history.entries_.size()) return history;
    lines.clear();
    for (const std::string& entry : history.entries_) lines += json_text(entry) + "\n";
    const std::string part = path + ".part";
    TRY(write_private(part, lines, O_TRUNC));
    std::filesystem::rename(part, path, ignored);
    return history;
}

Result<void> InputHistory::add(const std::string& text) const {
    if (text.empty() || text.size() > kEntryBytesMax) return done();
    return write_private(path_, json_text(text) + "\n", O_APPEND);
}

}  // namespace godwit
