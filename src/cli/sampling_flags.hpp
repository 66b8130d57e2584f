// Flags that say how tokens are chosen, in place of what the model's author recommends.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.hpp"

namespace godwit {

struct Model;
struct Command;

struct SamplingFlags {
    std::optional<float> temperature, top_p, min_p, repetition_penalty, frequency_penalty, presence_penalty;
    std::optional<int32_t> top_k;

    void add_to(Command& command);
    /// Puts what was given into `sampling`.
    void apply(SamplingParams& sampling) const;
    /// What was given; for the rest what the model's file recommends, else the built-in defaults. Error: a value out
    /// of range.
    Result<SamplingParams> resolve(const Model& model) const;
};

}  // namespace godwit
