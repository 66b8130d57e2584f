// The bytes of the paged cache on a device: for every group a pool of blocks, for every layer of it a key plane
// [blocks, kv_heads, key_dim, kBlockTokens] and a value plane [blocks, kv_heads, kBlockTokens, value_dim]. Knows no
// sequences: which block belongs to whom is the index's business. One thread at a time (the engine's).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/device.hpp"
#include "base/result.hpp"
#include "cache/spec.hpp"

namespace godwit {

class KvStore {
public:
    /// `blocks`: how many blocks each group's pool has. Error: out of memory.
    static Result<KvStore> make(Device& device, const CacheSpec& spec, KvFormat format,
                                std::span<const int64_t> blocks);

    const View& keys(int32_t layer) const { return keys_[layer]; }
    const View& values(int32_t layer) const { return values_[layer]; }
    KvFormat format() const { return format_; }
    /// Bytes allocated; equals CacheSpec's arithmetic exactly.
    uint64_t bytes() const;

private:
    KvFormat format_{};
    std::vector<std::unique_ptr<Buffer>> pools_;  // one a group
    std::vector<View> keys_, values_;             // by layer
};

}  // namespace godwit
