// The figures of a load test from given times: worked out by hand, as vLLM's serving benchmark defines them.
#include "cli/load_summary.hpp"

#include <gtest/gtest.h>

namespace godwit {
namespace {

RequestRecord record(double start, std::vector<double> tokens, int64_t prompt_tokens, int64_t output_tokens) {
    RequestRecord one;
    one.start = start;
    one.tokens = std::move(tokens);
    one.prompt_tokens = prompt_tokens;
    one.output_tokens = output_tokens;
    return one;
}

RequestRecord failed(std::string text) {
    RequestRecord one;
    one.failure = std::move(text);
    return one;
}

TEST(LoadSummary, OneRequest) {
    std::vector<RequestRecord> records{record(10, {10.5, 10.6, 10.8}, 7, 5)};  // five tokens in three events
    LoadSummary sum = summarise(records, 2, {});
    EXPECT_EQ(sum.completed, 1);
    EXPECT_DOUBLE_EQ(sum.per_second(sum.input_tokens + sum.output_tokens), 6);
    EXPECT_NEAR(sum.ttft->mean, 500, 1e-6);
    EXPECT_NEAR(sum.e2el->mean, 800, 1e-6);
    EXPECT_NEAR(sum.tpot->mean, 300.0 / 4, 1e-6) << "(E2EL - TTFT) / (output tokens - 1)";
    EXPECT_NEAR(sum.itl->mean, 150, 1e-6);
    EXPECT_NEAR(sum.itl->p90, 190, 1e-6) << "linear between 100 and 200";
    EXPECT_FALSE(sum.good);
}

TEST(LoadSummary, OneTokenHasNoTimeBetween) {
    LoadSummary sum = summarise(std::vector{record(0, {1}, 1, 1)}, 1, Goodput{.ttft = {}, .tpot = 5.0, .e2el = {}});
    EXPECT_FALSE(sum.tpot);
    EXPECT_FALSE(sum.itl);
    EXPECT_NEAR(sum.e2el->mean, 1000, 1e-6);
    EXPECT_EQ(sum.good, 1) << "nor one that could be too long";
}

TEST(LoadSummary, FailuresAreCountedApart) {
    std::vector<RequestRecord> records{failed("b"), record(0, {1, 2}, 3, 2), failed("a"), failed("b")};
    LoadSummary sum = summarise(records, 4, {});
    EXPECT_EQ(sum.requests, 4);
    EXPECT_EQ(sum.completed, 1);
    EXPECT_EQ(sum.input_tokens, 3);
    EXPECT_DOUBLE_EQ(sum.per_second(sum.completed), 0.25);
    EXPECT_EQ(sum.failures, (std::vector<std::pair<std::string, int64_t>>{{"b", 2}, {"a", 1}}));
    LoadSummary none = summarise(std::vector{failed("x")}, 0, {});
    EXPECT_FALSE(none.ttft || none.itl || none.tpot || none.e2el);
    EXPECT_EQ(none.per_second(5), 0);
}

TEST(LoadSummary, Percentiles) {
    std::vector<double> values;
    for (int i = 100; i >= 0; --i) values.push_back(i);
    Distribution found = *distribution(values);
    EXPECT_DOUBLE_EQ(found.mean, 50);
    EXPECT_DOUBLE_EQ(found.median, 50);
    EXPECT_DOUBLE_EQ(found.p90, 90);
    EXPECT_DOUBLE_EQ(found.p99, 99);
    EXPECT_DOUBLE_EQ(distribution({4, 1})->median, 2.5);
    EXPECT_DOUBLE_EQ(distribution({7})->p99, 7);
    EXPECT_FALSE(distribution({}));
}

TEST(LoadSummary, Goodput) {
    std::vector<RequestRecord> records{record(0, {0.1, 0.2}, 1, 2), record(0, {0.3, 0.4}, 1, 2),
                                       record(0, {0.1, 0.9}, 1, 2)};
    auto good = [&](const char* limits) { return summarise(records, 1, Goodput::parse(limits).take()).good; };
    EXPECT_EQ(good("ttft:200"), 2);
    EXPECT_EQ(good("tpot:200"), 2);
    EXPECT_EQ(good("ttft:200,tpot:200"), 1);
    EXPECT_EQ(good("e2el:500"), 2);
    EXPECT_EQ(good("e2el:5000"), 3);
    for (const char* text :
         {"", "ttft", "ttft:", "ttft:x", "ttft:1x", "ttft:-1", "ttft:0", "ttft:inf", "itl:5", "ttft:1,", ",ttft:1"})
        EXPECT_FALSE(Goodput::parse(text).ok()) << text;
}

}  // namespace
}  // namespace godwit
