#include "model/sampling_defaults.hpp"

namespace godwit {

Result<SamplingParams> read_sampling_defaults(const Metadata& metadata) {
    SamplingParams params;
    const std::pair<const char*, float*> floats[] = {
        {"general.sampling.temp", &params.temperature},
        {"general.sampling.top_p", &params.top_p},
        {"general.sampling.min_p", &params.min_p},
        {"general.sampling.penalty_repeat", &params.repetition_penalty},
    };
    for (const auto& [key, value] : floats)
        if (auto found = TRY(metadata.find_float(key))) *value = static_cast<float>(*found);
    constexpr std::string_view kTopK = "general.sampling.top_k";
    if (auto found = TRY(metadata.find_uint(kTopK))) {
        if (*found > INT32_MAX) return error("key {}: {} is out of range", kTopK, *found);
        params.top_k = static_cast<int32_t>(*found);
    }
    return params;
}

}  // namespace godwit
