#include "cli/load_summary.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/printable.hpp"

namespace godwit {
namespace {

constexpr double kMilliseconds = 1000;

/// Of sorted values, not none.
double percentile(const std::vector<double>& sorted, double share) {
    double place = share * static_cast<double>(sorted.size() - 1);
    auto below = static_cast<size_t>(place);
    size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

void count_failure(std::vector<std::pair<std::string, int64_t>>& failures, const std::string& text) {
    auto same = std::find_if(failures.begin(), failures.end(), [&](const auto& seen) { return seen.first == text; });
    if (same == failures.end()) same = failures.insert(failures.end(), {text, 0});
    ++same->second;
}

bool within(const std::optional<double>& limit, double value) { return !limit || value <= *limit; }

}  // namespace

Result<Goodput> Goodput::parse(const std::string& text) {
    Goodput goodput;
    for (size_t at = 0; at <= text.size();) {
        size_t end = std::min(text.find(',', at), text.size());
        std::string item = text.substr(at, end - at);
        at = end + 1;
        size_t colon = item.find(':');
        std::string name = item.substr(0, colon);
        std::optional<double>* limit = name == "ttft"   ? &goodput.ttft
                                       : name == "tpot" ? &goodput.tpot
                                       : name == "e2el" ? &goodput.e2el
                                                        : nullptr;
        double value = 0;
        const char *first = item.data() + std::min(item.size(), colon == std::string::npos ? item.size() : colon + 1),
                   *last = item.data() + item.size();
        auto [stop, failure] = std::from_chars(first, last, value);
        if (limit == nullptr || failure != std::errc() || stop != last || !std::isfinite(value) || value <= 0)
            return error("--goodput: '{}' is not ttft:MS, tpot:MS or e2el:MS", printable(item, 40));
        *limit = value;
    }
    return goodput;
}

std::optional<Distribution> distribution(std::vector<double> values) {
    if (values.empty()) return std::nullopt;
    std::sort(values.begin(), values.end());
    double sum = 0;
    for (double value : values) sum += value;
    return Distribution{sum / static_cast<double>(values.size()), percentile(values, 0.5), percentile(values, 0.9),
                        percentile(values, 0.99)};
}

LoadSummary summarise(std::span<const RequestRecord> records, double seconds, const std::optional<Goodput>& goodput) {
    LoadSummary sum;
    sum.requests = static_cast<int64_t>(records.size());
    sum.seconds = seconds;
    std::vector<double> ttfts, itls, tpots, e2els;
    if (goodput) sum.good = 0;
    for (const RequestRecord& record : records) {
        if (!record.failure.empty()) {
            count_failure(sum.failures, record.failure);
            continue;
        }
        ++sum.completed;
        sum.input_tokens += record.prompt_tokens;
        sum.output_tokens += record.output_tokens;
        double ttft = (record.tokens.front() - record.start) * kMilliseconds, tpot = 0;
        double e2el = (record.tokens.back() - record.start) * kMilliseconds;
        ttfts.push_back(ttft);
        e2els.push_back(e2el);
        for (size_t i = 1; i < record.tokens.size(); ++i)
            itls.push_back((record.tokens[i] - record.tokens[i - 1]) * kMilliseconds);
        if (record.output_tokens > 1) {
            tpot = (e2el - ttft) / static_cast<double>(record.output_tokens - 1);
            tpots.push_back(tpot);
        }
        if (goodput && within(goodput->ttft, ttft) && within(goodput->tpot, tpot) && within(goodput->e2el, e2el))
            ++*sum.good;
    }
    sum.ttft = distribution(std::move(ttfts));
    sum.itl = distribution(std::move(itls));
    sum.tpot = distribution(std::move(tpots));
    sum.e2el = distribution(std::move(e2els));
    return sum;
}

}  // namespace godwit
