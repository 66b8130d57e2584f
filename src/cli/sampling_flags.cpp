#include "cli/sampling_flags.hpp"

#include "cli/command.hpp"
#include "model/model.hpp"
#include "model/sampling_defaults.hpp"
#include "sample/sampling_params.hpp"

namespace godwit {

void SamplingFlags::add_to(Command& command) {
    auto add = [&](const char* name, const char* word, Target value, const char* help, double min, double max,
                   const char* section) {
        command.add(
            {.name = name, .value = word, .target = value, .help = help, .min = min, .max = max, .section = section});
    };
    add("--temperature", "X", &temperature, "0: always the likeliest token (default: the model's, else 1)", 0, 100,
        "Options");
    add("--top-k", "K", &top_k, "only the K likeliest tokens (default: the model's, else 0, off)", 0, kUnlimited,
        kMoreOptions);
    add("--top-p", "X", &top_p,
        "only the likeliest tokens that reach this probability (default: the model's, else 1, off)", 0, 1,
        kMoreOptions);
    add("--min-p", "X", &min_p,
        "only tokens at least this likely beside the likeliest (default: the model's, else 0, off)", 0, 1,
        kMoreOptions);
    add("--repetition-penalty", "X", &repetition_penalty, "over prompt and answer (default: the model's, else 1, off)",
        0.01, 100, kMoreOptions);
    add("--frequency-penalty", "X", &frequency_penalty, "over the answer (default: 0, off)", -2, 2, kMoreOptions);
    add("--presence-penalty", "X", &presence_penalty, "over the answer (default: 0, off)", -2, 2, kMoreOptions);
}

Result<SamplingParams> SamplingFlags::resolve(const Model& model) const {
    SamplingParams sampling = TRY(read_sampling_defaults(model.file.metadata()));
    sampling.temperature = temperature.value_or(sampling.temperature);
    sampling.top_k = top_k.value_or(sampling.top_k);
    sampling.top_p = top_p.value_or(sampling.top_p);
    sampling.min_p = min_p.value_or(sampling.min_p);
    sampling.repetition_penalty = repetition_penalty.value_or(sampling.repetition_penalty);
    sampling.frequency_penalty = frequency_penalty.value_or(sampling.frequency_penalty);
    sampling.presence_penalty = presence_penalty.value_or(sampling.presence_penalty);
    TRY(validate(sampling, static_cast<int32_t>(model.plan.vocabulary)));
    return sampling;
}

}  // namespace godwit
