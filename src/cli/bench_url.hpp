// godwit bench --url: how a server behaves under load. Works on every server that has OpenAI's streamed completions.
#pragma once

#include <cstdint>
#include <string>

#include "cli/command.hpp"

namespace godwit {

struct UrlBenchOptions {
    std::string url, model, api_key, goodput;
    int64_t requests = 64, prompt_tokens = 512, output_tokens = 64;
    int64_t concurrency = 0;   // 0: 8, or without a limit where `rate` says when requests come
    double rate = 0;           // requests per second that come at random (Poisson); 0: the next one when one has ended
    double shared_prefix = 0;  // share of a prompt that is the same in all
    uint64_t seed = 0;
    bool chat = false, ignore_eos = false, json = false;

    /// All but --json.
    void add_to(Command& command);
};

/// Runs it and prints its report. 1 if no request succeeded. Errors: a bad option, a server that does not answer.
Result<int> bench_url(const UrlBenchOptions& options);

}  // namespace godwit
