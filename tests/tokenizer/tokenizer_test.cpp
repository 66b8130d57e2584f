// The tokenizer's rules on vocabularies small enough to see what must come out.
#include "tokenizer/tokenizer.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tiny_vocabulary.hpp"

namespace godwit {
namespace {

using Ids = std::vector<TokenId>;

std::unique_ptr<Tokenizer> make(const TinyVocabulary& tiny) {
    auto made = make_tokenizer(tiny.v);
    if (!made.ok()) {
        ADD_FAILURE() << made.error().message;
        return nullptr;
    }
    return std::move(made).take();
}

/// Ids by the texts of tokens.
Ids ids(const TinyVocabulary& tiny, const std::vector<std::string>& texts) {
    Ids out;
    for (const std::string& text : texts) out.push_back(tiny.id(text));
    return out;
}

TEST(Bpe, MergesBestFirst) {
    const TinyVocabulary tiny = tiny_bpe();
    const auto tokenizer = make(tiny);
    EXPECT_EQ(tokenizer->encode("hello hello", Specials::None), ids(tiny, {"hello", "\u0120hello"}));
    EXPECT_EQ(tokenizer->encode("llell", Specials::None), ids(tiny, {"ll", "e", "ll"}));
    EXPECT_EQ(tokenizer->encode("lllhe", Specials::None), ids(tiny, {"ll", "l", "he"}));
    EXPECT_TRUE(tokenizer->encode("", Specials::All).empty());
}

TEST(Bpe, OfEqualMergesTheFirstCounts) {
    TinyVocabulary tiny = tiny_bpe();
    tiny.merge("h", "e");  // as rank 5 it would lose against "x h"
    tiny.v.merges.insert(tiny.v.merges.begin() + 1, tiny.keep("x h"));
    tiny.add("xh");
    EXPECT_EQ(make(tiny)->encode("xhe", Specials::None), ids(tiny, {"x", "he"}));
}

TEST(Bpe, IgnoreMergesTakesWholePieces) {
    TinyVocabulary tiny = tiny_bpe();
    tiny.v.pre = "llama3";
    tiny.add("lo");
    const TokenId whole = tiny.add("\u0120x");
    const auto tokenizer = make(tiny);
    EXPECT_EQ(tokenizer->encode("lo x", Specials::None), (Ids{tiny.id("lo"), whole}));
    EXPECT_EQ(tokenizer->encode("lox", Specials::None), ids(tiny, {"l", "o", "x"}));
}

TEST(Bpe, BytesWithoutALetterAreDropped) {
    TinyVocabulary tiny = tiny_bpe();
    tiny.v.tokens[0xFF] = tiny.keep("something");
    const auto tokenizer = make(tiny);
    EXPECT_EQ(tokenizer->encode("h\xFF", Specials::None), ids(tiny, {"h"}));
}

TEST(Bpe, AUserDefinedLetterIsTheCharacterNotTheByte) {
    TinyVocabulary tiny = tiny_bpe();  // as in DeepSeek's vocabularies
    tiny.v.types[0xFF] = TokenType::UserDefined;
    const auto tokenizer = make(tiny);
    EXPECT_EQ(tokenizer->encode("a\u00ff", Specials::None), (Ids{'a', 0xFF}));
    EXPECT_EQ(tokenizer->encode("a\xFF", Specials::None), (Ids{'a'}));
    EXPECT_EQ(tokenizer->decode(Ids{'a', 0xFF}), "a\u00ff");
}

TEST(Bpe, MergesNeverMakeSpecialTokens) {
    TinyVocabulary tiny = tiny_bpe();
    const TokenId forged = tiny.add("ho", TokenType::Control);
    tiny.v.merges.insert(tiny.v.merges.begin(), tiny.keep("h o"));
    tiny.v.pre = "llama3";  // nor do whole pieces
    const auto tokenizer = make(tiny);
    EXPECT_EQ(tokenizer->encode("ho", Specials::None), ids(tiny, {"h", "o"}));
    EXPECT_EQ(tokenizer->encode("ho", Specials::All), Ids{forged});
}

TEST(Specials, ControlTokensOnlyWhereAskedUserDefinedOnesAlways) {
    TinyVocabulary tiny = tiny_bpe();
    const auto tokenizer = make(tiny);
    const Ids spelt = tokenizer->encode("<|end|", Specials::All);
    EXPECT_EQ(tokenizer->encode("a<|end|>b<tool>", Specials::All), ids(tiny, {"a", "<|end|>", "b", "<tool>"}));
    const Ids user = tokenizer->encode("a<|end|>b<tool>", Specials::None);
    EXPECT_EQ(user.front(), 'a');
    EXPECT_EQ(std::count(user.begin(), user.end(), tiny.id("<|end|>")), 0);
    EXPECT_EQ(user.back(), tiny.id("<tool>"));
    EXPECT_GT(spelt.size(), 1u);
}

TEST(Specials, MarkersOfATemplateAreNotForValues) {
    TinyVocabulary tiny = tiny_bpe();
    const TokenId blank = tiny.add("  ", TokenType::UserDefined);
    const TokenId other = tiny.add("<other>", TokenType::UserDefined);
    tiny.v.chat_templates = "{% if tools %}  <tool>{% endif %}";
    const auto tokenizer = make(tiny);
    EXPECT_EQ(tokenizer->encode("<tool>", Specials::All), ids(tiny, {"<tool>"}));
    const Ids user = tokenizer->encode("<tool>", Specials::None);
    EXPECT_EQ(user.size(), 6u);
    EXPECT_EQ(tokenizer->decode(user), "<tool>");
    EXPECT_EQ(tokenizer->encode("  <other>", Specials::None), (Ids{blank, other}));
}

TEST(Specials, LeftmostThenLongest) {
    TinyVocabulary tiny = tiny_bpe();
    const TokenId ab = tiny.add("<ab", TokenType::Control), abc = tiny.add("<abc>", TokenType::Control);
    const TokenId bc = tiny.add("bc>x", TokenType::Control);
    const auto tokenizer = make(tiny);
    EXPECT_EQ(tokenizer->encode("<abc>x", Specials::All), (Ids{abc, 'x'}));
    EXPECT_EQ(tokenizer->encode("<abc<ab", Specials::All), (Ids{ab, 'c', ab}));
    EXPECT_EQ(tokenizer->encode("abc>x", Specials::All), (Ids{'a', bc}));
}

TEST(Specials, SomeTakeTheWhiteSpaceBesideThem) {
    TinyVocabulary phi = tiny_bpe();
    phi.v.general_name = "Phi-3 Mini";
    phi.add("<|endoftext|>", TokenType::Control);
    EXPECT_EQ(make(phi)->encode("a <|end|> \n\u00a0b", Specials::All), ids(phi, {"a", "\u0120", "<|end|>", "b"}));
    EXPECT_EQ(make(phi)->encode("<|endoftext|> b", Specials::All), ids(phi, {"<|endoftext|>", "\u0120", "b"}));

    TinyVocabulary jina = tiny_bpe();
    jina.v.pre = "jina-v2-code";
    jina.add("<mask>", TokenType::Control);
    EXPECT_EQ(make(jina)->encode("a \u3000<mask> b", Specials::All), ids(jina, {"a", "<mask>", "\u0120", "b"}));
    EXPECT_EQ(make(jina)->encode("  <mask>", Specials::All), ids(jina, {"<mask>"}));
    // A stray byte ends the white space: nothing but white space is ever dropped.
    const auto tokenizer = make(jina);
    EXPECT_EQ(tokenizer->decode(tokenizer->encode("a \x80<mask>", Specials::All), true), "a \x80<mask>");
}

TEST(SentencePiece, MergesByScoreAndFallsBackToBytes) {
    const TinyVocabulary tiny = tiny_sentencepiece();
    const auto tokenizer = make(tiny);
    // ▁a scores higher than ab, so "abc" has no "ab" left.
    EXPECT_EQ(tokenizer->encode("abc", Specials::None), ids(tiny, {"\u2581a", "b", "c"}));
    EXPECT_EQ(tokenizer->encode("cabc", Specials::None), ids(tiny, {"\u2581", "c", "abc"}));
    EXPECT_EQ(tokenizer->encode("\u00e9\xFF", Specials::None), ids(tiny, {"\u2581", "<0xC3>", "<0xA9>", "<0xFF>"}));
    EXPECT_TRUE(tokenizer->encode("", Specials::All).empty());
}

TEST(SentencePiece, TheLongestTokenIsReached) {
    TinyVocabulary tiny = tiny_sentencepiece();
    std::string text = "abc";
    while (text.size() < 12) tiny.add(text += "c");
    EXPECT_EQ(make(tiny)->encode("c" + text, Specials::None), ids(tiny, {"\u2581", "c", text}));
}

TEST(SentencePiece, EqualScoresMergeFromTheLeft) {
    TinyVocabulary tiny = tiny_sentencepiece();
    tiny.v.add_space_prefix = false;
    tiny.add("ca", TokenType::Normal, -0.5);
    tiny.add("ac", TokenType::Normal, -0.5);
    EXPECT_EQ(make(tiny)->encode("caca", Specials::None), ids(tiny, {"ca", "ca"}));
    EXPECT_EQ(make(tiny)->encode("aca", Specials::None), ids(tiny, {"ac", "a"}));
}

TEST(SentencePiece, PrefixSpaceBeginsEveryStretchOfText) {
    const TinyVocabulary tiny = tiny_sentencepiece();
    EXPECT_EQ(make(tiny)->encode("a</s>a</s></s> a", Specials::All),
              ids(tiny, {"\u2581a", "</s>", "\u2581a", "</s>", "</s>", "\u2581", "\u2581a"}));
    TinyVocabulary without = tiny;
    without.v.add_space_prefix = false;
    EXPECT_EQ(make(without)->encode("a</s>a", Specials::All), ids(tiny, {"a", "</s>", "a"}));
}

TEST(SentencePiece, PlainTextNeverBecomesASpecialOrAByteToken) {
    const TinyVocabulary tiny = tiny_sentencepiece();
    const auto tokenizer = make(tiny);
    EXPECT_EQ(tokenizer->encode("<s>", Specials::None), ids(tiny, {"\u2581", "<s", ">"}));
    for (TokenId id : tokenizer->encode("<0x41>", Specials::None)) EXPECT_NE(id, tiny.id("<0x41>"));
}

TEST(SentencePiece, WithoutByteTokensARunOfUnknownsIsOneToken) {
    TinyVocabulary tiny = tiny_sentencepiece();
    tiny.v.tokens[3 + 0x80] = tiny.keep("gone");
    tiny.v.types[3 + 0x80] = TokenType::Normal;
    EXPECT_EQ(make(tiny)->encode("xyaz", Specials::None), ids(tiny, {"\u2581", "<unk>", "a", "<unk>"}));
}

TEST(Decode, DropsThePrefixSpaceOfTheFirstTextOnly) {
    const TinyVocabulary tiny = tiny_sentencepiece();
    const auto tokenizer = make(tiny);
    EXPECT_EQ(tokenizer->decode(ids(tiny, {"\u2581a", "\u2581a"})), "a a");
    EXPECT_EQ(tokenizer->decode(ids(tiny, {"<s>", "\u2581a", "</s>"})), "a");
    EXPECT_EQ(tokenizer->decode(ids(tiny, {"<s>", "\u2581a"}), true), "<s> a");
    EXPECT_EQ(tokenizer->decode(ids(tiny, {"\u2581\u2581", "a"})), " a");
    EXPECT_EQ(tokenizer->decode(ids(tiny, {"\u2581", "\u2581a"})), " a");
    EXPECT_EQ(tokenizer->decode(ids(tiny, {"<0x20>", "a"})), " a");
    EXPECT_EQ(tokenizer->decode(ids(tiny, {"<0xC3>", "<0xA9>"})), "\u00e9");
    EXPECT_EQ(tokenizer->bytes(tiny.id("\u2581a")), " a");
    EXPECT_EQ(tokenizer->bytes(tiny.id("<s>")), "");
    EXPECT_EQ(tokenizer->bytes(tiny.id("<s>"), true), "<s>");
    EXPECT_EQ(tokenizer->raw_text(tiny.id("\u2581a")), "\u2581a");
}

TEST(Gemma4, IsBpeOnCharactersWithByteFallback) {
    TinyVocabulary tiny;
    tiny.v.model = "gemma4";
    tiny.v.add_bos = false;  // says nothing
    tiny.v.bos = tiny.add("<bos>", TokenType::Control);
    for (int byte = 0; byte < 256; ++byte) tiny.add(fmt::format("<0x{:02X}>", byte), TokenType::Byte);
    for (const char* letter : {"\u2581", "a", "b", "\n", "\u00e9"}) tiny.add(letter);
    tiny.merge("\u2581", "a");
    tiny.merge("\n", "\n");
    tiny.merge("a", "\u00e9");
    const auto tokenizer = make(tiny);
    EXPECT_FALSE(tokenizer->prefix().empty());
    EXPECT_EQ(tokenizer->encode(" a\n\nba\u00e9z", Specials::None),
              ids(tiny, {"\u2581a", "\n\n", "b", "a\u00e9", "<0x7A>"}));
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(" a\xFF\u00e9", Specials::None)), " a\xFF\u00e9");
}

TEST(WordPiece, TakesTheLongestTokenOrTheUnknownOne) {
    const TinyVocabulary tiny = tiny_wordpiece();
    const auto tokenizer = make(tiny);
    EXPECT_EQ(tokenizer->encode("unaffable. a", Specials::None),
              ids(tiny, {"\u2581un", "aff", "able", "\u2581.", "\u2581a"}));
    EXPECT_EQ(tokenizer->encode("unaffaffx a", Specials::None), ids(tiny, {"[UNK]", "\u2581a"}));
    EXPECT_EQ(tokenizer->encode("aff", Specials::None), ids(tiny, {"[UNK]"}));  // begins no word
    EXPECT_EQ(tokenizer->encode("A\u4e2dA", Specials::None), ids(tiny, {"\u2581a", "\u2581\u4e2d", "\u2581a"}));
    EXPECT_EQ(tokenizer->encode("a\xFF a\x01 \t", Specials::None), ids(tiny, {"[UNK]", "\u2581a"}));
    EXPECT_TRUE(tokenizer->encode(" \n", Specials::None).empty());
    EXPECT_EQ(tokenizer->encode(std::string(100, 'a'), Specials::None).size(), 100u);
    EXPECT_EQ(tokenizer->encode(std::string(101, 'a'), Specials::None), ids(tiny, {"[UNK]"}));
    EXPECT_EQ(tokenizer->encode("[SEP]a", Specials::All), ids(tiny, {"[SEP]", "\u2581a"}));
    EXPECT_EQ(tokenizer->encode("[SEP]", Specials::None),
              (Ids{1, 1, 1}));  // [, SEP, ]: a value's brackets are no marker
    EXPECT_EQ(tokenizer->decode(ids(tiny, {"\u2581un", "able", "\u2581a"})), "unable a");
    EXPECT_TRUE(!tokenizer->prefix().empty() && !tokenizer->suffix().empty());
    EXPECT_EQ(tokenizer->bos(), tiny.id("[CLS]"));
    EXPECT_EQ(tokenizer->eos(), tiny.id("[SEP]"));
}

TEST(WordPiece, AccentsGoOrStayAsTheFileSays) {  // T10
    TinyVocabulary tiny = tiny_wordpiece();
    EXPECT_EQ(make(tiny)->encode("Hokkaid\u014d", Specials::None), ids(tiny, {"\u2581hokkaido"}));
    EXPECT_EQ(make(tiny)->encode("Hokkaido\u0304", Specials::None), ids(tiny, {"\u2581hokkaido"}));
    tiny.v.strip_accents = false;
    EXPECT_EQ(make(tiny)->encode("Hokkaid\u014d", Specials::None), ids(tiny, {"\u2581hokkaid\u014d"}));
    tiny.v.lowercase = false;
    EXPECT_EQ(make(tiny)->encode("Hokkaid\u014d hokkaid\u014d", Specials::None),
              ids(tiny, {"[UNK]", "\u2581hokkaid\u014d"}));
}

TEST(Unigram, TakesTheMostLikelyTokens) {
    const TinyVocabulary tiny = tiny_unigram();
    const auto tokenizer = make(tiny);
    EXPECT_EQ(tokenizer->encode("ab", Specials::None),
              ids(tiny, {"\u2581", "ab"}));  // ties with ▁a + b, which is found later
    EXPECT_EQ(tokenizer->encode("bab", Specials::None), ids(tiny, {"\u2581", "b", "ab"}));
    EXPECT_EQ(tokenizer->encode("babc", Specials::None), ids(tiny, {"\u2581", "b", "ab", "c"}));  // −9 beats −12
    EXPECT_EQ(tokenizer->encode("axya", Specials::None), ids(tiny, {"\u2581a", "<unk>", "a"}));
    EXPECT_EQ(tokenizer->encode("a\xFF\xFE", Specials::None), ids(tiny, {"\u2581a", "<unk>"}));
    EXPECT_EQ(tokenizer->encode("<s>a", Specials::All), ids(tiny, {"<s>", "\u2581a"}));
    EXPECT_EQ(tokenizer->decode(ids(tiny, {"\u2581a", "b", "\u2581a"})), "ab a");
    EXPECT_FALSE(tokenizer->suffix().empty());
    EXPECT_TRUE(tokenizer->prefix().empty());
}

TEST(Unigram, FallsBackToBytes) {
    TinyVocabulary tiny = tiny_unigram();
    for (int byte = 0; byte < 256; ++byte) tiny.add(fmt::format("<0x{:02X}>", byte), TokenType::Byte);
    const auto tokenizer = make(tiny);
    EXPECT_EQ(tokenizer->encode("a\u00e9\xFF", Specials::None), ids(tiny, {"\u2581a", "<0xC3>", "<0xA9>", "<0xFF>"}));
    EXPECT_EQ(tokenizer->decode(tokenizer->encode("a\u00e9\xFF", Specials::None)), "a\u00e9\xFF");
    for (TokenId id : tokenizer->encode("<0x41>", Specials::None)) EXPECT_NE(id, tiny.id("<0x41>"));
}

TEST(Unigram, AppliesTheCharsmap) {
    TinyVocabulary tiny = tiny_unigram();
    const std::string charsmap = tiny_charsmap();
    tiny.v.charsmap = charsmap;
    EXPECT_EQ(make(tiny)->encode("bx\u00e9b", Specials::None), ids(tiny, {"\u2581", "b", "ab", "b"}));
    tiny.v.remove_extra_whitespaces = true;
    EXPECT_EQ(make(tiny)->encode("  a\u00e9   a ", Specials::None), ids(tiny, {"\u2581a", "\u2581a"}));
}

TEST(Unigram, RefusesCharsmapsThatPointOutsideThemselves) {  // M13
    const auto refused = [](auto change, const std::string& word) {
        std::string charsmap = tiny_charsmap();
        change(charsmap);
        TinyVocabulary tiny = tiny_unigram();
        tiny.v.charsmap = charsmap;
        const auto made = make_tokenizer(tiny.v);
        ASSERT_FALSE(made.ok()) << word;
        EXPECT_NE(made.error().message.find("precompiled_charsmap"), std::string::npos) << made.error().message;
        EXPECT_NE(made.error().message.find(word), std::string::npos) << made.error().message;
    };
    refused([](std::string& c) { c[3] = '\x7f'; }, "does not fit");
    refused([](std::string& c) { c[0] = '\x01'; }, "does not fit");
    refused([](std::string& c) { c.resize(3); }, "too few");
    refused([](std::string& c) { c[4 + 4 * 5 + 2] = '\x7f'; }, "unit 5 points at unit");
    refused([](std::string& c) { c[4 + 4 * 1] = '\x04'; }, "unit 1 points at byte 4");
    refused([](std::string& c) { c += std::string(300, 'a'); }, "replacement of 300 bytes");
}

TEST(MakeTokenizer, ChoosesBosAndEos) {
    EXPECT_TRUE(make(tiny_bpe())->prefix().empty());
    TinyVocabulary llama3 = tiny_bpe();
    llama3.v.pre = "llama3";
    EXPECT_FALSE(make(llama3)->prefix().empty());
    llama3.v.add_bos = false;
    EXPECT_TRUE(make(llama3)->prefix().empty());
    llama3.v.add_bos = std::nullopt;
    llama3.v.bos = std::nullopt;
    EXPECT_TRUE(make(llama3)->prefix().empty());

    TinyVocabulary old = tiny_sentencepiece();
    old.v.bos = old.v.eos = std::nullopt;  // old files: <s> is 1, </s> is 2
    EXPECT_EQ(make(old)->bos(), 1);
    EXPECT_EQ(make(old)->eos(), 2);
    EXPECT_FALSE(make(old)->prefix().empty());
    EXPECT_TRUE(make(old)->suffix().empty());
}

TEST(MakeTokenizer, FindsTheEndsOfGeneration) {
    TinyVocabulary tiny = tiny_bpe();
    const TokenId im_end = tiny.add("<|im_end|>", TokenType::Control);
    const TokenId back = tiny.add("<|return|>", TokenType::Control);
    const TokenId eot = tiny.add("whatever", TokenType::Control);
    tiny.v.eot = eot;
    tiny.v.eos = tiny.v.bos;
    const auto tokenizer = make(tiny);
    for (TokenId id : {im_end, back, eot, static_cast<TokenId>(*tiny.v.eos), tiny.id("<|end|>")})
        EXPECT_TRUE(tokenizer->ends_generation(id)) << tokenizer->raw_text(id);
    EXPECT_FALSE(tokenizer->ends_generation('a'));

    tiny.add("<|call|>", TokenType::Control);  // gpt-oss: <|end|> ends a channel
    EXPECT_FALSE(make(tiny)->ends_generation(tiny.id("<|end|>")));
    EXPECT_TRUE(make(tiny)->ends_generation(back));
}

/// The error must hold every word.
void expect_refused(const TinyVocabulary& tiny, const std::vector<std::string>& words) {
    const auto made = make_tokenizer(tiny.v);
    ASSERT_FALSE(made.ok()) << "accepted, but expected a word about " << words[0];
    const std::string& message = made.error().message;
    for (const std::string& word : words) EXPECT_NE(message.find(word), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

/// A change that must be refused.
using Change = void (*)(TinyVocabulary&);

TEST(MakeTokenizer, RefusesWhatIsWrongInAnyVocabulary) {
    const std::vector<std::pair<Change, std::vector<std::string>>> changes = {
        {[](TinyVocabulary& t) { t.v.model = ""; }, {"tokenizer.ggml.model", "missing"}},
        {[](TinyVocabulary& t) { t.v.model = "foo\n"; }, {"tokenizer.ggml.model", "foo"}},
        {[](TinyVocabulary& t) { t.v.model = "rwkv"; }, {"rwkv", "not supported yet"}},
        {[](TinyVocabulary& t) { t.v.tokens.clear(); }, {"tokenizer.ggml.tokens", "empty"}},
        {[](TinyVocabulary& t) { t.v.types.pop_back(); }, {"token_type", "length"}},
        {[](TinyVocabulary& t) { t.v.scores = {1, 2}; }, {"scores", "length 2"}},
        {[](TinyVocabulary& t) { t.v.scores.assign(t.v.tokens.size(), std::nanf("")); }, {"scores", "not finite"}},
        {[](TinyVocabulary& t) { t.v.scores.assign(t.v.tokens.size(), -INFINITY); }, {"scores", "not finite"}},
        {[](TinyVocabulary& t) { t.v.bos = 999999; }, {"bos_token_id", "999999", "range"}},
        {[](TinyVocabulary& t) { t.v.eos = static_cast<uint32_t>(t.v.tokens.size()); }, {"eos_token_id", "range"}},
        {[](TinyVocabulary& t) { t.v.unknown = UINT32_MAX - 1; }, {"unknown_token_id", "range"}},
        {[](TinyVocabulary& t) { t.v.eot = 999999; }, {"eot_token_id", "range"}},
        {[](TinyVocabulary& t) { t.v.eom = 999999; }, {"eom_token_id", "range"}},
        {[](TinyVocabulary& t) { t.add("<0xZZ>", TokenType::Byte); }, {"byte", "<0xZZ>"}},
        {[](TinyVocabulary& t) { t.add("<0x+1>", TokenType::Byte); }, {"byte", "<0x+1>"}},
        {[](TinyVocabulary& t) { t.add("dup"), t.add("dup"); }, {"duplicates", "'dup'"}},
        {[](TinyVocabulary& t) { t.add(std::string(5000, 'a')); }, {"5000 bytes"}},
        {[](TinyVocabulary& t) {
             t.v.add_eos = true, t.v.eos = std::nullopt, t.v.types.assign(t.v.types.size(), TokenType::Normal),
             t.v.unknown = 0;
         },
         {"eos_token_id", "missing"}},
    };
    for (const TinyVocabulary& valid : {tiny_bpe(), tiny_sentencepiece()}) {
        for (const auto& [change, words] : changes) {
            TinyVocabulary tiny = valid;
            change(tiny);
            expect_refused(tiny, words);
        }
    }
}

TEST(MakeTokenizer, RefusesWhatIsWrongInOneKind) {
    const std::vector<std::tuple<TinyVocabulary (*)(), Change, std::vector<std::string>>> changes = {
        {tiny_bpe, [](TinyVocabulary& t) { t.v.pre = "foo-pre"; }, {"tokenizer.ggml.pre", "foo-pre"}},
        {tiny_bpe, [](TinyVocabulary& t) { t.v.merges.push_back("z q"); }, {"merge 5 'z q'", "no token"}},
        {tiny_bpe, [](TinyVocabulary& t) { t.v.merges.push_back("hello"); }, {"merge 5 'hello'", "no space"}},
        {tiny_bpe, [](TinyVocabulary& t) { t.v.merges.push_back(""); }, {"merge 5", "no space"}},
        {tiny_bpe, [](TinyVocabulary& t) { t.v.merges.push_back("h "); }, {"merge 5", "no token"}},
        {tiny_bpe, [](TinyVocabulary& t) { t.v.merges.push_back("nope h"); }, {"merge 5", "no token"}},
        {tiny_bpe, [](TinyVocabulary& t) { t.v.add_bos = true, t.v.bos = std::nullopt; }, {"bos_token_id", "missing"}},
        {tiny_bpe,
         [](TinyVocabulary& t) { t.add(std::string(513, 'a'), TokenType::UserDefined); },
         {"tokenizer.ggml.tokens", "513 bytes"}},
        {tiny_sentencepiece, [](TinyVocabulary& t) { t.v.scores.clear(); }, {"scores", "missing"}},
        {tiny_unigram, [](TinyVocabulary& t) { t.v.scores.clear(); }, {"scores", "missing"}},
        {tiny_unigram,
         [](TinyVocabulary& t) { t.v.add_bos = true, t.v.bos = std::nullopt; },
         {"bos_token_id", "missing"}},  // M13
        {tiny_unigram,
         [](TinyVocabulary& t) { t.v.unknown = std::nullopt, t.v.tokens[0] = t.keep("gone"); },
         {"unknown_token_id", "<unk>"}},
        {tiny_wordpiece,
         [](TinyVocabulary& t) { t.v.unknown = std::nullopt, t.v.tokens[1] = t.keep("gone"); },
         {"unknown_token_id", "[UNK]"}},
        {tiny_wordpiece, [](TinyVocabulary& t) { t.v.sep = 999; }, {"seperator_token_id", "999"}},
        {tiny_sentencepiece,
         [](TinyVocabulary& t) { t.v.types[3] = TokenType::Normal, t.v.unknown = std::nullopt; },
         {"byte tokens", "<0x00>", "unknown"}},
    };
    for (const auto& [valid, change, words] : changes) {
        TinyVocabulary tiny = valid();
        change(tiny);
        expect_refused(tiny, words);
    }
}

TEST(MakeTokenizer, ToleratesOddTokens) {
    TinyVocabulary tiny = tiny_sentencepiece();
    for (const char* text : {"", "", "\xFF\xFE", "\x01"}) tiny.add(text, TokenType::Normal, -50);
    tiny.add(std::string("a\0b", 3), TokenType::Normal, -50);
    const TokenId nothing = tiny.add("", TokenType::Control, -50);
    const auto tokenizer = make(tiny);
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(std::string("a\0b\xFF\xFE", 5), Specials::All)),
              std::string("a\0b\xFF\xFE", 5));
    EXPECT_EQ(tokenizer->bytes(nothing, true), "");
}

TEST(MakeTokenizer, KeepsNoViewOfTheFile) {
    std::unique_ptr<Tokenizer> tokenizer;
    Ids want;
    {
        const TinyVocabulary tiny = tiny_bpe();
        tokenizer = make(tiny);
        want = ids(tiny, {"hello", "<|end|>"});
    }
    EXPECT_EQ(tokenizer->encode("hello<|end|>", Specials::All), want);
}

}  // namespace
}  // namespace godwit
