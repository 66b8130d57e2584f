#include "tokenizer/charsmap.hpp"

#include <algorithm>

namespace godwit {
namespace {

// A unit: its label in bits 0–7, whether a value hangs below it in bit 8, the way to its children in bits 10–30
// (shifted by 8 where bit 9 is set). A value: bit 31 set, the value in the others.
constexpr uint32_t kValueBit = 1u << 31;
bool has_value(uint32_t unit) { return unit >> 8 & 1; }
uint32_t label(uint32_t unit) { return unit & (kValueBit | 0xFF); }
uint32_t offset(uint32_t unit) { return unit >> 10 << ((unit & (1u << 9)) >> 6); }

uint32_t read_u32(std::string_view bytes) {
    uint32_t value = 0;
    for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

}  // namespace

Result<Charsmap> Charsmap::parse(std::string_view blob) {
    if (blob.size() < 4) return error("{} bytes are too few for a size", blob.size());
    const uint32_t trie_bytes = read_u32(blob);
    blob.remove_prefix(4);
    if (trie_bytes == 0 || trie_bytes % 4 != 0 || trie_bytes > blob.size())
        return error("a trie of {} bytes does not fit into {}", trie_bytes, blob.size());
    Charsmap map;
    map.replacements_ = blob.substr(trie_bytes);
    constexpr size_t kLongest = 256;  // known ones have up to 33 bytes
    for (size_t begin = 0, end; begin < map.replacements_.size(); begin = end + 1) {
        end = std::min(map.replacements_.find('\0', begin), map.replacements_.size());
        map.longest_replacement_ = std::max(map.longest_replacement_, end - begin);
        if (end - begin > kLongest) return error("a replacement of {} bytes (at most {})", end - begin, kLongest);
    }
    for (uint32_t at = 0; at < trie_bytes; at += 4) map.units_.push_back(read_u32(blob.substr(at)));
    for (uint32_t i = 0; i < map.units_.size(); ++i) {
        const uint32_t unit = map.units_[i];
        if (unit & kValueBit) {
            if ((unit & ~kValueBit) >= map.replacements_.size())
                return error("unit {} points at byte {} of {} bytes of replacements", i, unit & ~kValueBit,
                             map.replacements_.size());
        } else if ((i ^ offset(unit)) >= map.units_.size()) {
            return error("unit {} points at unit {} of {}", i, i ^ offset(unit), map.units_.size());
        }
    }
    return map;
}

std::optional<std::string_view> Charsmap::find(std::string_view text) const {
    uint32_t node = offset(units_[0]);
    for (char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        node ^= byte;
        if (byte == 0 || node >= units_.size() || label(units_[node]) != byte) return std::nullopt;
        const uint32_t unit = units_[node];
        node ^= offset(unit);
        if (!has_value(unit)) continue;
        const uint32_t value = units_[node];
        if (!(value & kValueBit)) return std::nullopt;
        const std::string_view rest = std::string_view(replacements_).substr(value & ~kValueBit);
        return rest.substr(0, rest.find('\0'));
    }
    return std::nullopt;
}

}  // namespace godwit
