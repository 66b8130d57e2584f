#include "text/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

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

TEST(Json, ErrorsSayWhereAndWhat) {
    const std::pair<const char*, const char*> kCases[] = {
        {"", "line 1, column 1: the text ends too early"},
        {"hello", "line 1, column 1: expected a value"},
        {"nul", "line 1, column 1: expected a value"},
        {"{\"a\": 1,}", "line 1, column 9: expected the name of a member, in double quotes"},
        {"{'a': 1}", "line 1, column 2: expected the name of a member, in double quotes"},
        {"{\n \"é\" 1}", "line 2, column 6: expected ':' after the name of a member"},
        {"{\"a\": 1 \"b\"", "line 1, column 9: expected ',' or '}'"},
        {"[1 2]", "line 1, column 4: expected ',' or ']'"},
        {"[1,]", "line 1, column 4: expected a value"},
        {"1 2", "line 1, column 3: there is more after the end of the value"},
        {"\"a", "line 1, column 3: the text ends too early"},
        {"\"a\nb\"", "line 1, column 3: a control character in a string (write \\u000a)"},
        {"\"a\\x\"", "line 1, column 3: an unknown escape in a string"},
        {"\"\\u12g4\"", "line 1, column 2: expected four hexadecimal digits after \\u"},
        {"\"\\udc00\"",
         "line 1, column 2: half of a surrogate pair in a string (a character beyond \\uffff takes both)"},
        {"\"\\ud800x\"",
         "line 1, column 2: half of a surrogate pair in a string (a character beyond \\uffff takes both)"},
        {"\"\xff\"", "line 1, column 2: a string that is not UTF-8"},
        {"\"\xed\xa0\x80\"", "line 1, column 2: a string that is not UTF-8"},
        {"-x", "line 1, column 2: expected a digit"},
        {"1.x", "line 1, column 3: expected a digit after the point"},
        {"1e+x", "line 1, column 4: expected a digit in the exponent"},
    };
    for (const auto& [text, message] : kCases) EXPECT_EQ(round_trip(text), std::string("error: ") + message) << text;
    EXPECT_EQ(parse_json("\n[", {}, 7).error().message, "line 8, column 2: the text ends too early");
}

TEST(Json, NumbersKeepTheirKind) {
    EXPECT_EQ(round_trip("[0,-0,18446744073709551615,-9223372036854775808,1.5,1e2,-0.0]"),
              "[0,0,18446744073709551615,-9223372036854775808,1.5,100.0,-0.0]");
    EXPECT_TRUE(parse_json("18446744073709551616").value().is_number_float());
    EXPECT_TRUE(parse_json("-9223372036854775809").value().is_number_float());
    EXPECT_EQ(parse_json("1e999").value().get<double>(), HUGE_VAL);  // U56: as Python's
    EXPECT_EQ(parse_json("-1" + std::string(400, '0')).value().get<double>(), -HUGE_VAL);
    EXPECT_EQ(parse_json("1e-999").value().get<double>(), 0);
    EXPECT_EQ(parse_json("0." + std::string(400, '0') + "1").value().get<double>(), 0);
}

/// Another parser's answer; "error" where it has none.
std::string other_parser(const std::string& text) {
    Json json = Json::parse(text, nullptr, false);
    return json.is_discarded() ? "error" : json_text(json);
}

// Beside nlohmann's own parser: what one takes the other takes, and understands alike. (No change makes an exponent
// beyond all doubles, where they differ.)
TEST(Json, AgreesWithAnotherParser) {
    const std::string kTexts[] = {
        R"({"a":[1,-2.5e2,true,false,null,"x\n\u00e9\ud83d\ude00\\\/"],"b":{"c":{}},"d":[[],[[]],{}]})",
        R"([0.1,1E1,"",1e-5,{"":""},-0,0e0,[123456789012345678901234567890]])",
        "\xEF\xBB\xBF{\"é😀\":\"\x7f\"} \n\t\r"};
    const std::string kBytes = "{}[]:,\"\\ud0119.-+ trufalsn\n\x01\x80\xc3\xed\xf0/";
    std::mt19937 random(1);
    int accepted = 0;
    for (int round = 0; round < 60'000; ++round) {
        std::string text = kTexts[random() % std::size(kTexts)];
        for (auto changes = random() % 3; changes > 0; --changes) {
            size_t at = random() % text.size();
            char byte = kBytes[random() % kBytes.size()];
            if (random() % 3 == 0) text.erase(at, 1);
            else if (random() % 2 == 0) text.insert(at, 1, byte);
            else text[at] = byte;
        }
        std::string ours = round_trip(text).starts_with("error: ") ? "error" : round_trip(text);
        ASSERT_EQ(ours, other_parser(text)) << text;
        accepted += ours != "error";
    }
    EXPECT_GT(accepted, 20'000);
}

TEST(Json, ANulIsNotTheEnd) {
    EXPECT_EQ(parse_json(std::string("{}\0garbage", 10)).error().message,
              "line 1, column 3: there is more after the end of the value");
    EXPECT_EQ(parse_json(std::string("\"\0\"", 3)).error().message,
              "line 1, column 2: a control character in a string (write \\u0000)");
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
