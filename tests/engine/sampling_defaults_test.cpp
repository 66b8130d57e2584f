// What a model file recommends for sampling: followed where it makes sense, a warning where it does not, never a fault.
#include "engine/sampling_defaults.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "file/gguf_writer.hpp"
#include "file/model_file.hpp"

namespace godwit::test {
namespace {

SamplingDefaults defaults_of(const GgufWriter& file) {
    const std::string bytes = file.bytes();
    auto read = ModelFile::from_bytes(as_bytes(bytes));
    EXPECT_TRUE(read.ok());
    return read_sampling_defaults(read.value().metadata());
}

GgufWriter file() {
    GgufWriter file;
    file.set("general.architecture", "llama");
    return file;
}

TEST(SamplingDefaults, AreTheBuiltInOnesWithoutAWordOfTheFile) {
    const SamplingDefaults defaults = defaults_of(file());
    EXPECT_EQ(defaults.params.temperature, 0.8f);
    EXPECT_EQ(defaults.params.top_k, 40);
    EXPECT_EQ(defaults.params.top_p, 0.95f);
    EXPECT_EQ(defaults.params.min_p, 0.05f);
    EXPECT_EQ(defaults.params.repetition_penalty, 1);
    EXPECT_TRUE(defaults.warnings.empty());
}

TEST(SamplingDefaults, FollowTheFile) {
    const SamplingDefaults defaults = defaults_of(file()
                                                      .set("general.sampling.temp", 0.6f)
                                                      .set("general.sampling.top_k", int32_t{20})
                                                      .set("general.sampling.top_p", 0.9)
                                                      .set("general.sampling.min_p", 0.0f)
                                                      .set("general.sampling.penalty_repeat", 1.1f));
    EXPECT_EQ(defaults.params.temperature, 0.6f);
    EXPECT_EQ(defaults.params.top_k, 20);
    EXPECT_EQ(defaults.params.top_p, 0.9f);
    EXPECT_EQ(defaults.params.min_p, 0);
    EXPECT_EQ(defaults.params.repetition_penalty, 1.1f);
    EXPECT_TRUE(defaults.warnings.empty());
}

TEST(SamplingDefaults, LeaveOutWhatMakesNoSense) {
    const std::pair<const char*, void (*)(GgufWriter&, const char*)> cases[] = {
        {"temp", [](GgufWriter& f, const char* key) { f.set(key, std::numeric_limits<float>::quiet_NaN()); }},
        {"temp", [](GgufWriter& f, const char* key) { f.set(key, -1.0f); }},
        {"temp", [](GgufWriter& f, const char* key) { f.set(key, "warm"); }},
        {"temp", [](GgufWriter& f, const char* key) { f.set(key, 1e300); }},
        {"top_k", [](GgufWriter& f, const char* key) { f.set(key, int32_t{-1}); }},
        {"top_k", [](GgufWriter& f, const char* key) { f.set(key, 40.0f); }},
        {"top_p", [](GgufWriter& f, const char* key) { f.set(key, 1.5f); }},
        {"min_p", [](GgufWriter& f, const char* key) { f.set(key, -0.1f); }},
        {"penalty_repeat", [](GgufWriter& f, const char* key) { f.set(key, 0.0f); }},
        {"mirostat", [](GgufWriter& f, const char* key) { f.set(key, uint32_t{2}); }},
    };
    for (const auto& [name, set] : cases) {
        const std::string key = std::string("general.sampling.") + name;
        GgufWriter bad = file();
        set(bad, key.c_str());
        bad.set("general.sampling.top_k_", uint32_t{1}).set("general.sampling_note", "x");
        const SamplingDefaults defaults = defaults_of(bad);
        ASSERT_EQ(defaults.warnings.size(), 2u) << key;
        EXPECT_NE(defaults.warnings[0].find("key " + key + ": "), std::string::npos) << defaults.warnings[0];
        EXPECT_TRUE(defaults.warnings[0].ends_with("; ignored")) << defaults.warnings[0];
        EXPECT_EQ(defaults.params.temperature, 0.8f);
        EXPECT_EQ(defaults.params.top_k, 40);
    }
}

}  // namespace
}  // namespace godwit::test
