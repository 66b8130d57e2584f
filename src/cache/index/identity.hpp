// What a block of the cache holds, as a number: SHA-256 over the identity of the block before it, the block's tokens
// and a root that stands for everything else that its bytes depend on. Equal identities mean equal bytes; a lookup
// still compares the tokens.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace godwit {

struct Identity {
    std::array<uint8_t, 32> bytes{};  // all zero: no block; the parent of a sequence's first one

    bool operator==(const Identity&) const = default;
};

/// Everything that must be the same for two blocks with the same tokens before them to hold the same bytes.
/// A new field goes to the end of encode_root(), and raises its version.
struct RootFields {
    Identity model;  // digest of the model's contents
    int64_t numerics_version = 0;
    std::string numerics_class;  // docs/numerics.md
    std::string kv_format;
    std::string kv_layout;
    int64_t group = 0;
    int64_t block_tokens = 0;
    std::string rope;     // overrides, as given; empty: the model's own
    int64_t context = 0;  // configured, where the rope depends on it; 0 otherwise
    std::string adapter;
    double adapter_scale = 0;
    std::string tenant_salt;  // keeps tenants apart
};

/// The fields as bytes, no two different ones alike: for each the count of its bytes (8, little endian), then the
/// bytes. Numbers are 8 bytes, little endian.
std::string encode_root(const RootFields& fields);

/// SHA-256 of any bytes.
Identity sha256(std::span<const uint8_t> bytes);

/// SHA-256 of encode_root().
Identity root_identity(const RootFields& fields);

/// The identity of a full block: SHA-256 of parent, root and tokens (4 bytes each, little endian). Allocates nothing.
Identity block_identity(const Identity& parent, const Identity& root, std::span<const int32_t> tokens);

}  // namespace godwit
