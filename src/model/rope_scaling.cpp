#include "model/rope_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/printable.hpp"

namespace godwit {
namespace {

/// Unscaled ones are at most 1; with this any position has a finite angle.
constexpr double kFrequencyMax = 1e6;

/// The keys below rope.scaling. that a type reads; a file with another one is refused, for it would change the answers.
constexpr std::string_view kLinearKeys[] = {"type", "factor", "finetuned", "original_context_length"};
constexpr std::string_view kYarnKeys[] = {"type",           "factor",           "finetuned",
                                          "attn_factor",    "yarn_attn_factor", "original_context_length",
                                          "yarn_beta_fast", "yarn_beta_slow",   "yarn_log_multiplier",
                                          "yarn_ext_factor"};

double yarn_magnitude(double factor, double multiplier) { return 0.1 * multiplier * std::log(factor) + 1; }

/// What cos and sin are multiplied by: transformers' attention_factor (yarn_attn_factor) as it stands, else its formula
/// with mscale 1 and mscale_all_dim (yarn_log_multiplier).
Result<float> read_yarn_magnitude(const Hyperparameters& keys, double factor) {
    double all_dims = TRY(keys.real_or("rope.scaling.yarn_log_multiplier", 0, -1, 1e3));
    double usual = yarn_magnitude(factor, 1) / yarn_magnitude(factor, std::max(all_dims, 0.0));
    double magnitude = TRY(keys.real_or("rope.scaling.yarn_attn_factor", usual, 0, 1e3));
    return static_cast<float>(magnitude * TRY(keys.real_or("rope.scaling.attn_factor", 1, 0, 1e3)));
}

/// YaRN (Peng et al. 2023) as transformers computes it: frequencies that turn often within the original context stay,
/// those that turn rarely are stretched by `factor`, with a ramp between.
Result<void> apply_yarn(const Hyperparameters& keys, int64_t dims, double base, double factor,
                        std::vector<double>& frequencies) {
    double original =
        static_cast<double>(TRY(keys.integer("rope.scaling.original_context_length", 1, int64_t{1} << 30)));
    double beta_fast = TRY(keys.real_or("rope.scaling.yarn_beta_fast", 32, 0, 1e6));
    double beta_slow = TRY(keys.real_or("rope.scaling.yarn_beta_slow", 1, 0, 1e6));
    if (float share = TRY(keys.real_or("rope.scaling.yarn_ext_factor", 1, -1, 1e3)); share != 1)
        return error("key {}: {} is not supported (1 is)", keys.key("rope.scaling.yarn_ext_factor"), share);
    auto pair_of = [&](double turns) {
        return static_cast<double>(dims) * std::log(original / (turns * 2 * std::numbers::pi)) / (2 * std::log(base));
    };
    double low = std::max(0.0, std::floor(pair_of(beta_fast)));
    double high = std::min(static_cast<double>(dims - 1), std::ceil(pair_of(beta_slow)));
    double width = high == low ? 0.001 : high - low;
    for (size_t i = 0; i < frequencies.size(); ++i) {
        double ramp = std::clamp((static_cast<double>(i) - low) / width, 0.0, 1.0);
        frequencies[i] = frequencies[i] * (1 - ramp) + frequencies[i] / factor * ramp;
    }
    return done();
}

/// What rope.scaling.* says, applied to the frequencies and the magnitude.
Result<void> scale(const Hyperparameters& keys, int64_t dims, double base, std::vector<double>& frequencies,
                   float& magnitude) {
    // A factor alone is linear; old files give it as scale_linear.
    std::string type = TRY(keys.text_or("rope.scaling.type", "linear"));
    float old_factor = TRY(keys.real_or("rope.scale_linear", 1, 0, 1e6));
    float factor = TRY(keys.real_or("rope.scaling.factor", old_factor, 0, 1e6));
    if (type == "none") return done();
    if (type == "linear") {
        TRY(keys.refuse_others("rope.scaling.", kLinearKeys));
        for (double& frequency : frequencies) frequency /= factor;
        return done();
    }
    if (type != "yarn")
        return error("key {}: rope scaling '{}' is not supported (none, linear, yarn are)",
                     keys.key("rope.scaling.type"), printable(type));
    TRY(keys.refuse_others("rope.scaling.", kYarnKeys));
    if (factor < 1)
        return error("key {}: yarn needs a factor of at least 1, found {}", keys.key("rope.scaling.factor"), factor);
    magnitude = TRY(read_yarn_magnitude(keys, factor));
    return apply_yarn(keys, dims, base, factor, frequencies);
}

}  // namespace

std::vector<double> rope_frequencies(int64_t dims, double base) {
    std::vector<double> frequencies(dims / 2);
    for (size_t i = 0; i < frequencies.size(); ++i)
        frequencies[i] = std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(dims));
    return frequencies;
}

Result<RopePlan> read_rope(const Hyperparameters& keys, int64_t dims, double base, RopePairing pairing,
                           std::span<const float> divisors) {
    std::vector<double> frequencies = rope_frequencies(dims, base);
    RopePlan rope;
    rope.pairing = pairing;
    TRY(scale(keys, dims, base, frequencies, rope.magnitude));
    for (size_t i = 0; i < divisors.size(); ++i) frequencies[i] /= divisors[i];
    for (double frequency : frequencies) {
        if (!(std::abs(frequency) <= kFrequencyMax))
            return error(
                "rope: a frequency of {} radians per position is out of range (rope_freqs.weight or "
                "rope.scaling.factor)",
                frequency);
        rope.frequencies.push_back(static_cast<float>(frequency));
    }
    return rope;
}

}  // namespace godwit
