#include "engine/sampling_defaults.hpp"

#include <algorithm>

#include "base/printable.hpp"
#include "base/result.hpp"
#include "sample/sampling_params.hpp"

namespace godwit {
namespace {

constexpr std::string_view kPrefix = "general.sampling.";

Result<void> set_float(const Metadata& metadata, std::string_view key, float& value) {
    value = static_cast<float>(TRY(metadata.get_float(key)));
    return done();
}

Result<void> set_top_k(const Metadata& metadata, std::string_view key, int32_t& value) {
    uint64_t found = TRY(metadata.get_uint(key));
    value = static_cast<int32_t>(std::min<uint64_t>(found, INT32_MAX));  // as large as any vocabulary
    return done();
}

/// `params` with the recommendation of one key.
Result<SamplingParams> follow(const Metadata& metadata, std::string_view key, SamplingParams params) {
    std::string_view name = key.substr(kPrefix.size());
    if (name == "temp") TRY(set_float(metadata, key, params.temperature));
    else if (name == "top_k") TRY(set_top_k(metadata, key, params.top_k));
    else if (name == "top_p") TRY(set_float(metadata, key, params.top_p));
    else if (name == "min_p") TRY(set_float(metadata, key, params.min_p));
    else if (name == "penalty_repeat") TRY(set_float(metadata, key, params.repetition_penalty));
    else return error("key {}: unknown", printable(key));
    Result<void> valid = validate(params, 0);
    if (!valid.ok()) return error("key {}: {}", key, valid.error().message);
    return params;
}

}  // namespace

SamplingDefaults read_sampling_defaults(const Metadata& metadata) {
    SamplingDefaults defaults;
    for (const Metadata::Entry& entry : metadata.entries()) {
        if (!entry.key.starts_with(kPrefix)) continue;
        Result<SamplingParams> followed = follow(metadata, entry.key, defaults.params);
        if (followed.ok()) defaults.params = std::move(followed).take();
        else defaults.warnings.push_back(followed.error().message + "; ignored");
    }
    return defaults;
}

}  // namespace godwit
