// Which files of a repository a name means. The lists are shaped like those of public repositories.
#include "hub/model_name.hpp"

#include <gtest/gtest.h>

namespace godwit {
namespace {

std::vector<Variant> variants(std::initializer_list<const char*> paths) {
    std::vector<RepoFile> files;
    for (const char* path : paths) files.push_back({path, 10});
    return variants_of(files);
}

std::vector<std::string> quants(std::initializer_list<const char*> paths) {
    std::vector<std::string> names;
    for (const Variant& variant : variants(paths)) names.push_back(variant.quant);
    return names;
}

using Names = std::vector<std::string>;

TEST(ModelName, Forms) {
    for (const char* text :
         {"org/repo", "hf.co/org/repo", "HF.co/org/repo", "huggingface.co/org/repo", "https://hf.co/org/repo"}) {
        Result<ModelName> name = parse_model_name(text);
        ASSERT_TRUE(name.ok()) << text;
        EXPECT_EQ(name.value().repo, "org/repo");
        EXPECT_EQ(name.value().quant, "");
    }
    ModelName name = parse_model_name("hf.co/Qwen/Qwen2.5_x-0.5B:q4_k_m").take();
    EXPECT_EQ(name.repo, "Qwen/Qwen2.5_x-0.5B");
    EXPECT_EQ(name.quant, "q4_k_m");
}

TEST(ModelName, Refused) {
    for (const char* text : {"", "org", "org/", "/repo", "org/repo/", "org/repo/more", "../repo", "org/..", "org/a..b",
                             "org/.git", "o--g/r", "org/repo:", "org/repo:a/b", "org/repo:..", "org repo/x",
                             "org/re\x01po", "example.com/org/repo", "org/r%2fo"})
        EXPECT_FALSE(parse_model_name(text).ok()) << text;
    EXPECT_FALSE(parse_model_name("org/" + std::string(97, 'a')).ok());
}

TEST(ModelName, ThatLooksLikeOne) {
    EXPECT_TRUE(looks_like_model_name("org/repo"));
    EXPECT_TRUE(looks_like_model_name("org/repo:Q8_0"));
    for (const char* text :
         {"model.gguf", "folder/model.gguf", "folder/MODEL.GGUF", "./org/repo", "/org/repo", "repo", ""})
        EXPECT_FALSE(looks_like_model_name(text)) << text;
}

TEST(Variants, OrderOfChoice) {
    EXPECT_EQ(quants({"m-F16.gguf", "m-IQ2_XS.gguf", "m-Q2_K.gguf", "m-Q3_K_L.gguf", "m-Q4_0.gguf", "m-Q4_K_M.gguf",
                      "m-Q5_K_M.gguf", "m-Q6_K.gguf", "m-Q8_0.gguf"}),
              (Names{"Q4_K_M", "Q4_0", "Q5_K_M", "Q6_K", "Q8_0", "Q3_K_L", "F16", "IQ2_XS", "Q2_K"}));
}

TEST(Variants, NamesOfQuantisations) {
    EXPECT_EQ(quants({"a.q4_1.gguf"}), Names{"Q4_1"});
    EXPECT_EQ(quants({"BF16/model-BF16.gguf"}), Names{"BF16"});
    EXPECT_EQ(quants({"UD-Q4_K_XL/x-UD-Q4_K_XL.gguf"}), Names{"UD-Q4_K_XL"});
    EXPECT_EQ(quants({"gpt-oss-20b-mxfp4.gguf"}), Names{"MXFP4"});
    EXPECT_EQ(quants({"Q8_0/model.gguf"}), Names{"Q8_0"}) << "the folder says it";
    EXPECT_EQ(quants({"folder/tinyllama.gguf"}), Names{"tinyllama"});
    EXPECT_EQ(quants({"one-Q4_0.gguf", "two-Q4_0.gguf"}), (Names{"Q4_0", "two-Q4_0"})) << "each has a name of its own";
}

TEST(Variants, WhatIsNoModel) {
    EXPECT_EQ(quants({"README.md", "mmproj-F16.gguf", "x.mmproj-Q8_0.gguf", "imatrix_x.gguf", ".gguf", "../x-Q4_0.gguf",
                      "/x-Q4_0.gguf", "a//x-Q4_0.gguf", "a/./x-Q4_0.gguf", "x\\-Q4_0.gguf", "x\n-Q4_0.gguf"}),
              Names{});
}

TEST(Variants, SplitFiles) {
    std::vector<Variant> found =
        variants({"m-Q4_K_M-00002-of-00002.gguf", "m-Q4_K_M-00001-of-00002.gguf", "m-Q8_0-00001-of-00003.gguf",
                  "m-Q8_0-00003-of-00003.gguf", "n-00000-of-00002.gguf", "n-00003-of-00002.gguf"});
    ASSERT_EQ(found.size(), 4u);
    EXPECT_EQ(found[0].quant, "Q4_K_M");
    ASSERT_EQ(found[0].files.size(), 2u);
    EXPECT_EQ(found[0].files[0].path, "m-Q4_K_M-00001-of-00002.gguf");
    EXPECT_EQ(found[0].bytes(), 20u);
    EXPECT_EQ(found[1].files.size(), 2u);
    EXPECT_EQ(found[1].parts, 3u);
    EXPECT_EQ(found[2].parts, 1u) << "a part that cannot be is a file of its own";
}

TEST(Variants, Choice) {
    std::vector<Variant> found = variants({"m-Q8_0.gguf", "m-Q4_K_S.gguf", "m-Q6_K-00001-of-00002.gguf"});
    EXPECT_EQ(choose_variant(found, {"o/r", ""}).take().quant, "Q4_K_S");
    EXPECT_EQ(choose_variant(found, {"o/r", "q8_0"}).take().quant, "Q8_0");
    Result<Variant> none = choose_variant(found, {"o/r", "Q4_K"});
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().message, "o/r: no Q4_K in it (it has Q4_K_S, Q6_K, Q8_0)");
    Result<Variant> part = choose_variant(found, {"o/r", "Q6_K"});
    ASSERT_FALSE(part.ok());
    EXPECT_EQ(part.error().message, "o/r:Q6_K: 1 of 2 parts are there");
    EXPECT_FALSE(choose_variant({}, {"o/r", ""}).ok());
}

}  // namespace
}  // namespace godwit
