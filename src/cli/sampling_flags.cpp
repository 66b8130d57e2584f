#include "cli/sampling_flags.hpp"

#include <CLI/CLI.hpp>

#include "model/model.hpp"
#include "model/sampling_defaults.hpp"
#include "sample/sampling_params.hpp"

namespace godwit {

void SamplingFlags::add_to(CLI::App& command) {
    command.add_option("--temperature", temperature, "0: always the likeliest token (default: the model's, else 1)");
    command.add_option("--top-k", top_k, "only the K likeliest tokens (default: the model's, else 0, off)");
    command.add_option("--top-p", top_p,
                       "only the likeliest tokens that reach this probability (default: the model's, else 1, off)");
    command.add_option("--min-p", min_p,
                       "only tokens at least this likely beside the likeliest (default: the model's, else 0, off)");
    command.add_option("--repetition-penalty", repetition_penalty,
                       "over prompt and answer (default: the model's, else 1, off)");
    command.add_option("--frequency-penalty", frequency_penalty, "over the answer (default: 0, off)");
    command.add_option("--presence-penalty", presence_penalty, "over the answer (default: 0, off)");
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
