// A command as data: what it takes, what it is for and what it does. Parsing, the help and the messages about mistakes
// follow from that, the same for all commands.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace godwit {

/// "100MB" is decimal, "8GiB" binary; a number alone counts bytes. The B may be left out, case does not matter.
struct ByteSize {
    uint64_t bytes = 0;

    /// Error: no size, or one of 2^63 or more.
    static Result<ByteSize> parse(std::string_view text);
};

/// Where a value goes. A list: the option may be given again; a positional takes all that are left.
using Target = std::variant<bool*, std::string*, std::vector<std::string>*, std::optional<std::string>*, int32_t*,
                            std::optional<int32_t>*, int64_t*, uint16_t*, uint64_t*, std::optional<uint64_t>*, double*,
                            std::optional<float>*, ByteSize*>;

inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();
inline constexpr const char* kMoreOptions = "More options";

/// `name` is "--prompt", or with a short form "-p, --prompt"; without a dash ("MODEL") it is a positional.
struct Option {
    std::string name;
    std::string value;  // the word for it in the help: N, FILE, TEXT. "text|json": one of these. "": a flag
    Target target;
    std::string help;
    double min = -kUnlimited, max = kUnlimited;  // of a number, both included
    bool is_required = false;
    std::string needs = {};                  // an option without which this one has no meaning
    std::vector<std::string> excludes = {};  // options and positionals beside which it has none
    std::string section = "Options";         // its heading in the help
    bool is_given = false;                   // set by Command::parse
};

struct Command {
    std::string name, purpose;
    std::vector<Option> options = {};                   // positionals in their order
    std::vector<std::vector<std::string>> one_of = {};  // of each list at least one must be given
    std::string stray = {};                             // what to do about an argument too many
    std::string listed = {};                            // where all options are listed, if not in its --help
    std::string notes = {};                             // at the end of the help: examples
    std::function<Result<int>()> action = {};           // gives the exit status

    void add(Option option) { options.push_back(std::move(option)); }
    /// Puts the values where they belong. Error: the first mistake, in one line.
    Result<void> parse(const std::vector<std::string>& arguments);
    /// Null: there is none. `option` as typed: "--prompt" or "-p", or a positional's name.
    const Option* find(std::string_view option) const;
    bool has(std::string_view option) const;  // it was given
    /// A page for a terminal of 80 columns.
    std::string help() const;
};

/// Lines of at most 80 columns: `left`, and `text` in a column of its own.
std::string help_row(std::string_view left, std::string_view text, size_t column);

}  // namespace godwit
