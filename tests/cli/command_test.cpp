// Parsing alone; what a person sees of it is in cli_test.py.
#include "cli/command.hpp"

#include <gtest/gtest.h>

namespace godwit {
namespace {

TEST(ByteSize, IsDecimalOrBinary) {
    const std::vector<std::pair<const char*, uint64_t>> cases{
        {"0", 0},
        {"123", 123},
        {"5B", 5},
        {"100MB", 100'000'000},
        {"100M", 100'000'000},
        {"100mb", 100'000'000},
        {"100MiB", 104'857'600},
        {"100mib", 104'857'600},
        {"8GiB", uint64_t{8} << 30},
        {"8Gi", uint64_t{8} << 30},
        {"1.5kB", 1500},
        {"2TB", 2'000'000'000'000},
    };
    for (const auto& [text, bytes] : cases) {
        Result<ByteSize> size = ByteSize::parse(text);
        ASSERT_TRUE(size.ok()) << text;
        EXPECT_EQ(size.value().bytes, bytes) << text;
    }
}

TEST(ByteSize, RefusesWhatIsNone) {
    for (const char* text : {"", "-5", "-0", "MB", "8XB", "8iB", "8 GB", "8GBs", "8GG", "1e9", "nan", "inf",
                             "9999999TB", "99999999999999999999", "0x10"})
        EXPECT_FALSE(ByteSize::parse(text).ok()) << text;
}

TEST(Command, PutsValuesWhereTheyBelong) {
    std::string model;
    std::vector<std::string> stops, rest;
    std::optional<float> temperature;
    std::optional<uint64_t> seed;
    bool raw = false, quiet = false;
    Command command{.name = "test", .purpose = ""};
    command.add({.name = "MODEL", .target = &model});
    command.add({.name = "REST", .target = &rest});
    command.add({.name = "-s, --stop", .value = "TEXT", .target = &stops});
    command.add({.name = "--temperature", .value = "X", .target = &temperature});
    command.add({.name = "--seed", .value = "N", .target = &seed});
    command.add({.name = "--raw", .target = &raw});
    command.add({.name = "--quiet", .target = &quiet});
    ASSERT_TRUE(command
                    .parse({"--raw", "m", "-s", "-1", "--stop=a=b", "-sx", "--seed", "18446744073709551615", "-", "--",
                            "--quiet"})
                    .ok());
    EXPECT_EQ(model, "m");
    EXPECT_EQ(rest, (std::vector<std::string>{"-", "--quiet"}));
    EXPECT_EQ(stops, (std::vector<std::string>{"-1", "a=b", "x"}));
    EXPECT_FALSE(temperature);
    EXPECT_EQ(seed, std::numeric_limits<uint64_t>::max());
    EXPECT_TRUE(raw && !quiet && command.has("--raw") && !command.has("--quiet") && command.has("-s"));
}

}  // namespace
}  // namespace godwit
