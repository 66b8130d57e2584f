// A closed loop of `concurrency` requests, or requests that come at random times; each is streamed and timed by
// LoadRequest, all in one thread over libcurl's multi interface. The prompts are random words; how many words make the
// tokens that are asked for is found by two requests before.
#include "cli/bench_url.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>

#include "base/printable.hpp"
#include "cli/common.hpp"
#include "cli/load_client.hpp"
#include "cli/progress.hpp"
#include "text/json.hpp"

namespace godwit {
namespace {

// Short words, which most vocabularies have as one token.
constexpr const char* kWords[] = {
    "time",    "year",      "people",  "way",      "day",      "man",        "thing",  "woman",  "life",    "child",
    "world",   "school",    "state",   "family",   "group",    "hand",       "part",   "place",  "case",    "week",
    "company", "system",    "program", "question", "work",     "government", "number", "night",  "point",   "home",
    "water",   "room",      "mother",  "area",     "money",    "story",      "fact",   "month",  "lot",     "right",
    "study",   "book",      "eye",     "job",      "word",     "business",   "issue",  "side",   "kind",    "head",
    "house",   "service",   "friend",  "father",   "power",    "hour",       "game",   "line",   "end",     "member",
    "law",     "car",       "city",    "name",     "team",     "minute",     "idea",   "body",   "back",    "parent",
    "face",    "level",     "office",  "door",     "health",   "person",     "art",    "war",    "history", "party",
    "result",  "change",    "morning", "reason",   "research", "girl",       "guy",    "moment", "air",     "teacher",
    "force",   "education", "foot",    "boy",      "age"};

/// Prompts that share their beginning and differ after it. The same seed gives the same prompts.
class PromptMaker {
public:
    PromptMaker(uint64_t seed, double shared) : shared_(shared), random_(seed), prefix_seed_(seed) {}

    std::string make(int64_t words) {
        auto shared = static_cast<int64_t>(std::llround(shared_ * static_cast<double>(words)));
        std::mt19937_64 prefix(prefix_seed_);
        std::string text;
        for (int64_t i = 0; i < words; ++i) {
            uint64_t draw = i < shared ? prefix() : random_();
            if (i > 0) text += ' ';
            text += kWords[draw % std::size(kWords)];
        }
        return text;
    }

private:
    double shared_;
    std::mt19937_64 random_;
    uint64_t prefix_seed_;
};

/// One request alone.
Result<RequestRecord> ask(const LoadTarget& target, const std::string& prompt) {
    LoadRequest request(target, prompt, 1);
    request.begin();
    RequestRecord record = request.finish(curl_easy_perform(request.handle()));
    if (!record.failure.empty()) return error("{}: {}", printable(target.base, 200), record.failure);
    return record;
}

/// How many words make a prompt of `tokens` tokens: the line through two requests, whose offset is what a template
/// adds.
Result<int64_t> words_for(const LoadTarget& target, PromptMaker prompts, int64_t tokens) {
    constexpr int64_t kFew = 8, kMany = 264;
    int64_t many = std::clamp(tokens, 5 * kFew, kMany);
    RequestRecord first = TRY(ask(target, prompts.make(kFew))), second = TRY(ask(target, prompts.make(many)));
    if (first.prompt_tokens == 0 || second.prompt_tokens <= first.prompt_tokens) return tokens;  // it does not count
    double per_word =
        static_cast<double>(second.prompt_tokens - first.prompt_tokens) / static_cast<double>(many - kFew);
    double words = kFew + static_cast<double>(tokens - first.prompt_tokens) / per_word;
    return std::max<int64_t>(1, std::llround(words));
}

class Load {
public:
    Load(const UrlBenchOptions& options, const LoadTarget& target, int64_t words)
        : options_(options),
          target_(target),
          words_(words),
          limit_(options.concurrency > 0 ? options.concurrency
                 : options.rate > 0      ? options.requests
                                         : kConcurrency),
          prompts_(options.seed + 1, options.shared_prefix),
          arrivals_(options.seed),
          multi_(make_curl_multi()),
          progress_("bench") {}

    /// All requests; seconds from the first start to the last end.
    double run(std::vector<RequestRecord>& records) {
        records_ = &records;
        double start = next_ = load_clock();
        while (static_cast<int64_t>(records.size()) < options_.requests) {
            while (may_begin()) begin();
            int running = 0;
            curl_multi_perform(multi_.get(), &running);
            bool ended = collect();
            if (!ended) curl_multi_poll(multi_.get(), nullptr, 0, wait_milliseconds(), nullptr);
        }
        progress_.finish();
        return load_clock() - start;
    }

    static constexpr int64_t kConcurrency = 8;

private:
    int64_t in_flight() const { return static_cast<int64_t>(requests_.size()); }
    bool has_room() const { return begun_ < options_.requests && in_flight() < limit_; }
    bool may_begin() const { return has_room() && (options_.rate == 0 || load_clock() >= next_); }

    /// Until the next request is due; rounded up, for a wait of 0 would spin.
    int wait_milliseconds() const {
        constexpr double kMax = 1000;
        if (options_.rate == 0 || !has_room()) return static_cast<int>(kMax);
        return static_cast<int>(std::clamp(std::ceil((next_ - load_clock()) * 1000), 0.0, kMax));
    }

    void begin() {
        auto request = std::make_unique<LoadRequest>(target_, prompts_.make(words_), options_.output_tokens);
        CURL* handle = request->handle();
        request->begin();
        curl_multi_add_handle(multi_.get(), handle);
        requests_.emplace(handle, std::move(request));
        ++begun_;
        if (options_.rate > 0) next_ += std::exponential_distribution<double>(options_.rate)(arrivals_);
    }

    /// Takes the requests that have ended; whether there was one.
    bool collect() {
        int left = 0;
        bool any = false;
        while (CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
            if (message->msg != CURLMSG_DONE) continue;
            CURLcode code = message->data.result;
            auto found = requests_.find(message->easy_handle);
            curl_multi_remove_handle(multi_.get(), found->first);
            records_->push_back(found->second->finish(code));
            requests_.erase(found);
            if (!records_->back().failure.empty()) ++failed_;
            auto ended = static_cast<int64_t>(records_->size());
            progress_.update(ended, options_.requests,
                             failed_ > 0 ? fmt::format("requests, {} failed", failed_) : "requests");
            any = true;
        }
        return any;
    }

    const UrlBenchOptions& options_;
    const LoadTarget& target_;
    const int64_t words_, limit_;
    PromptMaker prompts_;
    std::mt19937_64 arrivals_;
    CurlMulti multi_;
    std::map<CURL*, std::unique_ptr<LoadRequest>> requests_;
    std::vector<RequestRecord>* records_ = nullptr;
    Progress progress_;
    double next_ = 0;  // when the next request is due, where `rate` says so
    int64_t begun_ = 0, failed_ = 0;
};

std::string load_text(const UrlBenchOptions& options) {
    if (options.rate > 0)
        return fmt::format("{} requests/s at random{}", options.rate,
                           options.concurrency > 0 ? fmt::format(", at most {} at once", options.concurrency) : "");
    return fmt::format("{} at once", options.concurrency > 0 ? options.concurrency : Load::kConcurrency);
}

void print_table(const UrlBenchOptions& options, const LoadTarget& target, const LoadSummary& sum) {
    fmt::print("{}{}, {}: {}\n", printable(target.base, 200), target.chat ? "/chat/completions" : "/completions",
               printable(target.model, 100), load_text(options));
    fmt::print("{} of {} requests in {:.2f} s\n\n", sum.completed, sum.requests, sum.seconds);
    auto rate = [&](const char* what, int64_t count) {
        fmt::print("  {:<16}{:>10}{:>12.2f}/s\n", what, count, sum.per_second(count));
    };
    rate("requests", sum.completed);
    if (sum.good) rate("good requests", *sum.good);
    rate("input tokens", sum.input_tokens);
    rate("output tokens", sum.output_tokens);
    rate("all tokens", sum.input_tokens + sum.output_tokens);
    fmt::print("\n  ms          mean    median       p90       p99\n");
    auto line = [](const char* what, const std::optional<Distribution>& found) {
        if (found)
            fmt::print("  {:<6}{:>10.2f}{:>10.2f}{:>10.2f}{:>10.2f}\n", what, found->mean, found->median, found->p90,
                       found->p99);
    };
    line("TTFT", sum.ttft);
    line("ITL", sum.itl);
    line("TPOT", sum.tpot);
    line("E2EL", sum.e2el);
    constexpr size_t kFailuresShown = 5;
    for (size_t i = 0; i < std::min(sum.failures.size(), kFailuresShown); ++i)
        fmt::print("{}  {} failed: {}\n", i == 0 ? "\n" : "", sum.failures[i].second, sum.failures[i].first);
}

Json to_json(const std::optional<Distribution>& found) {
    if (!found) return nullptr;
    return {{"mean", found->mean}, {"median", found->median}, {"p90", found->p90}, {"p99", found->p99}};
}

Json to_json(const UrlBenchOptions& options, const LoadTarget& target, const LoadSummary& sum) {
    Json failures = Json::array();
    for (const auto& [text, count] : sum.failures) failures.push_back({{"error", text}, {"count", count}});
    return {{"url", target.base},
            {"api", target.chat ? "chat" : "completions"},
            {"model", target.model},
            {"concurrency", options.concurrency > 0 || options.rate > 0 ? options.concurrency : Load::kConcurrency},
            {"rate", options.rate},
            {"prompt_tokens", options.prompt_tokens},
            {"output_tokens", options.output_tokens},
            {"shared_prefix", options.shared_prefix},
            {"seed", options.seed},
            {"requests", sum.requests},
            {"completed", sum.completed},
            {"failed", sum.requests - sum.completed},
            {"failures", failures},
            {"seconds", sum.seconds},
            {"total_input_tokens", sum.input_tokens},
            {"total_output_tokens", sum.output_tokens},
            {"requests_per_second", sum.per_second(sum.completed)},
            {"input_tokens_per_second", sum.per_second(sum.input_tokens)},
            {"output_tokens_per_second", sum.per_second(sum.output_tokens)},
            {"total_tokens_per_second", sum.per_second(sum.input_tokens + sum.output_tokens)},
            {"goodput_requests_per_second", sum.good ? Json(sum.per_second(*sum.good)) : nullptr},
            {"ttft_ms", to_json(sum.ttft)},
            {"itl_ms", to_json(sum.itl)},
            {"tpot_ms", to_json(sum.tpot)},
            {"e2el_ms", to_json(sum.e2el)}};
}

}  // namespace

void UrlBenchOptions::add_to(Command& command) {
    constexpr double kMost = 1 << 24;  // prompts lie in memory
    constexpr const char* kSection = "A server";
    command.add({.name = "--url",
                 .value = "URL",
                 .target = &url,
                 .help = "measure this OpenAI server instead (http://HOST:PORT)",
                 .excludes = {"MODEL"},
                 .section = kSection});
    auto add = [&](const char* name, const char* word, Target value, std::string help, double min = -kUnlimited,
                   double max = kUnlimited) {
        command.add({.name = name,
                     .value = word,
                     .target = value,
                     .help = std::move(help),
                     .min = min,
                     .max = max,
                     .needs = "--url",
                     .section = kSection});
    };
    add("--requests", "N", &requests, fmt::format("requests in all (default: {})", requests), 1, 1e6);
    add("--concurrency", "N", &concurrency, "requests at once (default: 8; with --rate: no limit)", 1, 1e4);
    add("--rate", "X", &rate, "requests per second that come at random (default: the next when one has ended)", 1e-3,
        1e5);
    add("--prompt-tokens", "N", &prompt_tokens, fmt::format("about how long prompts are (default: {})", prompt_tokens),
        1, kMost);
    add("--output-tokens", "N", &output_tokens,
        fmt::format("tokens of an answer, at most (default: {})", output_tokens), 1, kMost);
    add("--shared-prefix", "X", &shared_prefix, "share of a prompt that is the same in all, 0 to 1 (default: 0)", 0, 1);
    add("--goodput", "LIMITS", &goodput, "count requests within limits in ms: ttft:MS,tpot:MS,e2el:MS, any of them");
    add("--model", "NAME", &model, "name of the model (default: the first one that the server lists)");
    add("--api-key", "KEY", &api_key, "sent as a bearer token");
    add("--chat", "", &chat, "/v1/chat/completions instead of /v1/completions");
    add("--ignore-eos", "", &ignore_eos, "ask for answers of full length");
    add("--seed", "N", &seed, "same seed, same prompts (default: 0)");
}

Result<int> bench_url(const UrlBenchOptions& options) {
    LoadTarget target{.base = TRY(load_target_base(options.url)),
                      .model = options.model,
                      .api_key = options.api_key,
                      .chat = options.chat,
                      .ignore_eos = options.ignore_eos};
    std::optional<Goodput> goodput;
    if (!options.goodput.empty()) goodput = TRY(Goodput::parse(options.goodput));
    if (target.model.empty()) target.model = TRY(first_model(target));
    int64_t words = TRY(words_for(target, PromptMaker(options.seed, 0), options.prompt_tokens));
    std::vector<RequestRecord> records;
    double seconds = Load(options, target, words).run(records);
    LoadSummary sum = summarise(records, seconds, goodput);
    if (options.json) print_json(to_json(options, target, sum));
    else print_table(options, target, sum);
    return sum.completed > 0 ? 0 : 1;
}

}  // namespace godwit
