#include "cache/index/identity.hpp"

// EVP, which OpenSSL 3 would have us use instead, allocates for every hash (docs/decisions/0007).
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <bit>

#include "base/check.hpp"

namespace godwit {
namespace {

void append_number(std::string& out, uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) out.push_back(static_cast<char>(number >> shift));
}

void append_field(std::string& out, std::string_view bytes) {
    append_number(out, bytes.size());
    out += bytes;
}

void append_field(std::string& out, uint64_t number) {
    append_number(out, 8);
    append_number(out, number);
}

class Sha256 {
public:
    Sha256() { CHECK(SHA256_Init(&state_) == 1); }
    void add(std::span<const uint8_t> bytes) { CHECK(SHA256_Update(&state_, bytes.data(), bytes.size()) == 1); }
    Identity finish() {
        Identity identity;
        CHECK(SHA256_Final(identity.bytes.data(), &state_) == 1);
        return identity;
    }

private:
    SHA256_CTX state_;
};

}  // namespace

std::string encode_root(const RootFields& fields) {
    std::string out;
    append_field(out, "godwit cache root 1");
    append_field(out, {reinterpret_cast<const char*>(fields.model.bytes.data()), fields.model.bytes.size()});
    append_field(out, static_cast<uint64_t>(fields.numerics_version));
    append_field(out, fields.numerics_class);
    append_field(out, fields.kv_format);
    append_field(out, fields.kv_layout);
    append_field(out, static_cast<uint64_t>(fields.group));
    append_field(out, static_cast<uint64_t>(fields.block_tokens));
    append_field(out, fields.rope);
    append_field(out, static_cast<uint64_t>(fields.context));
    append_field(out, fields.adapter);
    append_field(out, std::bit_cast<uint64_t>(fields.adapter_scale));
    append_field(out, fields.tenant_salt);
    return out;
}

Identity sha256(std::span<const uint8_t> bytes) {
    Sha256 hash;
    hash.add(bytes);
    return hash.finish();
}

Identity root_identity(const RootFields& fields) {
    std::string bytes = encode_root(fields);
    return sha256({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

Identity block_identity(const Identity& parent, const Identity& root, std::span<const int32_t> tokens) {
    static_assert(std::endian::native == std::endian::little, "tokens are hashed as they lie in memory");
    Sha256 hash;
    hash.add(parent.bytes);
    hash.add(root.bytes);
    hash.add({reinterpret_cast<const uint8_t*>(tokens.data()), tokens.size_bytes()});
    return hash.finish();
}

}  // namespace godwit
