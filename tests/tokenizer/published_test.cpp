// Ten thousand strings through published vocabularies, as GGUF and as tokenizer.json, compared with Hugging Face's
// `tokenizers`.
#include "tokenizer/oracle_strings.hpp"
#include "tokenizer/published_json.hpp"
#include "tokenizer/tokenizer_json.hpp"

namespace godwit {
namespace {

class Published : public testing::Test {
protected:
    /// Reads a GGUF vocabulary; null, and the test failed, where it is missing.
    std::optional<Vocabulary> open(const std::string& name) {
        hashes_ = read_golden(name + ".bin");
        EXPECT_EQ(hashes_.size(), 40'000u);
        if (read_vocabulary_file(vocabulary_path(name)).empty()) return std::nullopt;
        auto opened = ModelFile::open(vocabulary_path(name));
        EXPECT_TRUE(opened.ok());
        file_ = std::make_unique<ModelFile>(std::move(opened).take());
        std::vector<std::string> warnings;
        auto vocabulary = read_vocabulary(file_->metadata(), warnings);
        EXPECT_TRUE(vocabulary.ok());
        return std::move(vocabulary).take();
    }

    void expect_equal(Result<std::unique_ptr<Tokenizer>> made, const std::string& name, bool decoded = true) {
        ASSERT_TRUE(made.ok()) << made.error().message;
        expect_oracle(*made.value(), strings_, hashes_, name, decoded);
    }

private:
    OracleStrings strings_;
    std::string hashes_;
    std::unique_ptr<ModelFile> file_;
};

TEST_F(Published, BertWordPiece) {
    const auto vocabulary = open("bert-bge");
    ASSERT_TRUE(vocabulary);
    expect_equal(read_tokenizer_json(PublishedJson(*vocabulary).bert()), "tokenizer.json");
    expect_equal(make_tokenizer(*vocabulary), "GGUF", false);  // its decoder joins words by spaces alone
}

TEST_F(Published, XlmRobertaUnigram) {
    const auto vocabulary = open("nomic-bert-moe");
    ASSERT_TRUE(vocabulary);
    expect_equal(read_tokenizer_json(PublishedJson(*vocabulary).xlm_roberta()), "tokenizer.json");
    expect_equal(make_tokenizer(*vocabulary), "GGUF", false);
}

TEST_F(Published, QwenBpe) {
    const auto vocabulary = open("qwen2");
    ASSERT_TRUE(vocabulary);
    expect_equal(read_tokenizer_json(PublishedJson(*vocabulary).qwen2()), "tokenizer.json");
}

}  // namespace
}  // namespace godwit
