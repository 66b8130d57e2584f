// Small models made in the test: of a seed (every weight dtype, wide enough for blocks of 256), or such that each token
// decides the next.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "backend/weight_maker.hpp"
#include "file/gguf_writer.hpp"

namespace godwit::test {

/// A llama of any size. Matrices need rows of whole blocks of `dtype`.
struct LlamaShape {
    int64_t embedding = 512, layers = 2, heads = 8, kv_heads = 2, ffn = 768, context = 256;
    DType dtype = DType::F32;
};

/// <unk>, <s>, </s>, the 256 byte tokens, then pieces.
inline constexpr int32_t kUnknown = 0, kBos = 1, kEos = 2, kByte0 = 3, kPiece0 = 259;
inline constexpr const char* kPieces[] = {
    "▁",  "▁A", "▁B", "▁C", "▁D", "▁E", "▁F", "▁G", "▁H", "▁I", "▁J", "▁K", "▁L", "▁M", "▁N", "▁O", "▁P", "▁Q", "▁R",
    "▁S", "▁T", "▁U", "▁V", "▁W", "▁X", "▁Y", "▁Z", "A",  "B",  "C",  "D",  "E",  "F",  "G",  "H",  "I",  "J",  "K",
    "L",  "M",  "N",  "O",  "P",  "Q",  "R",  "S",  "T",  "U",  "V",  "W",  "X",  "Y",  "Z",  "?",  "!",  "é"};
inline constexpr int64_t kVocabulary = kPiece0 + static_cast<int64_t>(std::size(kPieces));

inline int32_t byte_token(unsigned char byte) { return kByte0 + byte; }
inline int32_t piece(std::string_view text) {
    for (size_t i = 0; i < std::size(kPieces); ++i)
        if (kPieces[i] == text) return kPiece0 + static_cast<int32_t>(i);
    ADD_FAILURE() << "no piece " << text;
    return kUnknown;
}

/// Keys of a llama with the vocabulary above.
inline GgufWriter llama_keys(const LlamaShape& shape) {
    GgufWriter file;
    file.set("general.architecture", "llama");
    auto set = [&](const char* name, int64_t value) {
        file.set(std::string("llama.") + name, static_cast<uint32_t>(value));
    };
    set("block_count", shape.layers);
    set("context_length", shape.context);
    set("embedding_length", shape.embedding);
    set("feed_forward_length", shape.ffn);
    set("attention.head_count", shape.heads);
    set("attention.head_count_kv", shape.kv_heads);
    file.set("llama.attention.layer_norm_rms_epsilon", 1e-5f);
    std::vector<std::string> tokens = {"<unk>", "<s>", "</s>"};
    std::vector<int32_t> types = {2, 3, 3};
    for (int byte = 0; byte < 256; ++byte) tokens.push_back(fmt::format("<0x{:02X}>", byte)), types.push_back(6);
    for (const char* text : kPieces) tokens.push_back(text), types.push_back(1);
    std::vector<float> scores(tokens.size());
    for (size_t i = 0; i < scores.size(); ++i) scores[i] = -static_cast<float>(i);
    file.set("tokenizer.ggml.model", "llama");
    file.strings("tokenizer.ggml.tokens", tokens)
        .array("tokenizer.ggml.scores", scores)
        .array("tokenizer.ggml.token_type", types);
    file.set("tokenizer.ggml.bos_token_id", uint32_t{kBos}).set("tokenizer.ggml.eos_token_id", uint32_t{kEos});
    return file;
}

/// Adds the tensors. `weights(name, count)` are the bytes of a matrix, `norm(count)` those of a norm's vector.
inline void add_llama_tensors(GgufWriter& file, const LlamaShape& shape,
                              const std::function<std::string(const std::string&, int64_t)>& weights,
                              const std::function<std::string(int64_t)>& norm) {
    int64_t d = shape.embedding, kv = d / shape.heads * shape.kv_heads;
    auto matrix = [&](const std::string& name, int64_t in, int64_t out) {
        file.tensor(name, {static_cast<uint64_t>(in), static_cast<uint64_t>(out)}, shape.dtype,
                    weights(name, in * out));
    };
    auto vector = [&](const std::string& name) { file.tensor(name, {static_cast<uint64_t>(d)}, DType::F32, norm(d)); };
    matrix("token_embd.weight", d, kVocabulary);
    matrix("output.weight", d, kVocabulary);
    vector("output_norm.weight");
    for (int64_t layer = 0; layer < shape.layers; ++layer) {
        std::string blk = fmt::format("blk.{}.", layer);
        vector(blk + "attn_norm.weight");
        matrix(blk + "attn_q.weight", d, d);
        matrix(blk + "attn_k.weight", d, kv);
        matrix(blk + "attn_v.weight", d, kv);
        matrix(blk + "attn_output.weight", d, d);
        vector(blk + "ffn_norm.weight");
        matrix(blk + "ffn_gate.weight", d, shape.ffn);
        matrix(blk + "ffn_up.weight", d, shape.ffn);
        matrix(blk + "ffn_down.weight", shape.ffn, d);
    }
}

inline GgufWriter seeded_llama(const LlamaShape& shape, uint64_t seed) {
    WeightMaker maker(seed);
    GgufWriter file = llama_keys(shape);
    add_llama_tensors(
        file, shape, [&](const std::string&, int64_t count) { return maker.weights(shape.dtype, count); },
        [&](int64_t count) { return maker.floats(count, 1, 0.1f); });
    return file;
}

/// A model that says next(a) after every a: one-hot embeddings, layers that add nothing, and an output row b with a one
/// at every a before b. Where next() is negative all tokens are equally likely. `strength` × 18 is the logit of the
/// next token; others have 0.
inline GgufWriter chain_llama(const std::function<int32_t(int32_t)>& next, int64_t context = 256, float strength = 10) {
    constexpr int64_t kDim = 320;  // at least one a token
    static_assert(kVocabulary <= kDim);
    LlamaShape shape{.embedding = kDim, .layers = 1, .heads = 4, .kv_heads = 1, .ffn = 32, .context = context};
    std::vector<float> embedding(kDim * kVocabulary), output(kDim * kVocabulary);
    for (int32_t a = 0; a < kVocabulary; ++a) {
        embedding[a * kDim + a] = 1;
        if (int32_t b = next(a); b >= 0) output[b * kDim + a] = strength;
    }
    auto bytes = [](const std::vector<float>& values) {
        return std::string(reinterpret_cast<const char*>(values.data()), values.size() * 4);
    };
    GgufWriter file = llama_keys(shape);
    add_llama_tensors(
        file, shape,
        [&](const std::string& name, int64_t count) {
            if (name == "token_embd.weight") return bytes(embedding);
            if (name == "output.weight") return bytes(output);
            return std::string(count * 4, '\0');
        },
        [&](int64_t count) { return bytes(std::vector<float>(count, 1)); });
    return file;
}

}  // namespace godwit::test
