// What several commands share: options, reading and writing files, numbers for people, JSON out.
#pragma once

#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/command.hpp"

namespace godwit {

/// What MODEL is.
inline constexpr const char* kModelHelp =
    "a GGUF file (of a split model: its first part), or the name of a pulled model";

inline constexpr double kTokensMax = 1 << 30;  // of every option that counts tokens

Option threads_option(int32_t& threads);
Option context_option(int64_t& context,
                      const char* help = "tokens of one sequence (default: the model's, at most 8192)", double min = 1);

/// `model.gguf` without its folders, fit for one line.
std::string file_name(const std::string& path);
/// A whole file, or standard input for "-". Errors: not readable, more than `bytes_max`.
Result<std::string> read_text(const std::string& path, size_t bytes_max = size_t{256} << 20);
/// "1,2,3", or "@file" with ids separated by commas or white space. Errors: not a number.
Result<std::vector<TokenId>> parse_ids(const std::string& text);
/// "271.4 MB" (decimal).
std::string human_bytes(uint64_t bytes);
/// A file that is there as a whole or not at all: written beside `path` and renamed by finish(). What exists under
/// `path` and is no plain file (a pipe, /dev/null) is written to as it is.
class OutputFile {
public:
    static Result<OutputFile> create(const std::string& path);
    OutputFile(OutputFile&& other) noexcept;
    ~OutputFile();  // without finish(): nothing is left

    /// Failures are remembered for finish().
    void write(std::string_view bytes);
    Result<void> finish();

private:
    OutputFile() = default;
    std::string path_, part_;  // part_: empty where path_ itself is written
    std::FILE* file_ = nullptr;
    int failure_ = 0;  // errno
};

/// One JSON object and a newline on stdout; ill-formed UTF-8 in strings becomes U+FFFD.
void print_json(const nlohmann::ordered_json& json);

}  // namespace godwit
