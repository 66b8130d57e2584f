// What people and other tools write for a model.
#include "hub/model_name.hpp"

#include <gtest/gtest.h>

namespace godwit {
namespace {

TEST(ModelName, Forms) {
    const struct {
        const char *text, *repo, *tag;
    } kCases[] = {
        {"org/repo", "org/repo", ""},
        {"hf.co/org/repo", "org/repo", ""},
        {"HF.co/org/repo", "org/repo", ""},
        {"huggingface.co/org/repo", "org/repo", ""},
        {"https://hf.co/org/repo", "org/repo", ""},
        {"hf://org/repo", "org/repo", ""},
        {"org/repo:latest", "org/repo", ""},        // Ollama
        {"hf.co/org/repo:Latest", "org/repo", ""},  // Ollama
        {"org/repo@q4_k_m", "org/repo", "q4_k_m"},  // LM Studio
        {"hf.co/org/repo:x-Q4_K_M.gguf", "org/repo", "x-Q4_K_M.gguf"},
        {"org/repo:größe-Q8_0", "org/repo", "größe-Q8_0"},
        {"https://huggingface.co/org/repo/", "org/repo", ""},
        {"https://huggingface.co/org/repo/tree/main", "org/repo", ""},
        {"https://huggingface.co/org/repo?library=gguf", "org/repo", ""},
        {"https://huggingface.co/org/repo/blob/main/x-Q4_K_M.gguf", "org/repo", "x-Q4_K_M.gguf"},
        {"https://huggingface.co/org/repo/resolve/main/Q6_K/x-Q6_K-00001-of-00003.gguf?download=true", "org/repo",
         "x-Q6_K-00001-of-00003.gguf"},
        {"hf.co/Qwen/Qwen2.5_x-0.5B:q4_k_m", "Qwen/Qwen2.5_x-0.5B", "q4_k_m"},
    };
    for (const auto& [text, repo, tag] : kCases) {
        Result<ModelName> name = parse_model_name(text);
        ASSERT_TRUE(name.ok()) << text;
        EXPECT_EQ(name.value().repo, repo) << text;
        EXPECT_EQ(name.value().tag, tag) << text;
    }
}

TEST(ModelName, Refused) {
    for (const char* text : {"",
                             "org",
                             "org/",
                             "/repo",
                             "org/repo/",
                             "org/repo/more",
                             "../repo",
                             "org/..",
                             "org/a..b",
                             "org/.git",
                             "o--g/r",
                             "org/repo:",
                             "org/repo@",
                             "org/repo:a/b",
                             "org/repo:..",
                             "org/repo:a\nb",
                             "org repo/x",
                             "org/re\x01po",
                             "example.com/org/repo",
                             "org/r%2fo",
                             "hf.co/org",
                             "hf.co/",
                             "hf.co/org/repo/tree/other",
                             "hf.co/org/repo/blob/other/x.gguf",
                             "hf.co/org/repo/blob/main/..",
                             "hf.co/org/repo/more"})
        EXPECT_FALSE(parse_model_name(text).ok()) << text;
    EXPECT_FALSE(parse_model_name("org/" + std::string(97, 'a')).ok());
}

TEST(ModelName, ThatLooksLikeOne) {
    for (const char* text : {"org/repo", "org/repo:Q8_0", "org/repo:x.gguf"})
        EXPECT_TRUE(looks_like_model_name(text)) << text;
    for (const char* text :
         {"model.gguf", "folder/model.gguf", "folder/MODEL.GGUF", "./org/repo", "/org/repo", "repo", ""})
        EXPECT_FALSE(looks_like_model_name(text)) << text;
}

}  // namespace
}  // namespace godwit
