#include "model/hyperparameters.hpp"

#include <algorithm>

#include "base/printable.hpp"

namespace godwit {
namespace {

template <class Number>
Error out_of_range(const std::string& key, Number value, Number min, Number max) {
    return error("key {}: {} is out of range ({} to {})", key, value, min, max);
}

}  // namespace

Result<int64_t> Hyperparameters::integer(std::string_view name, int64_t min, int64_t max) const {
    uint64_t value = TRY(metadata_.get_uint(key(name)));
    if (value > static_cast<uint64_t>(max) || static_cast<int64_t>(value) < min)
        return out_of_range<uint64_t>(key(name), value, min, max);
    return static_cast<int64_t>(value);
}

Result<int64_t> Hyperparameters::integer_or(std::string_view name, int64_t fallback, int64_t min, int64_t max) const {
    if (!has(name)) return fallback;
    return integer(name, min, max);
}

Result<float> Hyperparameters::real(std::string_view name, double min, double max) const {
    double value = TRY(metadata_.get_float(key(name)));
    if (!(value > min && value <= max))
        return error("key {}: {} is out of range (above {}, at most {})", key(name), value, min, max);
    return static_cast<float>(value);
}

Result<float> Hyperparameters::real_or(std::string_view name, double fallback, double min, double max) const {
    if (!has(name)) return static_cast<float>(fallback);
    return real(name, min, max);
}

Result<std::string> Hyperparameters::text_or(std::string_view name, std::string_view fallback) const {
    return std::string(TRY(metadata_.find_string(key(name))).value_or(fallback));
}

Result<std::vector<int64_t>> Hyperparameters::per_layer(std::string_view name, int64_t layers, int64_t min,
                                                        int64_t max) const {
    const Value* value = metadata_.find(key(name));
    if (value == nullptr || value->type != ValueType::Array)
        return std::vector<int64_t>(layers, TRY(integer(name, min, max)));
    std::vector<int64_t> values = *TRY(metadata_.find_ints(key(name)));
    if (values.size() != static_cast<size_t>(layers))
        return error("key {}: an array of length {} for {} layers", key(name), values.size(), layers);
    for (int64_t each : values)
        if (each < min || each > max) return out_of_range<int64_t>(key(name), each, min, max);
    return values;
}

Result<void> Hyperparameters::refuse_others(std::string_view prefix, std::span<const std::string_view> known) const {
    const std::string begin = key(prefix);
    for (const Metadata::Entry& entry : metadata_.entries()) {
        if (!entry.key.starts_with(begin)) continue;
        if (std::find(known.begin(), known.end(), entry.key.substr(begin.size())) == known.end())
            return error("key {}: not supported here (ignoring it would give wrong answers)", printable(entry.key));
    }
    return done();
}

}  // namespace godwit
