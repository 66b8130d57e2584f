#include "text/json.hpp"

#include <gtest/gtest.h>

namespace godwit {
namespace {

std::string round_trip(std::string_view text) {
    Result<Json> json = parse_json(text);
    return json.ok() ? json_text(json.value()) : "error: " + json.error().message;
}

TEST(Json, KeepsTheOrderOfMembers) {
    EXPECT_EQ(round_trip(R"({"z":1,"a":[true,null,-3,1.5,"é"],"m":{}})"),
              R"({"z":1,"a":[true,null,-3,1.5,"é"],"m":{}})");
}

TEST(Json, TheLastOfEqualMembersCountsAtThePlaceOfTheFirst) {
    EXPECT_EQ(round_trip(R"({"a":1,"b":2,"a":3,"c":{"x":1,"x":{"y":[]}},"b":4})"),
              R"({"a":3,"b":4,"c":{"x":{"y":[]}}})");
}

TEST(Json, AnObjectWithManyMembersTakesNoSquareOfTheirNumber) {
    std::string text = "{";
    for (int i = 0; i < 400'000; ++i) text += "\"k" + std::to_string(i % 300'000) + "\":1,";
    text.back() = '}';
    Result<Json> json = parse_json(text);
    ASSERT_TRUE(json.ok());
    EXPECT_EQ(json.value().size(), 300'000u);
}

TEST(Json, ErrorsSayWhere) {
    EXPECT_TRUE(round_trip("{\"a\": 1,}").starts_with("error: line 1, column 9: syntax error"))
        << round_trip("{\"a\": 1,}");
    EXPECT_TRUE(round_trip("").starts_with("error: line 1, column 1"));
    EXPECT_TRUE(round_trip("\"\xff\"").starts_with("error: line 1")) << round_trip("\"\xff\"");
    EXPECT_TRUE(round_trip("1 2").starts_with("error: line 1"));
    EXPECT_TRUE(round_trip("1e999").starts_with("error: number overflow")) << round_trip("1e999");
}

TEST(Json, ANulIsNotTheEnd) {
    EXPECT_EQ(parse_json(std::string("{}\0garbage", 10)).error().message,
              "byte 2: a NUL character (in a string it is written \\u0000)");
    EXPECT_EQ(round_trip(R"("\u0000")"), R"("\u0000")");
}

TEST(Json, RefusesWhatIsNestedTooDeep) {
    std::string bomb(100'000, '[');
    EXPECT_EQ(parse_json(bomb).error().message, "more than 128 arrays and objects inside each other");
    std::string objects;
    for (int i = 0; i < 129; ++i) objects += "{\"a\":";
    EXPECT_EQ(parse_json(objects).error().message, "more than 128 arrays and objects inside each other");
    std::string fits = std::string(128, '[') + std::string(128, ']');
    EXPECT_EQ(round_trip(fits), fits);
}

TEST(Json, RefusesTooManyValues) {
    EXPECT_TRUE(parse_json("[1,2,3]", {.values = 4}).ok());
    EXPECT_EQ(parse_json("[1,2,3]", {.values = 3}).error().message, "more than 3 values");
}

TEST(Json, WritesIllFormedTextAsReplacementCharacters) {
    EXPECT_EQ(json_text(Json{{"a",
                              "x\xff"
                              "y"}}),
              "{\"a\":\"x\xEF\xBF\xBDy\"}");
}

}  // namespace
}  // namespace godwit
