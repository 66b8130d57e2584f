#include "server/api/request_log.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "server/api/histogram.hpp"

namespace godwit::api {
namespace {

const std::chrono::system_clock::time_point kTime{std::chrono::seconds(1'796'008'615)};  // 2026-11-30 03:16:55 UTC

RequestRecord record() {
    return {.id = "req_1",
            .peer = "127.0.0.1",
            .method = "POST",
            .path = "/v1/chat/completions",
            .model = "smol",
            .prompt_tokens = 40,
            .cached_tokens = 10,
            .output_tokens = 21,
            .seconds = 0.6,
            .first_token_seconds = 0.1,
            .queue_seconds = 0.05,
            .finish = "stop"};
}

class RequestLogTest : public ::testing::Test {
protected:
    RequestLogTest() { set_zone("UTC0"); }
    static void set_zone(const char* zone) {
        ::setenv("TZ", zone, 1);
        ::tzset();
    }
};

TEST_F(RequestLogTest, ARowForPeople) {
    EXPECT_EQ(text_row(record(), {}, kTime),
              "03:16:55 200 /v1/chat/completions  40 in (25 % cached)  21 out (40.0/s)  first 100 ms  stop");
    EXPECT_EQ(text_row(record(), {.verbose = true}, kTime),
              "03:16:55 200 /v1/chat/completions  40 in (25 % cached)  21 out (40.0/s)  first 100 ms  stop"
              "  [req_1 from 127.0.0.1, 600.0 ms in all, 50.0 ms queued]");
    RequestRecord fresh = record();
    fresh.cached_tokens = 0;
    EXPECT_EQ(text_row(fresh, {}, kTime),
              "03:16:55 200 /v1/chat/completions  40 in  21 out (40.0/s)  first 100 ms  stop");
    EXPECT_EQ(text_row({.method = "GET", .path = "/v1/models"}, {}, kTime), "03:16:55 200 GET /v1/models");
    EXPECT_EQ(text_row({.method = "POST", .path = "/v1/x", .status = 404, .error = "x"}, {}, kTime),
              "03:16:55 404 POST /v1/x  x");
    EXPECT_EQ(text_row({.status = 400, .error = "no request"}, {}, kTime), "03:16:55 400  no request");
}

TEST_F(RequestLogTest, TimeIsThatOfThePlace) {
    set_zone("JST-9");
    EXPECT_EQ(text_row({.path = "/"}, {}, kTime), "12:16:55 200 /");
    EXPECT_TRUE(json_row({.path = "/"}, {}, kTime).starts_with(R"({"time":"2026-11-30T03:16:55Z")"));
}

TEST_F(RequestLogTest, ARowFitsTheScreen) {
    RequestRecord largest = record();
    largest.prompt_tokens = largest.output_tokens = 1'048'576;
    largest.cached_tokens = 1'048'575;
    largest.first_token_seconds = 999;
    largest.seconds = 999 + 150;
    largest.finish = "cancelled";
    EXPECT_LE(text_row(largest, {}, kTime).size(), 100u) << text_row(largest, {}, kTime);
    largest.prompt_tokens = largest.output_tokens = 99'999;
    largest.cached_tokens = 99'998;
    EXPECT_LE(text_row(largest, {}, kTime).size(), 100u) << text_row(largest, {}, kTime);
    RequestRecord named = record();
    named.model = "SmolLM2-135M-Instruct.Q4_1";
    EXPECT_EQ(text_row(named, {.models = 2}, kTime),
              "03:16:55 200 /v1/chat/completions  40 in (25 % cached)  21 out (40.0/s)  first 100 ms  stop  SmolLM2…");
    named.cached_tokens = 0;
    EXPECT_EQ(text_row(named, {.models = 2}, kTime),
              "03:16:55 200 /v1/chat/completions  40 in  21 out (40.0/s)  first 100 ms  stop  SmolLM2-135M-Instruc…");
    named.model = "größenwahn-und-so-weiter-und-so-fort";
    EXPECT_EQ(text_row(named, {}, kTime).find("wahn"), std::string::npos) << "one model needs no name";
    EXPECT_TRUE(text_row(named, {.models = 2}, kTime).ends_with("stop  größenwahn-und-so-…"))
        << text_row(named, {.models = 2}, kTime);
}

TEST_F(RequestLogTest, NobodyWritesASecondRow) {
    RequestRecord hostile{
        .method = "GET\n", .path = "/a\n03:16:55 200 POST /b\x1b[2J", .status = 404, .error = "x\r\ny"};
    std::string row = text_row(hostile, {}, kTime);
    EXPECT_EQ(row.find_first_of("\r\n\x1b"), row.npos) << row;
    std::string json = json_row(hostile, {}, kTime);
    EXPECT_EQ(json.find_first_of("\r\n\x1b"), json.npos) << json;
}

TEST_F(RequestLogTest, TheSameAsJson) {
    EXPECT_EQ(
        json_row(record(), {}, kTime),
        R"({"time":"2026-11-30T03:16:55Z","id":"req_1","peer":"127.0.0.1","method":"POST","path":"/v1/chat/completions","status":200,)"
        R"("seconds":0.6,"model":"smol","prompt_tokens":40,"cached_tokens":10,"queue_seconds":0.05,"first_token_seconds":0.1,)"
        R"("output_tokens":21,"tokens_per_second":40.0,"finish":"stop"})");
}

std::string written(const LogOptions& options, const RequestRecord& record) {
    std::FILE* file = std::tmpfile();
    RequestLog(options, file).write(record);
    std::string text(static_cast<size_t>(std::ftell(file)), '\0');
    std::rewind(file);
    EXPECT_EQ(std::fread(text.data(), 1, text.size(), file), text.size());
    std::fclose(file);
    return text;
}

TEST_F(RequestLogTest, SaysAsMuchAsItWasAskedTo) {
    RequestRecord health{.method = "GET", .path = "/health", .probe = true},
        broken{.method = "GET", .path = "/metrics", .status = 500, .probe = true};
    EXPECT_EQ(written({}, health), "");
    EXPECT_NE(written({.verbose = true}, health), "");
    EXPECT_NE(written({}, broken), "");
    EXPECT_NE(written({}, record()), "");
    EXPECT_EQ(written({.quiet = true}, record()), "");
    EXPECT_NE(written({.quiet = true}, broken), "");
}

TEST(Histogram, CountsUpwards) {
    constexpr double kBounds[] = {1, 2.5};
    Histogram histogram(kBounds);
    for (double value : {0.5, 1.0, 2.0, 9.0}) histogram.observe(value);
    std::string out;
    histogram.write(out, "x", "a=\"b\"");
    EXPECT_EQ(out,
              "x_bucket{a=\"b\",le=\"1\"} 2\nx_bucket{a=\"b\",le=\"2.5\"} 3\nx_bucket{a=\"b\",le=\"+Inf\"} "
              "4\nx_sum{a=\"b\"} 12.5\nx_count{a=\"b\"} 4\n");
}

}  // namespace
}  // namespace godwit::api
