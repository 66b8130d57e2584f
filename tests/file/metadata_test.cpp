#include "file/metadata.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "file/gguf_writer.hpp"
#include "file/model_file.hpp"

namespace godwit {
namespace {

using test::GgufWriter;

/// Keeps the bytes beside the file that views them.
struct Opened {
    explicit Opened(const GgufWriter& writer)
        : bytes(writer.bytes()), file(ModelFile::from_bytes(test::as_bytes(bytes))) {
        EXPECT_TRUE(file.ok()) << file.error().message;
    }
    const Metadata& metadata() const { return file.value().metadata(); }

    std::string bytes;
    Result<ModelFile> file;
};

template <class T>
std::string error_of(const Result<T>& result) {
    return result.ok() ? "no error" : result.error().message;
}

template <class T>
void expect_uint(const Metadata& metadata, std::string_view key, T expected) {
    auto found = metadata.find_uint(key);
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found.value(), std::optional<uint64_t>(expected)) << key;
}

TEST(Metadata, EveryIntegerTypeIsAnInteger) {
    Opened o(GgufWriter()
                 .set<uint8_t>("u8", 255)
                 .set<int8_t>("i8", 127)
                 .set<uint16_t>("u16", 65535)
                 .set<int16_t>("i16", 32767)
                 .set<uint32_t>("u32", 4294967295)
                 .set<int32_t>("i32", 2147483647)
                 .set<uint64_t>("u64", std::numeric_limits<uint64_t>::max())
                 .set<int64_t>("i64", std::numeric_limits<int64_t>::max()));
    expect_uint(o.metadata(), "u8", 255u);
    expect_uint(o.metadata(), "i8", 127u);
    expect_uint(o.metadata(), "u16", 65535u);
    expect_uint(o.metadata(), "i16", 32767u);
    expect_uint(o.metadata(), "u32", 4294967295u);
    expect_uint(o.metadata(), "i32", 2147483647u);
    expect_uint(o.metadata(), "u64", std::numeric_limits<uint64_t>::max());
    expect_uint(o.metadata(), "i64", uint64_t{std::numeric_limits<int64_t>::max()});
}

TEST(Metadata, FloatsBoolsAndStrings) {
    Opened o(GgufWriter()
                 .set("f32", 0.5f)
                 .set("f64", 1e300)
                 .set("yes", true)
                 .set("no", false)
                 .set("text", "a\nb")
                 .set("empty", ""));
    EXPECT_EQ(o.metadata().find_float("f32").value(), 0.5);
    EXPECT_EQ(o.metadata().find_float("f64").value(), 1e300);
    EXPECT_EQ(o.metadata().find_bool("yes").value(), true);
    EXPECT_EQ(o.metadata().find_bool("no").value(), false);
    EXPECT_EQ(o.metadata().find_string("text").value(), "a\nb");
    EXPECT_EQ(o.metadata().find_string("empty").value(), "");
}

TEST(Metadata, Arrays) {
    Opened o(GgufWriter()
                 .strings("strings", {"", "one", "zwei und drei"})
                 .array<int8_t>("i8", {-128, 0, 127})
                 .array<uint64_t>("u64", {0, 1, uint64_t{1} << 62})
                 .array<float>("floats", {0.25f, -1.0f})
                 .array<bool>("bools", {true, false, true})
                 .strings("none", {}));
    EXPECT_EQ(o.metadata().find_strings("strings").value(),
              (std::vector<std::string_view>{"", "one", "zwei und drei"}));
    EXPECT_EQ(o.metadata().find_strings("none").value(), std::vector<std::string_view>());
    EXPECT_EQ(o.metadata().find_ints("i8").value(), (std::vector<int64_t>{-128, 0, 127}));
    EXPECT_EQ(o.metadata().find_ints("u64").value(), (std::vector<int64_t>{0, 1, int64_t{1} << 62}));
    EXPECT_EQ(o.metadata().find_floats("floats").value(), (std::vector<float>{0.25f, -1.0f}));
    EXPECT_EQ(o.metadata().find_bools("bools").value(), (std::vector<bool>{true, false, true}));
}

TEST(Metadata, StringsAreViewsIntoTheFile) {
    Opened o(GgufWriter().strings("tokens", {"a", "bc"}));
    auto tokens = o.metadata().find_strings("tokens");
    const char* begin = o.bytes.data();
    EXPECT_GE(tokens.value()->at(1).data(), begin);
    EXPECT_LT(tokens.value()->at(1).data(), begin + o.bytes.size());
}

TEST(Metadata, AbsentIsNothingForFindAndAnErrorForGet) {
    Opened o{GgufWriter()};
    EXPECT_EQ(o.metadata().find("k"), nullptr);
    EXPECT_EQ(o.metadata().find_string("k").value(), std::nullopt);
    EXPECT_EQ(o.metadata().find_uint("k").value(), std::nullopt);
    EXPECT_EQ(o.metadata().find_float("k").value(), std::nullopt);
    EXPECT_EQ(o.metadata().find_bool("k").value(), std::nullopt);
    EXPECT_EQ(o.metadata().find_strings("k").value(), std::nullopt);
    EXPECT_EQ(o.metadata().find_ints("k").value(), std::nullopt);
    EXPECT_EQ(o.metadata().find_floats("k").value(), std::nullopt);
    EXPECT_EQ(o.metadata().find_bools("k").value(), std::nullopt);
    EXPECT_EQ(error_of(o.metadata().get_string("k")), "key k is missing");
    EXPECT_EQ(error_of(o.metadata().get_uint("k")), "key k is missing");
    EXPECT_EQ(error_of(o.metadata().get_float("k")), "key k is missing");
}

TEST(Metadata, WrongTypesNameBoth) {
    Opened o(GgufWriter().set("s", "text").set("b", true).set<uint64_t>("u", 1).set("f", 1.0f).strings("a", {"x"}));
    const Metadata& m = o.metadata();
    EXPECT_EQ(error_of(m.get_uint("s")), "key s: expected an integer, found a string");
    EXPECT_EQ(error_of(m.get_uint("b")), "key b: expected an integer, found a bool");
    EXPECT_EQ(error_of(m.get_uint("f")), "key f: expected an integer, found an f32");
    EXPECT_EQ(error_of(m.get_uint("a")), "key a: expected an integer, found an array of string");
    EXPECT_EQ(error_of(m.get_float("b")), "key b: expected a float, found a bool");
    EXPECT_EQ(error_of(m.get_float("u")), "key u: expected a float, found a u64");
    EXPECT_EQ(error_of(m.get_string("u")), "key u: expected a string, found a u64");
    EXPECT_EQ(error_of(m.find_bool("u")), "key u: expected a bool, found a u64");
    EXPECT_EQ(error_of(m.find_bools("b")), "key b: expected an array of bools, found a bool");
}

TEST(Metadata, M2TokensOfIntegersAreRefused) {
    Opened o(GgufWriter().array<int32_t>("tokenizer.ggml.tokens", {1, 2}));
    EXPECT_EQ(error_of(o.metadata().find_strings("tokenizer.ggml.tokens")),
              "key tokenizer.ggml.tokens: expected an array of strings, found an array of i32");
}

TEST(Metadata, M3ScoresAndTypesOfBytesAreRefusedOrReadAsBytes) {
    Opened o(GgufWriter().array<uint8_t>("scores", {1, 2, 3}).array<float>("types", {1.0f}));
    EXPECT_EQ(error_of(o.metadata().find_floats("scores")),
              "key scores: expected an array of f32 (floats), found an array of u8");
    EXPECT_EQ(o.metadata().find_ints("scores").value(), (std::vector<int64_t>{1, 2, 3}));
    EXPECT_EQ(error_of(o.metadata().find_ints("types")),
              "key types: expected an array of integers, found an array of f32");
}

TEST(Metadata, RangesAreChecked) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    Opened o(GgufWriter()
                 .set<int32_t>("negative", -2)
                 .set("inf", std::numeric_limits<double>::infinity())
                 .array<uint64_t>("large", {0, uint64_t{1} << 63})
                 .array<float>("nan", {0.0f, kNan}));
    EXPECT_EQ(error_of(o.metadata().get_uint("negative")), "key negative: -2 is negative");
    EXPECT_EQ(error_of(o.metadata().get_float("inf")), "key inf: inf is not a finite number");
    EXPECT_EQ(error_of(o.metadata().find_ints("large")), "key large: element 1 is out of range (9223372036854775808)");
    EXPECT_EQ(error_of(o.metadata().find_floats("nan")), "key nan: element 1 is not a finite number (nan)");
}

TEST(Metadata, EntriesKeepTheOrderOfTheFile) {
    Opened o(GgufWriter().set("z", 1).set("a", 2).set("m", 3));
    std::string order;
    for (const auto& entry : o.metadata().entries()) order += entry.key;
    EXPECT_EQ(order, "zam");
}

TEST(Metadata, ValueTextIsOneSafeLine) {
    Opened o(GgufWriter()
                 .set("text", "a\n\x1b[31m\"b")
                 .set("float", 0.1f)
                 .set("bool", true)
                 .set<int64_t>("int", -5)
                 .strings("strings", {"x", "y"})
                 .array<uint16_t>("many", {1, 2, 3, 4}));
    auto text = [&](std::string_view key) { return value_text(*o.metadata().find(key), 3); };
    EXPECT_EQ(text("text"), "\"a\\x0A\\x1B[31m\"b\"");
    EXPECT_EQ(text("float"), "0.1");
    EXPECT_EQ(text("bool"), "true");
    EXPECT_EQ(text("int"), "-5");
    EXPECT_EQ(text("strings"), "[\"x\", \"y\"]");
    EXPECT_EQ(text("many"), "[1, 2, 3, …] (4 elements)");
}

}  // namespace
}  // namespace godwit
