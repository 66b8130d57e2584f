// The strings of tools/oracle/make_tokenizers.py, and its hashes of what Hugging Face's `tokenizers` makes of them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/utf8.hpp"
#include "text/json.hpp"
#include "text/unicode.hpp"
#include "tokenizer/tokenizer.hpp"

namespace godwit {

inline std::string read_golden(const std::string& name) {
    std::ifstream in(std::string(GODWIT_TEST_DATA) + "/golden/tokenizers/" + name, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    EXPECT_TRUE(in) << name;
    return text.str();
}

class OracleStrings {
public:
    OracleStrings() {
        auto read = parse_json(read_golden("strings.json"));
        EXPECT_TRUE(read.ok());
        const Json json = std::move(read).take();
        for (const Json& part : json["parts"]) parts_.push_back(part.get<std::string>());
        for (const Json& range : json["ranges"])
            ranges_.push_back({range[0].get<uint32_t>(), range[1].get<uint32_t>()});
    }

    std::string string(uint64_t number) const {
        uint64_t state = number;
        const auto below = [&](uint64_t n) {  // SplitMix64
            uint64_t z = state += 0x9E3779B97F4A7C15;
            z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
            z = (z ^ z >> 27) * 0x94D049BB133111EB;
            return (z ^ z >> 31) % n;
        };
        std::string text;
        for (uint64_t n = 1 + below(12); n > 0; --n) {
            std::string part;
            if (below(8) == 0) {
                const auto [low, high] = ranges_[below(ranges_.size())];
                append_utf8(part, static_cast<char32_t>(low + below(high - low + 1)));
            } else {
                part = parts_[below(parts_.size())];
            }
            for (uint64_t times = below(10) == 0 ? 1 + below(6) : 1; times > 0; --times) text += part;
            if (below(2) == 0) text += ' ';
        }
        return text;
    }

private:
    std::vector<std::string> parts_;
    std::vector<std::pair<uint32_t, uint32_t>> ranges_;
};

/// FNV-1a, folded.
inline uint16_t hash16(std::string_view bytes) {
    uint64_t h = 0xCBF29CE484222325;
    for (char byte : bytes) h = (h ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
    return static_cast<uint16_t>(h >> 48 ^ h >> 32 ^ h >> 16 ^ h);
}

inline uint16_t hash16(const std::vector<TokenId>& ids) {
    return hash16(std::string_view(reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(TokenId)));
}

/// Compares ids, and, with `decoded`, texts, of the strings that `hashes` has 4 bytes each of.
inline void expect_oracle(const Tokenizer& tokenizer, const OracleStrings& strings, std::string_view hashes,
                          const std::string& name, bool decoded = true) {
    const auto hash_at = [&](size_t i) {
        return static_cast<uint16_t>(static_cast<unsigned char>(hashes[2 * i]) |
                                     static_cast<unsigned char>(hashes[2 * i + 1]) << 8);
    };
    int wrong_ids = 0, wrong_texts = 0;
    for (size_t i = 0; i < hashes.size() / 4; ++i) {
        const std::string text = strings.string(i);
        const std::vector<TokenId> ids = tokenizer.encode(text, Specials::All);
        std::string shown;
        for (TokenId id : ids) shown += fmt::format(" {}:{}", id, tokenizer.raw_text(id));
        if (hash16(ids) != hash_at(2 * i)) {
            if (++wrong_ids <= 3) ADD_FAILURE() << name << ", string " << i << " '" << text << "' became" << shown;
            continue;
        }
        const std::string back = tokenizer.decode(ids, true);
        // Bytes that are no text: Hugging Face shows each as U+FFFD, here they stay.
        if (!decoded || replace_ill_formed(back) != back) continue;
        if (hash16(back) != hash_at(2 * i + 1) && ++wrong_texts <= 3)
            ADD_FAILURE() << name << ", string " << i << " '" << text << "' decoded to '" << back << "' from" << shown;
    }
    EXPECT_EQ(wrong_ids, 0) << name;
    EXPECT_EQ(wrong_texts, 0) << name;
}

}  // namespace godwit
