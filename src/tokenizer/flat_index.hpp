// A hash table of indices whose keys lie elsewhere: 4 bytes a slot, open addressing, at most half full.
// Keys come from files that may have been made to collide: insert() gives up instead of growing slow.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.hpp"

namespace godwit {

/// Low bits as good as high ones. Not for the disk: may change.
uint64_t hash_text(std::string_view text);
uint64_t hash_pair(uint32_t first, uint32_t second);

class FlatIndex {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    explicit FlatIndex(size_t max_entries)
        : slots_(std::bit_ceil(2 * max_entries + 1), kNone), index_mask_((1u << std::bit_width(max_entries)) - 1) {
        CHECK(max_entries < (1u << 30));
    }

    /// The index under `hash` for which is_key(index) holds, of several the one inserted first, or kNone.
    template <class IsKey>
    uint32_t find(uint64_t hash, IsKey is_key) const {
        for (size_t i = hash & slot_mask(); slots_[i] != kNone; i = (i + 1) & slot_mask()) {
            const uint32_t index = slots_[i] & index_mask_;
            if (slots_[i] == entry(hash, index) && is_key(index)) return index;
        }
        return kNone;
    }

    /// Starts to fetch the place where find() will look.
    void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & slot_mask()]); }

    /// False where too many keys share a neighbourhood. index < max_entries.
    [[nodiscard]] bool insert(uint64_t hash, uint32_t index) {
        constexpr size_t kMaxProbes = 1024;  // half a million honest keys need fewer than 100
        for (size_t probe = 0; probe < kMaxProbes; ++probe) {
            uint32_t& slot = slots_[(hash + probe) & slot_mask()];
            if (slot != kNone) continue;
            slot = entry(hash, index);
            return true;
        }
        return false;
    }

private:
    size_t slot_mask() const { return slots_.size() - 1; }

    /// The bits that the index leaves free hold bits of the hash, which spare most looks at other keys. Never kNone, as
    /// no index has all bits of the mask.
    uint32_t entry(uint64_t hash, uint32_t index) const {
        return (static_cast<uint32_t>(hash >> 32) & ~index_mask_) | index;
    }

    std::vector<uint32_t> slots_;
    uint32_t index_mask_;
};

}  // namespace godwit
