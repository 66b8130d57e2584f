// What a model keeps per token: pure data, part of the ModelPlan. Layers that keep the same thing for the same tokens
// form a group; every group has its own pool of blocks and its own block table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ceil_div.hpp"
#include "base/result.hpp"
#include "tensor/dtype.hpp"

namespace godwit {

inline DType kv_dtype(KvFormat format) { return format == KvFormat::F32 ? DType::F32 : DType::F16; }
inline std::string_view kv_format_name(KvFormat format) { return format == KvFormat::F32 ? "f32" : "f16"; }

/// Tokens of one block, in every group.
inline constexpr int64_t kBlockTokens = 32;

/// Blocks that hold so many tokens.
constexpr int64_t count_blocks(int64_t tokens) { return ceil_div(tokens, kBlockTokens); }

struct CacheGroup {
    int32_t window = 0;           // 0: full attention; W > 0: only the last W tokens are ever read
    std::vector<int32_t> layers;  // model layers, ascending; each has a key plane and a value plane
    int64_t kv_heads = 0;
    int64_t key_dim = 0, value_dim = 0;

    /// Bytes of one block over all layers of the group.
    uint64_t block_bytes(KvFormat format) const {
        uint64_t per_token = kv_heads * (key_dim + value_dim) * dtype_info(kv_dtype(format)).block_bytes;
        return layers.size() * kBlockTokens * per_token;
    }
};

struct CacheSpec {
    std::vector<CacheGroup> groups;

    /// Bytes that a sequence of `tokens` takes in all groups, whole blocks counted.
    uint64_t bytes(int64_t tokens, KvFormat format) const {
        uint64_t blocks = count_blocks(tokens), total = 0;
        for (const CacheGroup& group : groups) total += blocks * group.block_bytes(format);
        return total;
    }
};

}  // namespace godwit
