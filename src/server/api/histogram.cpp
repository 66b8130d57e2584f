#include "server/api/histogram.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace godwit::api {

void Histogram::observe(double value) {
    auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
    ++counts_[bucket];
    sum_ += value;
}

void Histogram::write(std::string& out, std::string_view name, std::string_view labels) const {
    auto line = std::back_inserter(out);
    uint64_t total = 0;
    for (size_t i = 0; i < bounds_.size(); ++i)
        fmt::format_to(line, "{}_bucket{{{},le=\"{}\"}} {}\n", name, labels, bounds_[i], total += counts_[i]);
    total += counts_.back();
    fmt::format_to(line, "{}_bucket{{{},le=\"+Inf\"}} {}\n", name, labels, total);
    fmt::format_to(line, "{}_sum{{{}}} {}\n{}_count{{{}}} {}\n", name, labels, sum_, name, labels, total);
}

}  // namespace godwit::api
