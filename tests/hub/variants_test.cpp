// Which files of a repository a name means. The lists are shaped like those of public repositories.
#include "hub/variants.hpp"

#include <gtest/gtest.h>

#include "backend/cpu/packed.hpp"
#include "hub/quantisation.hpp"
#include "hub/resolve_model.hpp"
#include "tensor/dtype.hpp"

namespace godwit {
namespace {

using Names = std::vector<std::string>;

RepoModels models(const Names& paths) {
    std::vector<RepoFile> files;
    for (const std::string& path : paths) files.push_back({path, 10});
    return models_of(files);
}

Names quants(const Names& paths) {
    Names names;
    for (const Variant& variant : models(paths).variants) names.push_back(variant.tag);
    return names;
}

std::string chosen(const Names& paths, const std::string& tag = "") {
    Result<Variant> variant = choose_variant(models(paths), {"o/r", tag});
    return variant.ok() ? variant.value().files.front().path : variant.error().message;
}

TEST(Quantisations, AreFoundInNames) {
    const std::pair<const char*, const char*> kCases[] = {
        {"a.q4_1", "Q4_1"},
        {"a-fp16", "F16"},
        {"a_F32", "F32"},
        {"a_Q4_K_M", "Q4_K_M"},
        {"a-q4-k-m", "Q4_K_M"},
        {"a-q4", "Q4"},
        {"a Q5_K_S", "Q5_K_S"},
        {"BF16/model", "BF16"},
        {"Q8_0/model-IQ4_XS", "IQ4_XS"},
        {"a.i1-IQ2_XXS", "IQ2_XXS"},
        {"a-TQ1_0", "TQ1_0"},
        {"a-Q4_0_4_4", "Q4_0_4_4"},
        {"a-mxfp4", "MXFP4"},
        {"a-MXFP4_MOE", "MXFP4_MOE"},
        {"a-UD-Q4_K_XL", "UD-Q4_K_XL"},
        {"phi.f16.q6", "Q6"},
        {"a-Q4_K_M-imat", "Q4_K_M"},
        {"a-Q6_K-v2", "Q6_K"},
        {"größe_q8_0", "Q8_0"},
        {"Qwen2.5-7B", ""},
        {"q4bert", ""},
        {"iq", ""},
        {"", ""},
    };
    for (const auto& [path, name] : kCases) EXPECT_EQ(find_quantisation(path), name) << path;
    EXPECT_EQ(as_quantisation("q4-k-m"), "Q4_K_M");
    EXPECT_EQ(as_quantisation("ud-q4_k_xl"), "UD-Q4_K_XL");
    for (const char* text : {"x-Q4_K_M", "Q4_K_M-x", "", "ud", "-"}) EXPECT_EQ(as_quantisation(text), "") << text;
}

/// "Q4_K" of "Q4_K_M".
DType type_of(std::string_view quantisation) {
    if (quantisation == "Q8_K_XL") return DType::Q8_0;  // mixed with floats
    for (size_t size = quantisation.size(); size > 0; --size)
        for (const DTypeInfo& info : kDTypes)
            if (info.name == quantisation.substr(0, size)) return info.dtype;
    ADD_FAILURE() << quantisation;
    return DType::F32;
}

TEST(Quantisations, ThatCountAsFastHaveKernels) {
    for (std::string_view name : fast_quantisations())
        if (name.size() > 2) {  // "Q4" alone names no type
            EXPECT_TRUE(cpu::can_pack(type_of(name))) << name;
        }
    for (std::string_view name : slow_quantisations()) EXPECT_FALSE(cpu::can_pack(type_of(name))) << name;
    for (const DTypeInfo& info : kDTypes)
        if (cpu::can_pack(info.dtype)) {
            EXPECT_LT(preference(info.name), preference("Q3_K")) << info.name;
        }
}

TEST(Variants, OrderOfChoice) {
    EXPECT_EQ(
        quants({"m-F16.gguf", "m-IQ2_XS.gguf", "m-Q2_K.gguf", "m-Q3_K_L.gguf", "m-Q4_0.gguf", "m-Q4_K_M.gguf",
                "m-Q5_K_M.gguf", "m-Q6_K.gguf", "m-Q8_0.gguf", "m-UD-Q4_K_XL.gguf", "m.gguf"}),
        (Names{"Q4_K_M", "Q4_0", "Q5_K_M", "Q6_K", "Q8_0", "F16", "UD-Q4_K_XL", "Q3_K_L", "Q2_K", "m", "IQ2_XS"}));
    EXPECT_EQ(chosen({"m-fp16.gguf", "m-q4.gguf"}), "m-q4.gguf");
    EXPECT_EQ(chosen({"m-IQ4_XS.gguf", "m-Q5_K_M.gguf", "m-Q8_0.gguf"}), "m-Q5_K_M.gguf");
    EXPECT_EQ(chosen({"m_F32.gguf", "m_Q4_K_M.gguf"}), "m_Q4_K_M.gguf");
    EXPECT_EQ(chosen({"M-IQ4_NL.GGUF", "M-Q8_0.GGUF"}), "M-Q8_0.GGUF");
    EXPECT_FALSE(may_run("IQ4_XS"));
    EXPECT_TRUE(may_run("Q2_K") && may_run(""));
}

TEST(Variants, Names) {
    EXPECT_EQ(quants({"folder/tinyllama.gguf"}), Names{"tinyllama"});
    EXPECT_EQ(quants({"größe.gguf"}), Names{"größe"});
    Names same{"a/m-Q4_0.gguf", "b/m-Q4_0.gguf", "c/m-Q4_0.gguf"};
    EXPECT_EQ(quants(same), (Names{"Q4_0", "m-Q4_0", "c-m-Q4_0"})) << "each has a name of its own";
    for (const char* tag : {"Q4_0", "q4_0"}) EXPECT_EQ(chosen(same, tag), same[0]) << tag;
    EXPECT_EQ(chosen(same, "m-Q4_0"), same[1]);
    EXPECT_EQ(chosen(same, "c-m-q4_0"), same[2]);
    EXPECT_EQ(chosen({same[2]}, "c-m-Q4_0"), same[2]) << "also where it is the only one there";
    EXPECT_EQ(chosen({same[1]}, "m-Q4_0.gguf"), same[1]);
    EXPECT_EQ(chosen({"m_fp16.gguf"}, "f16"), "m_fp16.gguf");
    EXPECT_EQ(chosen({"m_f16.gguf"}, "FP16"), "m_f16.gguf");
    EXPECT_EQ(chosen({"Q6_K/m-00001-of-00002.gguf", "Q6_K/m-00002-of-00002.gguf"}, "m-00001-of-00002.gguf"),
              "Q6_K/m-00001-of-00002.gguf");
}

TEST(Variants, WhatIsNoModel) {
    EXPECT_EQ(quants({"README.md", ".gguf", "../x-Q4_0.gguf", "/x-Q4_0.gguf", "a//x-Q4_0.gguf", "a/./x-Q4_0.gguf",
                      "x\\-Q4_0.gguf", "x\n-Q4_0.gguf", "x\xff-Q4_0.gguf", "x\xe2\x80\xae-Q4_0.gguf"}),
              Names{});
}

TEST(Variants, HelpersAreLeftOut) {
    const std::pair<const char*, const char*> kHelpers[] = {
        {"mmproj-F16.gguf", "projector"},
        {"x.MMPROJ-Q4_K_M.gguf", "projector"},
        {"x-mmproj_Q4_K_M.gguf", "projector"},
        {"imatrix_x.gguf", "importance matrix"},
        {"x.imatrix.gguf", "importance matrix"},
        {"MTP/mtp-acme-7b-Q4_K_M.gguf", "draft model"},
        {"dflash-acme-Q4_K_M.gguf", "draft model"},
        {"acme.EAGLE3.Q4_K_M.gguf", "draft model"},
        {"Draft/acme-Q4_K_M.gguf", "draft model"},
        {"acme_draft_Q4_K_M.gguf", "draft model"},
        {"acme-lora-Q4_K_M.gguf", "adapter"},
        {"adapters/style-Q4_K_M.gguf", "adapter"},
        {"control-vector-happy-Q4_K_M.gguf", "control vector"},
        {"control_vectors/happy-Q4_K_M.gguf", "control vector"},
    };
    for (const auto& [path, kind] : kHelpers) {
        RepoModels found = models({path, "acme-7b-Q8_0.gguf"});
        EXPECT_EQ(found.variants.size(), 1u) << path;
        ASSERT_EQ(found.helpers.size(), 1u) << path;
        EXPECT_EQ(found.helpers[0].kind, kind) << path;
        EXPECT_EQ(chosen({path, "acme-7b-Q8_0.gguf"}, "Q4_K_M"), "o/r: no Q4_K_M in it (it has Q8_0)") << path;
    }
    EXPECT_EQ(chosen({"acme-7b-Q4_K_M.gguf", "MTP/mtp-acme-7b-Q4_K_M.gguf"}, "Q4_K_M"), "acme-7b-Q4_K_M.gguf");
    for (const char* path :
         {"Draftsman-7B-Q4_K_M.gguf", "Explora-Q4_K_M.gguf", "eagle-7b-Q4_K_M.gguf", "controller-Q4_K_M.gguf"})
        EXPECT_TRUE(models({path}).helpers.empty()) << path;
    // a repository of draft models alone
    EXPECT_EQ(chosen({"acme-DRAFT-0.6B-Q8_0.gguf", "acme-DRAFT-0.6B-Q4_0.gguf"}), "acme-DRAFT-0.6B-Q4_0.gguf");
    EXPECT_EQ(chosen({"mmproj-F16.gguf", "imatrix.gguf"}),
              "o/r: no GGUF model in it, only mmproj-F16.gguf (projector), imatrix.gguf (importance matrix)");
}

TEST(Variants, SplitFiles) {
    std::vector<Variant> found =
        models({"m-Q4_K_M-00002-of-00002.gguf", "m-Q4_K_M-00001-of-00002.gguf", "m-Q8_0-00001-of-00003.gguf",
                "m-Q8_0-00003-of-00003.gguf", "n-00000-of-00002.gguf", "n-00003-of-00002.gguf"})
            .variants;
    ASSERT_EQ(found.size(), 4u);
    EXPECT_EQ(found[0].tag, "Q4_K_M");
    ASSERT_EQ(found[0].files.size(), 2u);
    EXPECT_EQ(found[0].files[0].path, "m-Q4_K_M-00001-of-00002.gguf");
    EXPECT_EQ(found[0].bytes(), 20u);
    EXPECT_EQ(found[1].files.size(), 2u);
    EXPECT_EQ(found[1].parts, 3u);
    EXPECT_EQ(found[2].parts, 1u) << "a part that cannot be is a file of its own";
}

TEST(Variants, Choice) {
    Names files{"m-Q8_0.gguf", "m-Q4_K_S.gguf", "m-Q6_K-00001-of-00002.gguf"};
    EXPECT_EQ(chosen(files), "m-Q4_K_S.gguf");
    EXPECT_EQ(chosen(files, "q8_0"), "m-Q8_0.gguf");
    EXPECT_EQ(chosen(files, "Q4_K"), "o/r: no Q4_K in it (it has Q4_K_S, Q6_K, Q8_0)");
    EXPECT_EQ(chosen(files, "Q6_K"), "o/r:Q6_K: 1 of 2 parts are there");
    EXPECT_EQ(chosen({}), "o/r: no GGUF model in it");
}

TEST(NearestModel, IsWhatWasLikelyMeant) {
    std::vector<StoredModel> pulled;
    for (const auto& [repo, tag] : {std::pair{"birds/godwit-GGUF", "Q4_K_M"}, {"birds/knot-1B", "Q8_0"}}) {
        pulled.push_back({.repo = repo});
        pulled.back().variant.tag = tag;
    }
    for (const char* text : {"godwit", "birds/godwit", "bird/godwit-gguf", "birds/godwit-GGUF:Q4_0", "gudwit-gguf"}) {
        const StoredModel* nearest = nearest_model(text, pulled);
        ASSERT_NE(nearest, nullptr) << text;
        EXPECT_EQ(nearest->repo, "birds/godwit-GGUF") << text;
    }
    EXPECT_EQ(nearest_model("knot", pulled)->repo, "birds/knot-1B");
    for (const std::string& text : {std::string(), std::string("llama"), std::string(100'000, 'g')})
        EXPECT_EQ(nearest_model(text, pulled), nullptr) << text.substr(0, 20);
    EXPECT_EQ(nearest_model("godwit", {}), nullptr);
}

}  // namespace
}  // namespace godwit
