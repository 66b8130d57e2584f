// Tiny random-weight models made by Hugging Face transformers, converted to GGUF by the peer's converter, against the
// logits that transformers computed (tools/oracle/make_tiny_models.py). One test a model, sequence and KV format; the
// data are listed in data/models.json.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "backend/reference/reference_device.hpp"
#include "engine/solo.hpp"
#include "models/npy.hpp"

namespace godwit {
namespace {

std::string data_path(const std::string& name) { return std::string(GODWIT_TEST_DATA "/models/data/") + name; }

std::vector<TokenId> read_tokens(const std::string& name) {
    std::ifstream in(data_path(name));
    std::vector<TokenId> tokens;
    for (std::string each; std::getline(in, each, ',');) tokens.push_back(std::stoi(each));
    return tokens;
}

struct Case {
    std::string model, tokens, logits;
};

std::vector<Case> all_cases() {
    std::ifstream in(data_path("models.json"));
    nlohmann::json list = nlohmann::json::parse(in);
    std::vector<Case> cases;
    for (const auto& model : list["models"])
        for (const auto& sequence : model["sequences"])
            cases.push_back({model["file"], sequence["tokens"], sequence["logits"]});
    return cases;
}

/// Logits of all tokens, in steps of `rows`.
std::vector<float> compute(const Model& model, Device& device, std::span<const TokenId> tokens, KvFormat kv,
                           int64_t rows) {
    EngineSettings settings{.context = 0, .sequences = 1, .kv = kv, .step = {.rows = rows, .logit_rows = rows}};
    Result<Solo> solo = Solo::make(model, device, settings);
    std::vector<float> all;
    Result<void> extended = solo.value().extend_all(
        tokens, [&](int64_t, std::span<const float> logits) { all.insert(all.end(), logits.begin(), logits.end()); });
    EXPECT_TRUE(extended.ok());
    return all;
}

/// max|a − b| / max|b|, the greatest over all rows.
double worst_error(const std::vector<float>& got, const NpyMatrix& expected) {
    double worst = 0;
    for (int64_t r = 0; r < expected.rows; ++r) {
        double difference = 0, greatest = 0;
        for (int64_t c = 0; c < expected.columns; ++c) {
            int64_t i = r * expected.columns + c;
            difference = std::max(difference, std::abs(double{got[i]} - expected.values[i]));
            greatest = std::max(greatest, std::abs(double{expected.values[i]}));
        }
        worst = std::max(worst, difference / greatest);
    }
    return worst;
}

int64_t argmax(const float* row, int64_t columns) { return std::max_element(row, row + columns) - row; }

class Golden : public testing::TestWithParam<Case> {
protected:
    ThreadPool pool_{2};
    reference::ReferenceDevice device_{pool_};
};

TEST_P(Golden, LogitsEqualTransformers) {
    Result<std::unique_ptr<Model>> model = Model::load(data_path(GetParam().model), device_);
    ASSERT_TRUE(model.ok()) << model.error().message;
    std::vector<TokenId> tokens = read_tokens(GetParam().tokens);
    NpyMatrix expected = read_npy(data_path(GetParam().logits));
    ASSERT_EQ(expected.rows, static_cast<int64_t>(tokens.size()));
    for (KvFormat kv : {KvFormat::F32, KvFormat::F16}) {
        SCOPED_TRACE(kv_format_name(kv));
        std::vector<float> whole = compute(*model.value(), device_, tokens, kv, 64);
        ASSERT_EQ(whole.size(), expected.values.size());
        EXPECT_LE(worst_error(whole, expected), kv == KvFormat::F32 ? 1e-4 : 3e-3);
        for (int64_t r = 0; r < expected.rows; ++r)
            EXPECT_EQ(argmax(&whole[r * expected.columns], expected.columns),
                      argmax(&expected.values[r * expected.columns], expected.columns))
                << "row " << r;
        // Invariant I1: however the prompt is cut, the same bits.
        for (int64_t rows : {1, 7}) {
            std::vector<float> stepwise = compute(*model.value(), device_, tokens, kv, rows);
            EXPECT_EQ(std::memcmp(whole.data(), stepwise.data(), whole.size() * sizeof(float)), 0)
                << "steps of " << rows;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Models, Golden, testing::ValuesIn(all_cases()), [](const testing::TestParamInfo<Case>& each) {
    std::string name = each.param.logits.substr(0, each.param.logits.rfind('.'));
    std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
    return name;
});

}  // namespace
}  // namespace godwit
