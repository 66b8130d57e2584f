// godwit run --batch: many prompts from a file at once, answers as JSON lines in the order of the prompts.
#pragma once

#include <string>

#include "base/result.hpp"
#include "cli/common.hpp"
#include "godwit/types.hpp"

namespace godwit {

struct BatchOptions {
    std::string file;          // empty: no batch
    int64_t parallel = 8;      // sequences at once
    GenerateRequest defaults;  // what a line does not say
};

/// A line that cannot be answered gives a line {"index", "error"}; the others go on. Status 0: all were answered.
/// Errors: the model's, or the file's.
Result<int> run_batch(const ModelOptions& model, const BatchOptions& options);

}  // namespace godwit
