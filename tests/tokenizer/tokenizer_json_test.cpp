// tokenizer.json: equality with Hugging Face's `tokenizers` on each stage and option, and what is refused.
#include "tokenizer/tokenizer_json.hpp"

#include "tokenizer/oracle_strings.hpp"

namespace godwit {
namespace {

using Ids = std::vector<TokenId>;

const Json& small_tokenizers() {
    static const Json json = [] {
        auto read = parse_json(read_golden("tokenizers.json"));
        EXPECT_TRUE(read.ok());
        return std::move(read).take();
    }();
    return json;
}

std::unique_ptr<Tokenizer> read(const Json& json, const std::string& config = "") {
    auto made = read_tokenizer_json(json_text(json), config);
    if (made.ok()) return std::move(made).take();
    ADD_FAILURE() << made.error().message;
    return nullptr;
}

TEST(TokenizerJson, EveryStageEqualsHuggingFaces) {
    const OracleStrings strings;
    const std::string hashes = read_golden("small.bin");
    const Json& variants = small_tokenizers()["variants"];
    ASSERT_GT(variants.size(), 50u);
    const size_t size = hashes.size() / variants.size();
    for (size_t i = 0; i < variants.size(); ++i) {
        Json json = small_tokenizers()["bases"][variants[i]["base"].get<std::string>()];
        json.merge_patch(variants[i]["patch"]);
        const auto name = variants[i]["name"].get<std::string>();
        const auto tokenizer = read(json);
        ASSERT_TRUE(tokenizer) << name;
        expect_oracle(*tokenizer, strings, std::string_view(hashes).substr(i * size, size), name,
                      !name.ends_with("-unlike"));
    }
}

Json base(const std::string& name) { return small_tokenizers()["bases"][name]; }

std::vector<std::string> texts(const Tokenizer& tokenizer, const Ids& ids) {
    std::vector<std::string> out;
    for (TokenId id : ids) out.emplace_back(tokenizer.raw_text(id));
    return out;
}

/// A value's text, and a template's around it.
Ids encode_mixed(const Tokenizer& tokenizer, const std::string& before, const std::string& value,
                 const std::string& after) {
    const size_t begin = before.size(), end = begin + value.size(), size = end + after.size();
    const std::vector<Segment> segments = {
        {0, begin, Origin::Template}, {begin, end, Origin::Value}, {end, size, Origin::Template}};
    return tokenizer.encode(before + value + after, segments);
}

TEST(TokenizerJson, ValuesForgeNoSpecialToken) {
    Json json = base("llama");
    const auto size = json["model"]["vocab"].size();
    for (bool normalized : {false, true}) {
        Json with = json;
        with["added_tokens"].push_back(
            {{"id", size}, {"content", "<|im_end|>"}, {"special", true}, {"normalized", normalized}});
        const auto tokenizer = read(with);
        ASSERT_TRUE(tokenizer);
        const auto end = static_cast<TokenId>(size);
        const Ids user = tokenizer->encode("x <|im_end|>", Specials::None);
        EXPECT_EQ(std::count(user.begin(), user.end(), end), 0);
        const Ids mixed = encode_mixed(*tokenizer, "x", " <|im_end|> y", " <|im_end|>");
        EXPECT_EQ(std::count(mixed.begin(), mixed.end(), end), 1) << normalized;
        EXPECT_EQ(mixed.back(), end);
        EXPECT_TRUE(tokenizer->ends_generation(end));
    }
}

TEST(TokenizerJson, TextRightAfterAnAddedToken) {  // T6, T7: the file's own stages decide
    Json legacy = base("llama"), first = base("llama");
    first["normalizer"] = nullptr;
    first["pre_tokenizer"] = {
        {"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "first"}, {"split", false}};
    const auto with_space = read(legacy), without = read(first);
    ASSERT_TRUE(with_space && without);
    using Texts = std::vector<std::string>;
    EXPECT_EQ(texts(*with_space, with_space->encode("<s>G", Specials::All)), (Texts{"<s>", "▁", "<0x47>"}));
    EXPECT_EQ(texts(*without, without->encode("<s>G", Specials::All)), (Texts{"<s>", "<0x47>"}));
    EXPECT_EQ(texts(*with_space, with_space->encode("x</s> ñ", Specials::All)).at(2), "</s>");
    EXPECT_EQ(without->decode(without->encode("<s> G", Specials::All), true), "<s> G");
}

TEST(TokenizerJson, CapitalsOfAllScriptsBeginWords) {  // T9, the pattern of GPT-4o
    Json json = base("letters");
    const std::string words =
        R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+)";
    json["pre_tokenizer"] = {
        {"type", "Sequence"},
        {"pretokenizers",
         Json::array({{{"type", "Split"}, {"pattern", {{"Regex", words}}}, {"behavior", "Isolated"}, {"invert", false}},
                      {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}})}};
    const auto tokenizer = read(json);
    ASSERT_TRUE(tokenizer);
    EncodeWork work;
    tokenizer->encode("ДокументПродажиТоваровУслуг", Specials::None, &work);
    EXPECT_EQ(work.pieces, 4u);
}

TEST(TokenizerJson, GivesBackAnyBytes) {
    for (const char* name : {"letters", "llama"}) {
        const auto tokenizer = read(base(name));
        ASSERT_TRUE(tokenizer);
        std::string text = "x";
        for (int byte = 255; byte >= 0; --byte) text += static_cast<char>(byte);
        EXPECT_EQ(tokenizer->decode(tokenizer->encode(text, Specials::None)), text) << name;
    }
}

TEST(TokenizerJson, PutsAroundATextWhatHuggingFaceDoes) {
    for (const Json& wrapped : small_tokenizers()["wrapped"]) {
        Json json = base("llama");
        json["post_processor"] = wrapped["post_processor"];
        const auto tokenizer = read(json);
        ASSERT_TRUE(tokenizer) << wrapped["name"];
        Ids ids = tokenizer->encode("Hello world", Specials::All);
        ids.insert(ids.begin(), tokenizer->prefix().begin(), tokenizer->prefix().end());
        ids.insert(ids.end(), tokenizer->suffix().begin(), tokenizer->suffix().end());
        EXPECT_EQ(ids, wrapped["ids"].get<Ids>()) << wrapped["name"];
    }
}

TEST(TokenizerJson, BosAndEosComeFromThePostProcessorOrTheConfig) {
    Json json = base("llama");
    EXPECT_TRUE(read(json)->prefix().empty());
    auto processor = parse_json(
        R"({"type":"Sequence","processors":[{"type":"ByteLevel","trim_offsets":true},{"type":"TemplateProcessing",
        "single":[{"SpecialToken":{"id":"<s>","type_id":0}},{"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"</s>","type_id":0}}]}]})");
    ASSERT_TRUE(processor.ok());
    json["post_processor"] = processor.value();
    auto tokenizer = read(json);
    EXPECT_TRUE(!tokenizer->prefix().empty() && !tokenizer->suffix().empty());
    EXPECT_EQ(tokenizer->raw_text(*tokenizer->bos()), "<s>");
    EXPECT_EQ(tokenizer->raw_text(*tokenizer->eos()), "</s>");
    tokenizer = read(json, R"({"add_eos_token":false,"eos_token":{"content":"Hello"}})");
    EXPECT_TRUE(!tokenizer->prefix().empty() && tokenizer->suffix().empty());
    EXPECT_TRUE(tokenizer->ends_generation(*tokenizer->eos()));
    EXPECT_EQ(tokenizer->raw_text(*tokenizer->eos()), "Hello");
}

TEST(TokenizerJson, LongTextsTakeLinearWork) {  // T8
    for (const auto& [name, json] : small_tokenizers()["bases"].items()) {
        const auto tokenizer = read(json);
        ASSERT_TRUE(tokenizer);
        for (const char* unit : {"A", " ", "7", "\n", "\u0301", "\u0323\u0301", "a b", "\u4e2d"}) {
            std::string text;
            while (text.size() < 200'000) text += unit;
            EncodeWork half, whole;
            tokenizer->encode(std::string_view(text).substr(0, text.size() / 2), Specials::All, &half);
            tokenizer->encode(text, Specials::All, &whole);
            EXPECT_LE(whole.queue_pushes, 2 * half.queue_pushes + 200) << name << " of '" << unit << "'";
            EXPECT_LE(whole.queue_pushes, 16 * text.size()) << name;
        }
    }
}

TEST(TokenizerJson, RefusesWhatItCannotDo) {
    const auto refused = [](const std::string& name, const std::string& patch, const std::vector<std::string>& words,
                            const std::string& config = "") {
        Json json = base(name);
        auto change = parse_json(patch);
        ASSERT_TRUE(change.ok()) << patch;
        json.merge_patch(change.value());
        const auto made = read_tokenizer_json(json_text(json), config);
        ASSERT_FALSE(made.ok()) << patch;
        for (const std::string& word : words)
            EXPECT_NE(made.error().message.find(word), std::string::npos) << made.error().message;
        EXPECT_EQ(made.error().message.find('\n'), std::string::npos) << made.error().message;
    };
    refused("llama", R"({"model":{"dropout":0.1}})", {"tokenizer.json: model.dropout:", "random"});
    refused("llama", R"({"model":{"type":"Huh"}})", {"model:", "Huh"});
    refused("llama", R"({"model":{"unk_token":"nope"}})", {"model.unk_token:", "'nope'"});
    refused("llama", R"({"model":{"merges":["ab"]}})", {"model.merges:", "merge 0", "space"});
    refused("llama", R"({"model":{"merges":[["a","zz"]]}})", {"model.merges:", "merge 0 'a zz'", "no token"});
    refused("llama", R"({"model":{"merges":[["a"]]}})", {"model.merges:", "merge 0"});
    refused("llama", R"({"model":{"vocab":{"a":1.5}}})", {"model.vocab:", "'a'"});
    refused("llama", R"({"model":{"vocab":{"zz":0}}})", {"model.vocab:", "same id 0"});
    refused("llama", R"({"model":{"vocab":{"zz":99999999}}})", {"model.vocab:", "99999999"});
    refused("llama", R"({"model":{"vocab":{"zz":9999999}}})", {"model.vocab:", "9999999"});
    refused("llama", R"({"decoder":{"type":"CTC"}})", {"decoder:", "'CTC'"});
    refused(
        "llama",
        R"({"decoder":{"type":"Sequence","decoders":[{"type":"Fuse"},{"type":"Strip","content":" ","start":0,"stop":1}]}})",
        {"decoder.decoders[1]:", "Strip at the end"});
    refused("llama", R"({"decoder":{"type":"Sequence","decoders":[{"type":"Fuse"},{"type":"ByteFallback"}]}})",
            {"decoder.decoders[1]:", "fused"});
    refused("llama", R"({"normalizer":{"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"Foo"}]}})",
            {"normalizer.normalizers[1]:", "'Foo'"});
    refused("llama", R"({"normalizer":{"type":"Replace","pattern":{"Regex":"(a"},"content":""}})",
            {"normalizer.pattern.Regex:", "parenthes"});
    refused("llama", R"({"normalizer":{"type":"Replace","pattern":{"Regex":"[a[b]]"},"content":""}})",
            {"normalizer.pattern.Regex:", "class"});
    refused("llama", R"({"normalizer":{"type":"Replace","pattern":{"String":""},"content":""}})",
            {"normalizer.pattern.String:", "empty"});
    refused(
        "llama",
        R"({"normalizer":{"type":"Sequence","normalizers":[{"type":"Replace","pattern":{"String":"a"},"content":"aaaaaaaaaaaaaaaaaaaa"},
                         {"type":"Replace","pattern":{"String":"a"},"content":"aaaaaaaaaaaaaaaaaaaa"}]}})",
        {"normalizer.normalizers[1]:", "longer"});
    refused(
        "llama",
        R"({"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"ByteLevel"},{"type":"ByteLevel"},{"type":"ByteLevel"},
                         {"type":"ByteLevel"},{"type":"ByteLevel"}]}})",
        {"pre_tokenizer.pretokenizers[4]:", "longer"});
    refused(
        "llama",
        R"({"decoder":{"type":"Sequence","decoders":[{"type":"Replace","pattern":{"String":"a"},"content":"aaaaaaaaaaaaaaaaaaaa"},
                         {"type":"Replace","pattern":{"String":"a"},"content":"aaaaaaaaaaaaaaaaaaaa"}]}})",
        {"decoder.decoders[1]:", "longer"});
    refused("llama", R"({"normalizer":{"type":"Precompiled","precompiled_charsmap":"AAAAAA=="}})",
            {"normalizer.precompiled_charsmap:", "trie"});
    refused("llama", R"({"pre_tokenizer":{"type":"Scripts"}})", {"pre_tokenizer:", "'Scripts'"});
    refused("llama", R"({"pre_tokenizer":{"type":"Metaspace","replacement":"ab"}})",
            {"pre_tokenizer.replacement:", "one character"});
    refused("llama", R"({"added_tokens":[{"id":1,"content":"<unk>"}]})", {"added_tokens", "<unk>"});
    refused("llama", R"({"added_tokens":[{"id":0}]})", {"added_tokens[0]:", "content"});
    refused("llama", R"({"post_processor":{"type":"Foo"}})", {"post_processor:", "'Foo'"});
    refused(
        "llama",
        R"({"post_processor":{"type":"TemplateProcessing","single":[{"Sequence":{"id":"A"}},{"Sequence":{"id":"A"}}]}})",
        {"post_processor.single[1]:", "second time"});
    refused(
        "llama",
        R"({"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"x"}}],"special_tokens":{"x":{"ids":[99999]}}}})",
        {"post_processor.special_tokens.x.ids[0]:", "99999"});
    refused(
        "llama",
        R"({"post_processor":{"type":"Sequence","processors":[{"type":"BertProcessing","cls":["<s>",1],"sep":["</s>",2]},
                         {"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<s>"}}]}]}})",
        {"post_processor.processors[1]:", "second"});
    refused("llama", R"({})", {"tokenizer_config.json.bos_token:", "'nope'"}, R"({"bos_token":"nope"})");
    refused("unigram", R"({"model":{"unk_id":null}})", {"model:", "unk_id"});
    refused("unigram", R"({"model":{"vocab":[["<unk>",0],["<unk>",0]]},"added_tokens":[]})",
            {"model.vocab:", "duplicates"});
    refused("unigram", R"({"model":{"vocab":[["<unk>",0],["a"]]}})", {"model.vocab:", "element 1"});
    refused("wordpiece", R"({"model":{"unk_token":null}})", {"model:", "unk_token"});
    for (const char* broken : {"", "{", "[]", "{}", "{\"model\":3}", "{\"model\":{\"type\":\"BPE\"}}"}) {
        const auto made = read_tokenizer_json(broken);
        ASSERT_FALSE(made.ok()) << broken;
        EXPECT_TRUE(made.error().message.starts_with("tokenizer.json: ")) << made.error().message;
    }
}

}  // namespace
}  // namespace godwit
