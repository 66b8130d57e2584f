// Invariant I2: logits of small seeded models, one a weight type, have the bits of tests/golden/bits.json: with the
// reference and with every kernel table that the machine can run. A change of these bits is a new version of
// docs/numerics.md.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "backend/cpu/choose_kernels.hpp"
#include "backend/cpu/cpu_device.hpp"
#include "backend/ops.hpp"
#include "cache/index/identity.hpp"
#include "engine/seeded_model.hpp"
#include "engine/solo.hpp"
#include "file/temp_dir.hpp"

namespace godwit::test {
namespace {

/// SHA-256 of the logits of all rows, as text.
std::string digest(const std::string& model_path, Device& device, KvFormat kv, int64_t step_rows) {
    auto model = Model::load(model_path, device);
    EXPECT_TRUE(model.ok()) << model.error().message;
    Result<Solo> solo =
        Solo::make(*model.value(), device, {.kv = kv, .step = {.rows = step_rows, .logit_rows = step_rows}});
    EXPECT_TRUE(solo.ok());
    std::vector<TokenId> tokens;
    for (int i = 0; i < 70; ++i) tokens.push_back((i * 37 + 1) % static_cast<TokenId>(kVocabulary));
    std::vector<uint8_t> all;
    EXPECT_TRUE(solo.value()
                    .extend_all(tokens,
                                [&](int64_t, std::span<const float> logits) {
                                    const auto bytes = std::as_bytes(logits);
                                    const auto* first = reinterpret_cast<const uint8_t*>(bytes.data());
                                    all.insert(all.end(), first, first + bytes.size());
                                })
                    .ok());
    std::string text;
    for (uint8_t byte : sha256(all).bytes) text += fmt::format("{:02x}", byte);
    return text;
}

TEST(Bits, AreThoseOfEveryOtherMachine) {
    std::ifstream in(GODWIT_TEST_DATA "/golden/bits.json");
    const nlohmann::json golden = nlohmann::json::parse(in);
    ASSERT_EQ(golden["numerics_version"], kNumericsVersion);
    TempDir folder;
    ThreadPool pool(2);
    nlohmann::json computed;
    for (DType dtype : kWeightTypes) {
        const std::string path =
            folder.write(fmt::format("{}.gguf", dtype_name(dtype)), seeded_llama({.dtype = dtype}, 17).bytes());
        for (const char* kv : {"f32", "f16"}) {
            const std::string name = fmt::format("{} {}", dtype_name(dtype), kv);
            SCOPED_TRACE(name);
            const KvFormat format = std::string(kv) == "f32" ? KvFormat::F32 : KvFormat::F16;
            reference::ReferenceDevice reference(pool);
            computed[name] = digest(path, reference, format, 64);
            const std::string want = golden["logits"].value(name, "");
            EXPECT_EQ(computed[name].get<std::string>(), want) << "reference";
            for (const cpu::Kernels* kernels : cpu::runnable_kernels()) {
                cpu::CpuDevice device(*kernels, pool);
                EXPECT_EQ(digest(path, device, format, kv[1] == '3' ? 64 : 7), want) << kernels->name;
            }
        }
    }
    if (HasFailure()) std::printf("computed by the reference: %s\n", computed.dump(1).c_str());
}

}  // namespace
}  // namespace godwit::test
