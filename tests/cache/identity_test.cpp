// Expected digests: Python's hashlib over the encoding as documented in identity.hpp; FIPS 180-4 examples.
#include "cache/index/identity.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/crypto.h>

#include <cstdlib>
#include <functional>
#include <set>
#include <vector>

namespace godwit {
namespace {

using namespace std::string_literals;  // moved, not copied: g++ 12 sees overlaps in `text = "x"`

int64_t openssl_allocations = 0;

/// OpenSSL lets its allocator be exchanged only before it has allocated.
const bool counting = CRYPTO_set_mem_functions(
    [](size_t bytes, const char*, int) { return ++openssl_allocations, std::malloc(bytes); },
    [](void* memory, size_t bytes, const char*, int) { return ++openssl_allocations, std::realloc(memory, bytes); },
    [](void* memory, const char*, int) { std::free(memory); });

std::string hex(const Identity& identity) {
    std::string out;
    for (uint8_t byte : identity.bytes) out += fmt::format("{:02x}", byte);
    return out;
}

RootFields example() {
    RootFields fields{.numerics_version = 3,
                      .numerics_class = "base",
                      .kv_format = "f16",
                      .kv_layout = "plain",
                      .group = 1,
                      .block_tokens = 32,
                      .rope = "yarn=4",
                      .context = 8192,
                      .adapter = "adapter-a",
                      .adapter_scale = 0.5,
                      .tenant_salt = "salt"};
    for (uint8_t i = 0; i < 32; ++i) fields.model.bytes[i] = i;
    return fields;
}

constexpr int32_t kTokens[] = {0, 1, 2, -1, 151643, 2147483647};

TEST(Identity, IsSha256) {
    auto digest = [](std::string_view text) {
        return hex(sha256({reinterpret_cast<const uint8_t*>(text.data()), text.size()}));
    };
    EXPECT_EQ(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(digest(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Identity, RootHasItsGoldenDigest) {
    EXPECT_EQ(encode_root(example()).size(), 226u);
    EXPECT_EQ(hex(root_identity(example())), "474e9907d52bbfae7680c5320ac339f393a6f802f630b9a6c5b74ae8acb95917");
}

TEST(Identity, EveryFieldChangesTheRoot) {
    std::vector<std::function<void(RootFields&)>> changes = {
        [](RootFields&) {},
        [](RootFields& f) { f.model.bytes[31] ^= 1; },
        [](RootFields& f) { f.numerics_version = 4; },
        [](RootFields& f) { f.numerics_class = "amx-bf16"s; },
        [](RootFields& f) { f.kv_format = "f32"s; },
        [](RootFields& f) { f.kv_layout = "transposed"s; },
        [](RootFields& f) { f.group = 0; },
        [](RootFields& f) { f.block_tokens = 16; },
        [](RootFields& f) { f.rope = ""s; },
        [](RootFields& f) { f.context = 0; },
        [](RootFields& f) { f.adapter = ""s; },
        [](RootFields& f) { f.adapter_scale = -0.5; },
        [](RootFields& f) { f.tenant_salt = "pepper"s; },
    };
    std::set<std::string> seen;
    for (const auto& change : changes) {
        RootFields fields = example();
        change(fields);
        seen.insert(hex(root_identity(fields)));
    }
    EXPECT_EQ(seen.size(), changes.size());
}

TEST(Identity, FieldsDoNotRunIntoEachOther) {
    RootFields a, b;
    a.adapter = "ab"s, b.adapter = "a"s;
    a.kv_format = "f16"s, a.kv_layout = "x"s;
    b.kv_format = "f1"s, b.kv_layout = "6x"s;
    EXPECT_NE(encode_root(a), encode_root(b));
    b = a;
    b.kv_format = "f16x"s, b.kv_layout = ""s;
    EXPECT_NE(encode_root(a), encode_root(b));
}

TEST(Identity, BlocksFormAChain) {
    Identity root = root_identity(example());
    Identity first = block_identity({}, root, kTokens), second = block_identity(first, root, kTokens);
    EXPECT_EQ(hex(first), "99d53c97862f59e329ce323e4cdfb62e1e50d81e36e6f5c74be8a6226dc0db37");
    EXPECT_EQ(hex(second), "aa16f28bfcf061c29d45e7e77c5f8138f7cdcd21131d38c92e89d2608e40d2ea");
    EXPECT_NE(block_identity({}, {}, kTokens), first);
    EXPECT_NE(block_identity({}, root, std::span(kTokens).first(5)), first);
}

TEST(Identity, HashingBlocksAllocatesNothing) {
    ASSERT_TRUE(counting);
    Identity identity;
    int64_t before = openssl_allocations;
    for (int i = 0; i < 1000; ++i) identity = block_identity(identity, {}, kTokens);
    EXPECT_EQ(openssl_allocations, before);
}

}  // namespace
}  // namespace godwit
