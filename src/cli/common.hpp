// What several commands share: opening a model on a backend, reading input, numbers for people, JSON out.
#pragma once

#include <cstdio>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "backend/device.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "cli/command.hpp"
#include "engine/memory_plan.hpp"
#include "model/model.hpp"

namespace godwit {

/// What MODEL is.
inline constexpr const char* kModelHelp =
    "a GGUF file (of a split model: its first part), or the name of a pulled model";

inline constexpr double kTokensMax = 1 << 30;  // of every option that counts tokens

Option threads_option(int32_t& threads);
Option context_option(int64_t& context,
                      const char* help = "tokens of one sequence (default: the model's, at most 8192)");

/// Options of every command that runs a model.
struct ModelOptions {
    std::string path;
    int threads = 0;      // 0: all cores this process may use
    int64_t context = 0;  // 0: see EngineSettings
    std::string kv = "f16";

    /// All of them.
    void add_to(Command& command);
    void add_model_to(Command& command, bool is_required = true);
    /// --context, and how it is computed.
    void add_settings_to(Command& command);
    /// --threads and --kv.
    void add_compute_to(Command& command);
    /// Engine settings from these, with steps of `rows` rows of which `logit_rows` give logits.
    EngineSettings settings(int64_t rows, int64_t logit_rows) const;
    /// Options of an engine for `sequences` at once.
    EngineOptions engine(int64_t sequences) const;
};

/// A model with the device and the threads it runs on.
struct LoadedModel {
    std::unique_ptr<ThreadPool> pool;
    std::unique_ptr<Device> device;
    std::unique_ptr<Model> model;
};
Result<LoadedModel> load_model(const ModelOptions& options);

/// Says on stderr, in a line about `model`, that --context asks for more tokens than it was made for.
void note_context(const std::string& model, int64_t asked, const ModelPlan& plan);

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
