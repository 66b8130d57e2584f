#include "model/rope_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/printable.hpp"

namespace godwit {
namespace {

/// Unscaled ones are at most 1; with this any position has a finite angle.
constexpr double kFrequencyMax = 1e6;

/// YaRN (Peng et al. 2023): frequencies that turn often within the original context stay, those that turn rarely are
/// stretched by `factor`, with a ramp between; attention is sharpened through the magnitude of cos and sin.
Result<void> apply_yarn(const Hyperparameters& keys, int64_t dims, double base, double factor,
                        std::vector<double>& frequencies, float& magnitude) {
    double original =
        static_cast<double>(TRY(keys.integer("rope.scaling.original_context_length", 1, int64_t{1} << 30)));
    double beta_fast = TRY(keys.real_or("rope.scaling.yarn_beta_fast", 32, 0, 1e6));
    double beta_slow = TRY(keys.real_or("rope.scaling.yarn_beta_slow", 1, 0, 1e6));
    double attention = TRY(keys.real_or("rope.scaling.attn_factor", 1, 0, 1e3));
    auto pair_of = [&](double turns) {
        return static_cast<double>(dims) * std::log(original / (turns * 2 * std::numbers::pi)) / (2 * std::log(base));
    };
    double low = std::max(0.0, std::floor(pair_of(beta_fast)));
    double high = std::min(static_cast<double>(dims - 1), std::ceil(pair_of(beta_slow)));
    for (size_t i = 0; i < frequencies.size(); ++i) {
        double ramp = std::clamp((static_cast<double>(i) - low) / std::max(0.001, high - low), 0.0, 1.0);
        frequencies[i] = frequencies[i] * (1 - ramp) + frequencies[i] / factor * ramp;
    }
    magnitude = static_cast<float>(attention * (0.1 * std::log(factor) + 1.0));
    return done();
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
    // Old files give a linear factor as scale_linear.
    std::string type = TRY(keys.text_or("rope.scaling.type", keys.has("rope.scale_linear") ? "linear" : "none"));
    float old_factor = TRY(keys.real_or("rope.scale_linear", 1, 0, 1e6));
    float factor = TRY(keys.real_or("rope.scaling.factor", old_factor, 0, 1e6));
    if (type == "linear") {
        for (double& frequency : frequencies) frequency /= factor;
    } else if (type == "yarn") {
        if (factor < 1)
            return error("key {}: yarn needs a factor of at least 1, found {}", keys.key("rope.scaling.factor"),
                         factor);
        TRY(apply_yarn(keys, dims, base, factor, frequencies, rope.magnitude));
    } else if (type != "none") {
        return error("key {}: rope scaling '{}' is not supported (none, linear, yarn are)",
                     keys.key("rope.scaling.type"), printable(type));
    }
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
