// What was typed into the chat, kept in a file for the next time: one JSON string a line, readable by its owner alone.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace godwit {

/// $XDG_STATE_HOME/godwit/history, by default in ~/.local/state. Empty: there is no home.
std::string default_history_path();

class InputHistory {
public:
    static constexpr size_t kEntriesMax = 1000, kEntryBytesMax = 64 << 10;

    /// Makes the folder and the file. What in it is no entry is passed over; more than kEntriesMax are cut to the
    /// latest. Errors: the file can be neither read nor made.
    static Result<InputHistory> open(const std::string& path);

    /// Oldest first, as they were when the file was opened.
    const std::vector<std::string>& entries() const { return entries_; }
    /// Adds to the file, at once, so that several chats may share it; entries that are too long are left out. Errors:
    /// it cannot be written.
    Result<void> add(const std::string& text) const;

private:
    explicit InputHistory(std::string path) : path_(std::move(path)) {}

    std::string path_;
    std::vector<std::string> entries_;
};

}  // namespace godwit
