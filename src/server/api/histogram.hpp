// A Prometheus histogram. One thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace godwit::api {

class Histogram {
public:
    /// `bounds`: upper ends of the buckets, ascending; must outlive it (they are constants).
    explicit Histogram(std::span<const double> bounds) : bounds_(bounds), counts_(bounds.size() + 1) {}

    void observe(double value);
    /// Lines `name_bucket{labels,le="…"} n`, name_sum, name_count.
    void write(std::string& out, std::string_view name, std::string_view labels) const;

private:
    std::span<const double> bounds_;
    std::vector<uint64_t> counts_;  // of each bucket alone; the last one has no end
    double sum_ = 0;
};

}  // namespace godwit::api
