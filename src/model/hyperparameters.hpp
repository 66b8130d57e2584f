// The architecture's own numbers in a model file (`llama.block_count`, …), read with ranges: no number reaches a plan
// unchecked.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "file/metadata.hpp"

namespace godwit {

class Hyperparameters {
public:
    Hyperparameters(const Metadata& metadata, std::string architecture)
        : metadata_(metadata), architecture_(std::move(architecture)) {}

    const std::string& architecture() const { return architecture_; }
    std::string key(std::string_view name) const { return architecture_ + "." + std::string(name); }
    bool has(std::string_view name) const { return metadata_.find(key(name)) != nullptr; }

    // min ≤ value ≤ max, or an error that names key, value and range.
    Result<int64_t> integer(std::string_view name, int64_t min, int64_t max) const;
    Result<int64_t> integer_or(std::string_view name, int64_t fallback, int64_t min, int64_t max) const;
    // min < value ≤ max
    Result<float> real(std::string_view name, double min, double max) const;
    Result<float> real_or(std::string_view name, double fallback, double min, double max) const;
    Result<std::string> text_or(std::string_view name, std::string_view fallback) const;
    /// A scalar for all layers, or an array with one value each.
    Result<std::vector<int64_t>> per_layer(std::string_view name, int64_t layers, int64_t min, int64_t max) const;
    /// Error: the architecture has a key that begins with `prefix` and goes on with none of `known`.
    Result<void> refuse_others(std::string_view prefix, std::span<const std::string_view> known) const;

private:
    const Metadata& metadata_;
    std::string architecture_;
};

}  // namespace godwit
