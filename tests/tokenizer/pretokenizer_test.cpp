// The table of pre-tokenizers: every pattern compiles and loses nothing, and what tools/make_pretokenizers.py rewrites
// cuts as the original does.
#include "tokenizer/pretokenizer.hpp"

#include <gtest/gtest.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <random>
#include <string>

namespace godwit {
namespace {

using Pieces = std::vector<std::string>;

Pieces split(const Pretokenizer& pretokenizer, std::string_view text) {
    Pieces pieces;
    pretokenizer.split(text, [&](std::string_view piece) { pieces.emplace_back(piece); });
    return pieces;
}

Pieces split(std::string_view name, std::string_view text) {
    return split(Pretokenizer(*find_pretokenizer(name)), text);
}

/// A pattern as it is published, run as Hugging Face's Split with behaviour "isolated".
class Original {
public:
    explicit Original(std::string_view pattern) {
        int fault;
        size_t offset;
        code_ = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), PCRE2_UTF | PCRE2_UCP,
                              &fault, &offset, nullptr);
        EXPECT_NE(code_, nullptr) << pattern;
        data_ = pcre2_match_data_create(1, nullptr);
    }
    Original(const Original&) = delete;
    ~Original() {
        pcre2_code_free(code_);
        pcre2_match_data_free(data_);
    }

    Pieces split(const std::string& text) const {
        std::vector<size_t> cuts = {0};
        for (size_t at = 0; at <= text.size();) {
            if (pcre2_match(code_, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), at, 0, data_, nullptr) < 0)
                break;
            const size_t* range = pcre2_get_ovector_pointer(data_);
            cuts.push_back(range[0]);
            cuts.push_back(range[1]);
            at = range[1];
            if (range[0] == range[1]) do
                    ++at;
                while (at < text.size() && (text[at] & 0xC0) == 0x80);
        }
        cuts.push_back(text.size());
        Pieces pieces;
        for (size_t i = 1; i < cuts.size(); ++i)
            if (cuts[i] > cuts[i - 1]) pieces.push_back(text.substr(cuts[i - 1], cuts[i] - cuts[i - 1]));
        return pieces;
    }

private:
    pcre2_code* code_;
    pcre2_match_data* data_;
};

Pieces split(const std::vector<std::string>& originals, const std::string& text) {
    Pieces pieces = {text};
    for (const std::string& pattern : originals) {
        Original original(pattern);
        Pieces next;
        for (const std::string& piece : pieces)
            for (std::string& part : original.split(piece)) next.push_back(std::move(part));
        pieces = std::move(next);
    }
    return pieces;
}

/// Letters of all cases, marks, numbers that are digits or not, scripts, spaces and line ends, often repeated.
std::string random_text(std::mt19937& random) {
    static const std::vector<std::string> kParts = {
        "a",  "b",      "s",      "A",      "Z",      "\u00e9", "\u00c9", "\u01c5",     "\u02b0", "\u0301",
        "1",  "2",      "9",      "\u0661", "\u00bd", "\u2160", " ",      " ",          "\t",     "\n",
        "\r", "\u00a0", "\u2003", "\u3000", "\u4e2d", "\u3005", "\u3007", "\u3042",     "\uac00", "'",
        "'s", "'RE",    "!",      "/",      "_",      "-",      "\u20ac", "\U0001F600", "\u0e01", "\x01"};
    std::string text;
    for (size_t n = 1 + random() % 12; n > 0; --n) {
        const std::string& part = kParts[random() % kParts.size()];
        for (size_t times = random() % 4 == 0 ? 1 + random() % 9 : 1; times > 0; --times) text += part;
    }
    return text;
}

TEST(Pretokenizer, RewrittenPatternsCutAsTheOriginals) {
    const std::string contractions = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])";
    const std::string spaces = R"(\s*[\r\n]+|\s+(?!\S)|\s+)";
    const std::string words =
        R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
        R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?)";
    const std::string upper = R"((?:(?!\p{sc:Han})[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]))";
    const std::string lower = R"((?:(?!\p{sc:Han})[\p{Ll}\p{Lm}\p{Lo}\p{M}]))";
    const std::string not_lower = R"(((?=[\p{L}\p{M}])([^a-z])))", not_upper = R"(((?=[\p{L}\p{M}])([^A-Z])))";
    const std::string symbols = R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|)", symbols_slash = R"(| ?[^\s\p{L}\p{N}]+[\r\n/]*|)";

    const std::vector<std::pair<std::string, std::vector<std::string>>> originals = {
        {"superbpe", {R"(\p{N}+)", R"((?=(\d{3})+(?!\d)))"}},
        // \b of Oniguruma, in which marks and all numbers are part of a word.
        {"tiny_aya",
         {R"(\d{1,3}(?=(?:\d{3})*(?![\p{L}\p{M}\p{N}\p{Pc}])))", words + R"(|\p{N}{1,3})" + symbols_slash + spaces}},
        {"exaone-moe",
         {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N})"
          R"(| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+)"}},
        {"jais-2",
         {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3})" + symbols +
          R"(\s*[\r\n]+|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S))"
          R"(|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1})"}},
        {"kimi-k2",
         {R"([\p{sc:Han}]+|[^\r\n\p{L}\p{N}]?)" + upper + "*" + lower + R"(+(?i:'s|'t|'re|'ve|'m|'ll|'d)?)" +
          R"(|[^\r\n\p{L}\p{N}]?)" + upper + "+" + lower + R"(*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3})" + symbols +
          spaces}},
        {"granite-embed-multi-97m",
         {R"([^\r\n\p{L}\p{N}]?)" + not_lower + "*" + not_upper + "+" + contractions + "?" + R"(|[^\r\n\p{L}\p{N}]?)" +
          not_lower + "+" + not_upper + "*" + contractions + "?" + R"(|\p{N}{1,3})" + symbols_slash + spaces}},
    };
    std::mt19937 random(3);
    for (const auto& [name, patterns] : originals) {
        const Pretokenizer pretokenizer(*find_pretokenizer(name));
        for (int round = 0; round < 3000; ++round) {
            const std::string text = random_text(random);
            ASSERT_EQ(split(pretokenizer, text), split(patterns, text)) << name << " of '" << text << "'";
        }
    }
}

TEST(Pretokenizer, EndOfTextIsFoundWithoutSearchingFromEverySpace) {
    // deepseek-llm's \s+$, of which only the rewritten form is run.
    std::mt19937 random(4);
    const PretokenizerStep rewritten{Cut::Matches, R"((?<!\s)\s+$)"};
    const PretokenizerStep* steps[] = {&rewritten};
    const Pretokenizer pretokenizer({.name = "", .steps = steps});
    for (int round = 0; round < 3000; ++round) {
        std::string text = random_text(random);
        std::erase(text, '\n');  // pieces of one line reach this step
        ASSERT_EQ(split(pretokenizer, text), split(std::vector<std::string>{R"(\s+$)"}, text)) << text;
    }
}

TEST(Pretokenizer, CutsDigitsFromTheRight) {
    EXPECT_EQ(split("superbpe", "a 1234567 b12"), (Pieces{"a ", "1", "234", "567", " b", "12"}));
    EXPECT_EQ(split("superbpe", "\u00bd12345"), (Pieces{"\u00bd12", "345"}));
    EXPECT_EQ(split("tiny_aya", "1234567 1234x"), (Pieces{"1", "234", "567", " ", "123", "4", "x"}));
    EXPECT_EQ(split("afmoe", "x123456,\u0661\u0662\u0663\u0664"),
              (Pieces{"x", "123", "456", ",", "\u0661", "\u0662\u0663\u0664"}));
}

TEST(Pretokenizer, MongolianVowelSeparatorIsNoSpace) {
    EXPECT_EQ(split("gpt-2", "a \u180e b"), (Pieces{"a", " \u180e", " b"}));
    EXPECT_EQ(split("gpt-2", "a\u3000\u3000b"), (Pieces{"a", "\u3000", "\u3000", "b"}));
}

TEST(Pretokenizer, CapitalsOfAllScriptsBeginWords) {  // T9
    for (const char* name : {"gpt-4o", "tekken", "llama4", "kimi-k2", "tiny_aya"}) {
        EXPECT_EQ(split(name, "ДокументПродажиТоваровУслуг"), (Pieces{"Документ", "Продажи", "Товаров", "Услуг"}))
            << name;
    }
}

TEST(Pretokenizer, IllFormedBytesArePiecesOfTheirOwn) {
    EXPECT_EQ(split("llama3",
                    "ab\xFF\xC3 \xE2\x82"
                    "cd"),
              (Pieces{"ab", "\xFF\xC3", " ", "\xE2\x82", "cd"}));
}

TEST(Pretokenizer, AllNamesAreThereAndLoseNothing) {
    EXPECT_EQ(pretokenizer_specs().size(), 91u);
    EXPECT_EQ(find_pretokenizer("no-such-name"), nullptr);
    std::mt19937 random(5);
    for (const PretokenizerSpec& spec : pretokenizer_specs()) {
        EXPECT_EQ(find_pretokenizer(spec.name), &spec);
        const Pretokenizer pretokenizer(spec);
        EXPECT_TRUE(split(pretokenizer, "").empty());
        for (int round = 0; round < 300; ++round) {
            std::string text = random_text(random);
            if (round % 2) text[random() % text.size()] = static_cast<char>(random());
            std::string joined;
            for (const std::string& piece : split(pretokenizer, text)) {
                EXPECT_FALSE(piece.empty());
                joined += piece;
            }
            ASSERT_EQ(joined, text) << spec.name;
        }
    }
}

// No assertion on time: a quadratic pattern would take the test to its time limit (minutes instead of milliseconds).
TEST(Pretokenizer, LongRunsTakeLinearTime) {
    const auto repeat = [](std::string_view unit) {
        std::string text;
        while (text.size() < 100'000) text += unit;
        return text;
    };
    const std::vector<std::string> texts = {repeat("a"),
                                            repeat("A"),
                                            repeat(" "),
                                            repeat("\n"),
                                            repeat("1"),
                                            repeat("'"),
                                            repeat("\t"),
                                            repeat("\u0301"),
                                            repeat("\u00bd"),
                                            repeat("\u4e2d"),
                                            repeat(" ") + "\U0001F600",
                                            repeat("1") + "a",
                                            repeat("A") + "1",
                                            repeat("a  b\n1'S\u00e9!")};
    for (const PretokenizerSpec& spec : pretokenizer_specs()) {
        const Pretokenizer pretokenizer(spec);
        for (const std::string& text : texts) {
            size_t bytes = 0;
            pretokenizer.split(text, [&](std::string_view piece) { bytes += piece.size(); });
            ASSERT_EQ(bytes, text.size()) << spec.name;
        }
    }
}

}  // namespace
}  // namespace godwit
