#include "cli/sampling_flags.hpp"

#include "cli/command.hpp"
#include "engine/sampling_defaults.hpp"
#include "model/model.hpp"
#include "sample/sampling_params.hpp"

namespace godwit {

void SamplingFlags::add_to(Command& command) {
    auto add = [&](const char* name, const char* word, Target value, const std::string& help, double min, double max,
                   const char* section) {
        command.add(
            {.name = name, .value = word, .target = value, .help = help, .min = min, .max = max, .section = section});
    };
    const SamplingParams built_in;
    add("--temperature", "X", &temperature,
        fmt::format("0: always the likeliest token (default: the model's, else {})", built_in.temperature), 0, 100,
        "Options");
    add("--top-k", "K", &top_k,
        fmt::format("only the K likeliest tokens; 0: off (default: the model's, else {})", built_in.top_k), 0,
        kUnlimited, kMoreOptions);
    add("--top-p", "X", &top_p,
        fmt::format("only the likeliest tokens that reach this probability; 1: off (default: the model's, else {})",
                    built_in.top_p),
        0, 1, kMoreOptions);
    add("--min-p", "X", &min_p,
        fmt::format("only tokens at least this likely beside the likeliest; 0: off (default: the model's, else {})",
                    built_in.min_p),
        0, 1, kMoreOptions);
    add("--repetition-penalty", "X", &repetition_penalty,
        "over prompt and answer; 1: off (default: the model's, else off)", 0.01, 100, kMoreOptions);
    add("--frequency-penalty", "X", &frequency_penalty, "over the answer; 0: off (default: off)", -2, 2, kMoreOptions);
    add("--presence-penalty", "X", &presence_penalty, "over the answer; 0: off (default: off)", -2, 2, kMoreOptions);
}

void SamplingFlags::apply(SamplingParams& sampling) const {
    sampling.temperature = temperature.value_or(sampling.temperature);
    sampling.top_k = top_k.value_or(sampling.top_k);
    sampling.top_p = top_p.value_or(sampling.top_p);
    sampling.min_p = min_p.value_or(sampling.min_p);
    sampling.repetition_penalty = repetition_penalty.value_or(sampling.repetition_penalty);
    sampling.frequency_penalty = frequency_penalty.value_or(sampling.frequency_penalty);
    sampling.presence_penalty = presence_penalty.value_or(sampling.presence_penalty);
}

Result<SamplingParams> SamplingFlags::resolve(const Model& model) const {
    SamplingParams sampling = read_sampling_defaults(model.file.metadata()).params;
    apply(sampling);
    TRY(validate(sampling, static_cast<int32_t>(model.plan.vocabulary)));
    return sampling;
}

}  // namespace godwit
