#include "cli/common.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/printable.hpp"
#include "text/json.hpp"

namespace godwit {

Option threads_option(int32_t& threads) {
    return {.name = "--threads",
            .value = "N",
            .target = &threads,
            .help = "threads to compute with (default: all cores this process may use)",
            .min = 1,
            .max = 1024,
            .section = kMoreOptions};
}

Option context_option(int64_t& context, const char* help, double min) {
    return {.name = "--context", .value = "N", .target = &context, .help = help, .min = min, .max = kTokensMax};
}

std::string file_name(const std::string& path) { return printable(path.substr(path.find_last_of('/') + 1)); }

Result<std::string> read_text(const std::string& path, size_t bytes_max) {
    const std::string name = path == "-" ? "standard input" : printable(path, 500);
    std::FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
    if (file == nullptr) return error("{}: cannot open: {}", name, std::strerror(errno));
    std::string text;
    char chunk[65536];
    size_t n;
    while (text.size() <= bytes_max && (n = std::fread(chunk, 1, sizeof chunk, file)) > 0) text.append(chunk, n);
    bool failed = std::ferror(file) != 0;
    int reason = errno;
    if (file != stdin) std::fclose(file);
    if (failed) return error("{}: cannot read: {}", name, std::strerror(reason));
    if (text.size() > bytes_max) return error("{}: more than {} bytes of text", name, bytes_max);
    return text;
}

Result<OutputFile> OutputFile::create(const std::string& path) {
    OutputFile out;
    out.path_ = path;
    struct stat status{};
    bool special = ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
    if (!special) out.part_ = path + ".part";
    out.file_ = std::fopen((special ? path : out.part_).c_str(), "wb");
    if (out.file_ == nullptr) return error("{}: cannot write: {}", printable(path, 500), std::strerror(errno));
    return out;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      part_(std::move(other.part_)),
      file_(std::exchange(other.file_, nullptr)),
      failure_(other.failure_) {}

OutputFile::~OutputFile() {
    if (file_ == nullptr) return;
    std::fclose(file_);
    if (!part_.empty()) std::remove(part_.c_str());
}

void OutputFile::write(std::string_view bytes) {
    if (failure_ == 0 && std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) failure_ = errno;
}

Result<void> OutputFile::finish() {
    if (failure_ == 0 && std::fflush(file_) != 0) failure_ = errno;
    if (failure_ == 0 && !part_.empty() && std::rename(part_.c_str(), path_.c_str()) != 0) failure_ = errno;
    if (failure_ != 0) return error("{}: cannot write: {}", printable(path_, 500), std::strerror(failure_));
    part_.clear();
    return done();
}

Result<std::vector<TokenId>> parse_ids(const std::string& text) {
    std::string list = text.starts_with("@") ? TRY(read_text(text.substr(1), size_t{64} << 20)) : text;
    std::vector<TokenId> ids;
    const char *at = list.data(), *end = at + list.size();
    auto separator = [](char c) { return c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
    while (at != end) {
        if (separator(*at)) {
            ++at;
            continue;
        }
        TokenId id = 0;
        auto [next, failure] = std::from_chars(at, end, id);
        if (failure != std::errc() || (next != end && !separator(*next)))
            return error("--tokens: '{}' is not a list of token ids (like 1,2,3)", printable({at, end}, 40));
        ids.push_back(id);
        at = next;
    }
    return ids;
}

std::string human_bytes(uint64_t bytes) {
    constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
    double value = static_cast<double>(bytes);
    size_t unit = 0;
    while (value >= 1000 && unit + 1 < std::size(kUnits)) value /= 1000, ++unit;
    return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

void print_json(const Json& json) { std::printf("%s\n", json_text(json).c_str()); }

}  // namespace godwit
