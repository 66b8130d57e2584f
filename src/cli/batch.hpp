// godwit run --batch: many prompts from a file at once, answers as JSON lines in the order of the prompts.
#pragma once

#include <string>

#include "base/result.hpp"
#include "engine/engine_impl.hpp"

namespace godwit {

struct BatchOptions {
    std::string file;          // empty: no batch
    int64_t parallel = 8;      // sequences at once
    GenerateRequest defaults;  // what a line does not say
    std::string how;           // what computes, for the line of statistics
    bool quiet = false;        // without that line
};

/// The prompt of a line is continued as it stands, messages go through the model's chat template. A line that cannot be
/// answered gives a line
/// {"index", "error"}; the others go on. Status 0: all were answered. Errors: the file's.
Result<int> run_batch(EngineImpl& engine, const BatchOptions& options);

}  // namespace godwit
