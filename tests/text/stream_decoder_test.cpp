// The cases of tests/cases/text.json (Python's incremental decoder and a direct search), every cut of their bytes, and
// random texts against a decoder that first decodes everything and then searches.
#include "text/stream_decoder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "base/utf8.hpp"

namespace godwit {
namespace {

struct Outcome {
    std::string text;
    std::optional<std::string> stop;
    bool operator==(const Outcome&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
    return out << '\'' << outcome.text << "' stop " << outcome.stop.value_or("none");
}

Outcome stream(const std::vector<std::string>& pieces, const std::vector<std::string>& stops) {
    StreamDecoder decoder(stops);
    std::string text;
    for (const std::string& piece : pieces) decoder.push(piece, text);
    decoder.finish(text);
    return {text, decoder.stopped()};
}

std::string unhex(const std::string& hex) {
    std::string bytes;
    for (size_t i = 0; i < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    return bytes;
}

nlohmann::json cases() {
    std::ifstream file(GODWIT_TEST_DATA "/cases/text.json");
    return nlohmann::json::parse(file)["cases"];
}

std::optional<std::string> expected_stop(const nlohmann::json& c) {
    const nlohmann::json& stop = c["expected"]["stop"];
    if (stop.is_null()) return std::nullopt;
    return stop.get<std::string>();
}

TEST(StreamDecoder, CasesInTheirPieces) {
    for (const auto& c : cases()) {
        SCOPED_TRACE(c["id"].get<std::string>());
        StreamDecoder decoder(c["stops"].get<std::vector<std::string>>());
        std::string text;
        for (size_t i = 0; i < c["pieces"].size(); ++i) {
            decoder.push(unhex(c["pieces"][i]), text);
            EXPECT_EQ(text.size(), c["emitted"][i].get<size_t>()) << "after piece " << i;
        }
        decoder.finish(text);
        EXPECT_EQ(text, c["expected"]["text"].get<std::string>());
        EXPECT_EQ(decoder.stopped(), expected_stop(c));
    }
}

TEST(StreamDecoder, CasesInEveryCut) {
    for (const auto& c : cases()) {
        SCOPED_TRACE(c["id"].get<std::string>());
        const auto stops = c["stops"].get<std::vector<std::string>>();
        std::string bytes;
        for (const auto& piece : c["pieces"]) bytes += unhex(piece);
        const Outcome whole = stream({bytes}, stops);
        EXPECT_EQ(whole, (Outcome{c["expected"]["text"].get<std::string>(), expected_stop(c)}));
        std::vector<std::string> single;
        for (char byte : bytes) single.emplace_back(1, byte);
        EXPECT_EQ(stream(single, stops), whole);
        for (size_t a = 0; a <= bytes.size(); ++a)
            for (size_t b = a; b <= bytes.size(); ++b)
                ASSERT_EQ(stream({bytes.substr(0, a), bytes.substr(a, b - a), bytes.substr(b)}, stops), whole)
                    << "cut at " << a << " and " << b;
    }
}

/// The specification, word by word: decode all, drop the unfinished end, search.
Outcome decode_then_search(std::string_view bytes, const std::vector<std::string>& stops) {
    std::string text;
    while (!bytes.empty()) {
        const Utf8Unit unit = next_utf8(bytes);
        if (unit.form == Utf8Form::Cut) break;
        text += unit.form == Utf8Form::WellFormed ? bytes.substr(0, unit.size) : kReplacementCharacter;
        bytes.remove_prefix(unit.size);
    }
    Outcome best{text, std::nullopt};
    size_t best_end = std::string::npos;
    for (const std::string& stop : stops) {
        const size_t begin = text.find(stop);
        if (stop.empty() || begin == std::string::npos) continue;
        const size_t end = begin + stop.size();
        if (end > best_end || (end == best_end && stop.size() <= best.stop->size())) continue;
        best_end = end;
        best = {text.substr(0, begin), stop};
    }
    return best;
}

TEST(StreamDecoder, RandomTextsAgreeWithTheSpecification) {
    const std::vector<std::string> letters = {"a",    "b",        "\u00e9", "\u00a9", "\xC3",
                                              "\xA9", "\xE2\x82", "\u20ac", "\xFF"};
    std::mt19937 random(7);
    const auto word = [&](size_t most, size_t kinds) {
        std::string text;
        for (size_t n = random() % (most + 1); n > 0; --n) text += letters[random() % kinds];
        return text;
    };
    size_t stopped = 0;
    for (int round = 0; round < 20000; ++round) {
        std::vector<std::string> stops;
        for (size_t n = random() % 4; n > 0; --n) stops.push_back(word(4, 4));
        std::vector<std::string> pieces;
        std::string bytes;
        for (size_t n = random() % 8; n > 0; --n) bytes += pieces.emplace_back(word(4, letters.size()));
        const Outcome want = decode_then_search(bytes, stops);
        ASSERT_EQ(stream(pieces, stops), want);
        stopped += want.stop.has_value();
    }
    EXPECT_GT(stopped, 2000u);
}

TEST(StreamDecoder, NothingComesAfterAStop) {
    StreamDecoder decoder({"END"});
    std::string text;
    decoder.push("text E", text);
    EXPECT_EQ(text, "text ");
    decoder.push("ND more", text);
    decoder.push("more", text);
    decoder.finish(text);
    EXPECT_EQ(text, "text ");
    EXPECT_EQ(decoder.stopped(), "END");
}

TEST(StreamDecoder, EmptyStopsAreIgnoredAndBrokenOnesMatchWhatBecomesOfThem) {
    EXPECT_EQ(stream({"abc"}, {""}), (Outcome{"abc", std::nullopt}));
    EXPECT_EQ(stream({"a\xFF"
                      "b"},
                     {"\xFE"}),
              (Outcome{"a", "\uFFFD"}));
}

TEST(StreamDecoder, LongStopsOverLongTextsInSmallPieces) {
    // Each byte could begin the stop anew; what is held back is long and moves on byte by byte.
    const std::string run(20'000, 'a');
    StreamDecoder decoder({run + "b", run + "c"});
    std::string text;
    for (int i = 0; i < 200'000; ++i) decoder.push("a", text);
    EXPECT_EQ(text.size(), 180'000u);
    decoder.push("c", text);
    EXPECT_EQ(text.size(), 180'000u);
    EXPECT_EQ(decoder.stopped(), run + "c");
}

TEST(StopAutomaton, KnowsWhichStringsOccur) {
    const std::vector<std::string> stops = {"ab", "b", "abc", "", "xab", "q"};
    EXPECT_EQ(StopAutomaton(stops).occurring("xabx"), (std::vector<bool>{true, true, false, false, true, false}));
    EXPECT_EQ(StopAutomaton(stops).occurring(""), std::vector<bool>(6));
}

TEST(StopAutomaton, NestedStringsTakeLinearTime) {  // every place × every string would be 10^9
    std::vector<std::string> stops;
    for (size_t length = 1; length <= 1000; ++length) stops.emplace_back(length, 'a');
    stops.push_back("b");
    const std::vector<bool> occurring = StopAutomaton(stops).occurring(std::string(1'000'000, 'a'));
    EXPECT_EQ(std::count(occurring.begin(), occurring.end(), true), 1000);
    EXPECT_FALSE(occurring.back());
}

}  // namespace
}  // namespace godwit
