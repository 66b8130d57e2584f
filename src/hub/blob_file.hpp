// A file of the store while it is downloaded: written under the name CHECKSUM.incomplete, checked as it grows, named
// when it is whole.
#pragma once

#include <filesystem>
#include <span>

#include "base/result.hpp"
#include "hub/checksum.hpp"
#include "hub/hub_client.hpp"

namespace godwit {

class BlobFile {
public:
    /// Opens what an earlier download has left and reads it into the checksum, or begins anew.
    static Result<BlobFile> open(const std::filesystem::path& blob, const FileFacts& facts);
    BlobFile(BlobFile&& other) noexcept;
    ~BlobFile();

    uint64_t size() const { return size_; }
    /// Appends. Error: no room, or what else the file system says.
    Result<void> write(std::span<const char> data);
    /// Throws all away.
    Result<void> restart();
    /// Checks it, makes it durable and gives it its name. Error: a wrong checksum; the file is removed.
    Result<void> finish();

private:
    BlobFile(const std::filesystem::path& blob, const FileFacts& facts);
    Result<void> read_rest();
    Error failure(const char* what) const;

    std::filesystem::path blob_, part_;
    Checksum checksum_;
    uint64_t size_ = 0;
    int fd_ = -1;
};

}  // namespace godwit
