// The options of every command that runs a model, and a model loaded with them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "backend/device.hpp"
#include "base/thread_pool.hpp"
#include "cli/command.hpp"
#include "engine/memory_plan.hpp"
#include "model/model.hpp"

namespace godwit {

struct ModelOptions {
    std::string path;
    int threads = 0;      // 0: all cores this process may use
    int64_t context = 0;  // 0: see EngineSettings
    std::string kv = "f16";

    /// All of them.
    void add_to(Command& command);
    /// MODEL alone.
    void add_model_to(Command& command, bool is_required = true);
    /// --context, and how it is computed.
    void add_settings_to(Command& command);
    /// --threads and --kv.
    void add_compute_to(Command& command);
    /// Engine settings from these, with steps of `rows` rows of which `logit_rows` give logits.
    EngineSettings settings(int64_t rows, int64_t logit_rows) const;
    /// Options of an engine for `sequences` at once.
    EngineOptions engine(int64_t sequences) const;

private:
    KvFormat kv_format() const;
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

}  // namespace godwit
