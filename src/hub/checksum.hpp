// The checksums by which a hub names the contents of files.
#pragma once

#include <openssl/evp.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace godwit {

/// SHA-256 of a file (64 hexadecimal digits: large files), or the SHA-1 that git gives it (40: small ones).
class Checksum {
public:
    /// Whether a text can be one.
    static bool is_checksum(const std::string& text);

    /// Of a file of so many bytes, to be compared with `expected`.
    Checksum(std::string expected, uint64_t bytes);
    void update(std::span<const char> data);
    /// Forgets all data.
    void restart();
    /// Whether the data are right. Once, after all of them.
    bool matches();

private:
    std::string expected_;
    uint64_t bytes_;
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace godwit
