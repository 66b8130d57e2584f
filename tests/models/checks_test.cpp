// What a model file may not hold beyond the shared bad files: numbers that would give NaN after some tokens, tensors
// that would be ignored.
#include <gtest/gtest.h>

#include "backend/reference/reference_device.hpp"
#include "engine/seeded_model.hpp"
#include "file/temp_dir.hpp"
#include "model/model.hpp"

namespace godwit::test {
namespace {

Result<CheckedModel> check(const GgufWriter& file) {
    TempDir dir;
    ThreadPool pool(1);
    reference::ReferenceDevice device(pool);
    return check_model(dir.write("model.gguf", file.bytes()), device);
}

std::string fault_of(const GgufWriter& file) {
    Result<CheckedModel> checked = check(file);
    return checked.ok() ? "" : checked.error().message;
}

GgufWriter small() {
    return seeded_llama({.embedding = 32, .layers = 1, .heads = 4, .kv_heads = 2, .ffn = 48, .context = 64}, 1);
}

void expect_mentions(const std::string& text, const std::string& word) {
    EXPECT_NE(text.find(word), std::string::npos) << "'" << text << "' without '" << word << "'";
}

TEST(Checks, TheModelItselfIsFine) { EXPECT_EQ(fault_of(small()), ""); }

TEST(Checks, RopeFrequenciesThatGiveNan) {
    GgufWriter scaled = small();
    scaled.set("llama.rope.scaling.type", "linear").set("llama.rope.scaling.factor", 1e-30f);
    expect_mentions(fault_of(scaled), "rope");
    for (float divisor : {0.0f, 1e-38f, std::numeric_limits<float>::quiet_NaN()}) {
        GgufWriter divided = small();
        divided.tensor("rope_freqs.weight", {4}, DType::F32,
                       raw_bytes(1.0f) + raw_bytes(1.0f) + raw_bytes(1.0f) + raw_bytes(divisor));
        expect_mentions(fault_of(divided), "rope_freqs.weight");
    }
}

TEST(Checks, ExtentsOfOneAtTheEndAreNoDifference) {
    GgufWriter padded = small();
    for (GgufWriter::Tensor& tensor : padded.tensors) tensor.dims.resize(4, 1);
    padded.tensor("rope_freqs.weight", {4, 1}, DType::F32, std::string(16, '\x3f'));
    EXPECT_EQ(fault_of(padded), "");
    padded.tensors[0].dims[2] = 2;
    padded.tensors[0].data += padded.tensors[0].data;
    expect_mentions(fault_of(padded), "shape");
}

TEST(Checks, IdsThatNothingNeedsAreLeftOutWithAWarning) {
    GgufWriter odd = small();
    odd.set("tokenizer.ggml.padding_token_id", int32_t{-1}).set("tokenizer.ggml.mask_token_id", 99999u);
    odd.set("tokenizer.ggml.unknown_token_id", 0xFFFFFFFFu).set("tokenizer.ggml.fim_pre_token_id", "none");
    odd.set("tokenizer.chat_template", "{{ pad_token }}{{ messages[0].content }}");
    Result<CheckedModel> checked = check(odd);
    ASSERT_TRUE(checked.ok()) << checked.error().message;
    ASSERT_EQ(checked.value().warnings.size(), 4u);
    const char* keys[] = {"padding", "mask", "unknown", "fim_pre"};
    for (size_t i = 0; i < 4; ++i)
        expect_mentions(checked.value().warnings[i], fmt::format("key tokenizer.ggml.{}_token_id: ", keys[i]));
    EXPECT_TRUE(check(small()).value().warnings.empty());
}

TEST(Checks, TensorsThatNobodyUses) {
    GgufWriter strange = small();
    strange.tensor("blk.0.attn_sinks.weight", {4}, DType::F32);
    expect_mentions(fault_of(strange), "blk.0.attn_sinks.weight: unexpected");
    GgufWriter divided = small();  // used by llama, by qwen3 not
    divided.tensor("rope_freqs.weight", {4}, DType::F32, std::string(16, '\x3f'));
    EXPECT_EQ(fault_of(divided), "");
    for (GgufWriter::Key& key : divided.keys) {
        if (key.name == "general.architecture") key.payload = gguf_string("qwen3");
        if (key.name.starts_with("llama.")) key.name.replace(0, 5, "qwen3");
    }
    for (const char* norm : {"blk.0.attn_q_norm.weight", "blk.0.attn_k_norm.weight"})
        divided.tensor(norm, {8}, DType::F32, std::string(32, '\x3f'));
    expect_mentions(fault_of(divided), "rope_freqs.weight: unexpected");
}

TEST(Checks, ChatTemplatesThatCannotRender) {
    GgufWriter broken = small();
    broken.set("tokenizer.chat_template", "{{ messages[0].content }}")
        .set("tokenizer.chat_template.tool_use", "{% if %}");
    expect_mentions(fault_of(broken), "key tokenizer.chat_template.tool_use: template line 1: ");
    GgufWriter endless = small();
    endless.set("tokenizer.chat_template",
                "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}");
    expect_mentions(fault_of(endless), "key tokenizer.chat_template: template line 1: the template needs more than");
    GgufWriter number = small();
    expect_mentions(fault_of(number.set("tokenizer.chat_template", 1u)), "key tokenizer.chat_template: ");
}

}  // namespace
}  // namespace godwit::test
