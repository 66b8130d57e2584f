#include "hub/checksum.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"

namespace godwit {
namespace {

constexpr size_t kSha256Digits = 64, kSha1Digits = 40;

}  // namespace

bool Checksum::is_checksum(const std::string& text) {
    auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    return (text.size() == kSha256Digits || text.size() == kSha1Digits) &&
           std::all_of(text.begin(), text.end(), is_hex);
}

Checksum::Checksum(std::string expected, uint64_t bytes)
    : expected_(std::move(expected)), bytes_(bytes), context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    CHECK(context_ != nullptr);
    restart();
}

void Checksum::restart() {
    bool is_sha256 = expected_.size() == kSha256Digits;
    CHECK(EVP_DigestInit_ex(context_.get(), is_sha256 ? EVP_sha256() : EVP_sha1(), nullptr) == 1);
    if (is_sha256) return;
    std::string head = fmt::format("blob {}", bytes_);
    update({head.c_str(), head.size() + 1});  // with the zero
}

void Checksum::update(std::span<const char> data) {
    CHECK(EVP_DigestUpdate(context_.get(), data.data(), data.size()) == 1);
}

bool Checksum::matches() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    CHECK(EVP_DigestFinal_ex(context_.get(), digest, &size) == 1);
    std::string hex;
    for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
    return hex == expected_;
}

}  // namespace godwit
