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

/// A line is the body of a request to /v1/completions (with "prompt") or /v1/chat/completions (with "messages"), and is
/// read and refused as there. Out comes {"index", "text", "finish", "usage"}, with "logprobs" where they were asked
/// for, and "choices" (each with text, finish and logprobs) where there are several; of a line that cannot be answered
/// {"index", "error"}, and the others go on. `index` counts the lines of the file from 0, blank ones too.
/// Status 0: all were answered. Errors: the file's.
Result<int> run_batch(EngineImpl& engine, const BatchOptions& options);

}  // namespace godwit
