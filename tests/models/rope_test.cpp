// Rope scalings: the frequencies and magnitudes of Hugging Face transformers (tools/oracle/make_ropes.py), and keys
// that nobody may ignore.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "file/gguf_writer.hpp"
#include "file/model_file.hpp"
#include "model/rope_scaling.hpp"

namespace godwit::test {
namespace {

using Json = nlohmann::json;

/// As converters write them: whole numbers as u32, others as f32.
void set(GgufWriter& file, const std::string& key, const Json& value) {
    if (value.is_string()) file.set(key, value.get<std::string>().c_str());
    else if (value.is_number_integer()) file.set(key, value.get<uint32_t>());
    else file.set(key, value.get<float>());
}

Result<RopePlan> rope_of(const Json& keys, int64_t dims, double base) {
    GgufWriter file;
    file.set("general.architecture", "llama");
    for (const auto& [name, value] : keys.items()) set(file, "llama.rope." + name, value);
    const std::string bytes = file.bytes();
    auto read = ModelFile::from_bytes(as_bytes(bytes));
    if (!read.ok()) return read.error();
    return read_rope(Hyperparameters(read.value().metadata(), "llama"), dims, base, RopePairing::HalfSplit, {});
}

TEST(Rope, IsThatOfTransformers) {
    std::ifstream in(GODWIT_TEST_DATA "/golden/ropes.json");
    const Json cases = Json::parse(in);
    ASSERT_GT(cases.size(), 10u);
    for (const Json& each : cases) {
        Result<RopePlan> rope = rope_of(each["keys"], each["dims"], each["base"]);
        ASSERT_TRUE(rope.ok()) << each["name"] << ": " << rope.error().message;
        EXPECT_NEAR(rope.value().magnitude, each["magnitude"].get<double>(), 1e-6) << each["name"];
        ASSERT_EQ(rope.value().frequencies.size(), each["frequencies"].size());
        for (size_t i = 0; i < rope.value().frequencies.size(); ++i) {
            const double expected = each["frequencies"][i];
            EXPECT_NEAR(rope.value().frequencies[i], expected, 2e-6 * expected) << each["name"] << ", pair " << i;
        }
    }
}

TEST(Rope, AFactorAloneIsLinear) {
    const auto frequencies = [](const Json& keys) { return rope_of(keys, 16, 1e4).value().frequencies; };
    const auto linear = frequencies({{"scaling.type", "linear"}, {"scaling.factor", 2.5}});
    EXPECT_EQ(frequencies({{"scaling.factor", 2.5}}), linear);
    EXPECT_EQ(frequencies({{"scale_linear", 2.5}}), linear);
    EXPECT_EQ(frequencies({{"scaling.factor", 1.0}}), frequencies(Json::object()));
    EXPECT_EQ(frequencies({{"scaling.type", "none"}, {"scaling.factor", 2.5}}), frequencies(Json::object()));
}

TEST(Rope, AKeyThatIsNotUnderstoodIsNotIgnored) {
    const Json linear = {{"scaling.type", "linear"}, {"scaling.factor", 2.5}};
    const Json yarn = {{"scaling.type", "yarn"}, {"scaling.factor", 4.0}, {"scaling.original_context_length", 32}};
    EXPECT_TRUE(rope_of(linear, 16, 1e4).ok() && rope_of(yarn, 16, 1e4).ok());
    const std::tuple<Json, std::string, Json> cases[] = {
        {yarn, "scaling.alpha", 1000.0},
        {yarn, "scaling.yarn_ext_factor", 0.5},
        {yarn, "scaling.yarn_ext_factor", 0.0},
        {yarn, "scaling.yarn_attn_factor", -1.0},
        {yarn, "scaling.yarn_log_multiplier", -1.0},
        {yarn, "scaling.yarn_beta_fast", "32"},
        {linear, "scaling.alpha", 1000.0},
        {linear, "scaling.yarn_attn_factor", 1.0},
        {linear, "scaling.attn_factor", 1.2},
        {{{"scaling.factor", 4.0}}, "scaling.yarn_beta_slow", 1.0},
    };
    for (auto [keys, name, value] : cases) {
        keys[name] = value;
        Result<RopePlan> rope = rope_of(keys, 16, 1e4);
        ASSERT_FALSE(rope.ok()) << keys;
        EXPECT_NE(rope.error().message.find("key llama.rope." + name), std::string::npos) << rope.error().message;
    }
    Json fine = yarn;
    fine.update({{"scaling.yarn_ext_factor", 1.0}, {"scaling.attn_factor", 1.5}});
    EXPECT_FLOAT_EQ(rope_of(fine, 16, 1e4).value().magnitude, 1.5f * rope_of(yarn, 16, 1e4).value().magnitude);
}

}  // namespace
}  // namespace godwit::test
