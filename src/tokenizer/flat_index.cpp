#include "tokenizer/flat_index.hpp"

#include <cstring>

namespace godwit {
namespace {

// Odd constants without a pattern: the fractional parts of the golden ratio and of the square root of 3.
constexpr uint64_t kA = 0x9E3779B97F4A7C15, kB = 0xBB67AE8584CAA73B;

/// Every bit of the result depends on every bit of both factors.
uint64_t fold(uint64_t a, uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace

uint64_t hash_text(std::string_view text) {
    uint64_t hash = text.size() * kA;
    while (!text.empty()) {
        uint64_t word = 0;
        const size_t n = text.size() < sizeof word ? text.size() : sizeof word;
        std::memcpy(&word, text.data(), n);
        hash = fold(hash ^ word ^ kA, kB);
        text.remove_prefix(n);
    }
    return hash;
}

uint64_t hash_pair(uint32_t first, uint32_t second) {
    return fold((static_cast<uint64_t>(first) << 32 | second) ^ kA, kB);
}

}  // namespace godwit
