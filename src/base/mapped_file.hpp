// A read-only mapping of a whole file. Owns the mapping; views into it die with it.
// Threads: immutable after open(), so any number of readers. Whoever shortens the file in place meanwhile ends the
// process (SIGBUS); replacing it by rename, as every downloader does, is harmless.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "base/result.hpp"

namespace godwit {

class MappedFile {
public:
    /// Maps `path` privately and read-only. Errors: not there, not a regular file, empty, not mappable.
    static Result<MappedFile> open(const std::string& path);

    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    const std::string& path() const { return path_; }
    std::span<const std::byte> bytes() const { return {data_, size_}; }
    /// Takes the pages that lie wholly inside `part` out of this process' memory; reading them again brings them back
    /// from the file.
    void drop(std::span<const std::byte> part) const;

private:
    MappedFile(std::string path, const std::byte* data, size_t size)
        : path_(std::move(path)), data_(data), size_(size) {}

    std::string path_;
    const std::byte* data_ = nullptr;
    size_t size_ = 0;
};

}  // namespace godwit
