// A model as the API sees it.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "engine/engine_impl.hpp"
#include "server/api/metrics.hpp"

namespace godwit::api {

struct ServedModel {
    std::string id;       // as requests name it
    int64_t created = 0;  // Unix time
    /// Where a request says nothing: the server's flags, else the file's, else the built-in ones
    SamplingParams sampling;
    Metrics metrics;
    std::atomic<int64_t> in_work = 0;  // requests between submission and their end
    int64_t in_work_max = 1024;        // beyond it: 429
    std::unique_ptr<EngineImpl> engine;

    const Tokenizer& tokenizer() const { return *engine->model().tokenizer; }
    int64_t context() const { return engine->memory().context; }
};

}  // namespace godwit::api
