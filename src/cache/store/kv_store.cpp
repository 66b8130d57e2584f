#include "cache/store/kv_store.hpp"

#include <algorithm>

namespace godwit {

Result<KvStore> KvStore::make(Device& device, const CacheSpec& spec, KvFormat format, std::span<const int64_t> blocks) {
    CHECK(blocks.size() == spec.groups.size());
    KvStore store;
    store.format_ = format;
    for (size_t g = 0; g < spec.groups.size(); ++g) {
        const CacheGroup& group = spec.groups[g];
        store.pools_.push_back(TRY(device.allocate(blocks[g] * group.block_bytes(format))));
        Buffer* pool = store.pools_.back().get();
        Shape keys{blocks[g], group.kv_heads, group.key_dim, kBlockTokens};
        Shape values{blocks[g], group.kv_heads, kBlockTokens, group.value_dim};
        uint64_t offset = 0;
        for (int32_t layer : group.layers) {
            if (store.keys_.size() <= static_cast<size_t>(layer)) {
                store.keys_.resize(layer + 1);
                store.values_.resize(layer + 1);
            }
            store.keys_[layer] = {pool, offset, kv_dtype(format), keys};
            offset += store.keys_[layer].bytes();
            store.values_[layer] = {pool, offset, kv_dtype(format), values};
            offset += store.values_[layer].bytes();
        }
    }
    return store;
}

uint64_t KvStore::bytes() const {
    uint64_t total = 0;
    for (const auto& pool : pools_) total += pool->size();
    return total;
}

}  // namespace godwit
