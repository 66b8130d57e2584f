#include "hub/blob_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/printable.hpp"

namespace godwit {
namespace {

std::filesystem::path incomplete(std::filesystem::path blob) { return blob += ".incomplete"; }

}  // namespace

BlobFile::BlobFile(const std::filesystem::path& blob, const FileFacts& facts)
    : blob_(blob), part_(incomplete(blob)), checksum_(facts.checksum, facts.bytes) {}

BlobFile::BlobFile(BlobFile&& other) noexcept
    : blob_(std::move(other.blob_)),
      part_(std::move(other.part_)),
      checksum_(std::move(other.checksum_)),
      size_(other.size_),
      fd_(std::exchange(other.fd_, -1)) {}

BlobFile::~BlobFile() {
    if (fd_ >= 0) ::close(fd_);
}

Error BlobFile::failure(const char* what) const {
    return error("{}: cannot {}: {}", printable(part_.string(), 500), what, std::strerror(errno));
}

Result<BlobFile> BlobFile::open(const std::filesystem::path& blob, const FileFacts& facts) {
    BlobFile file(blob, facts);
    file.fd_ = ::open(file.part_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0664);
    if (file.fd_ < 0) return file.failure("open");
    TRY(file.read_rest());
    if (file.size_ > facts.bytes) TRY(file.restart());
    return file;
}

Result<void> BlobFile::read_rest() {
    std::vector<char> chunk(1 << 20);
    for (;;) {
        ssize_t n = ::read(fd_, chunk.data(), chunk.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return failure("read");
        if (n == 0) return done();
        checksum_.update({chunk.data(), static_cast<size_t>(n)});
        size_ += static_cast<uint64_t>(n);
    }
}

Result<void> BlobFile::write(std::span<const char> data) {
    checksum_.update(data);
    while (!data.empty()) {
        ssize_t n = ::write(fd_, data.data(), data.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return failure("write");
        data = data.subspan(static_cast<size_t>(n));
        size_ += static_cast<uint64_t>(n);
    }
    return done();
}

Result<void> BlobFile::restart() {
    if (::ftruncate(fd_, 0) != 0 || ::lseek(fd_, 0, SEEK_SET) != 0) return failure("empty");
    checksum_.restart();
    size_ = 0;
    return done();
}

Result<void> BlobFile::finish() {
    if (!checksum_.matches()) {
        ::unlink(part_.c_str());
        return error("wrong checksum (the download has been removed; try again)");
    }
    if (::fsync(fd_) != 0) return failure("write");
    if (::rename(part_.c_str(), blob_.c_str()) != 0) return failure("rename");
    return done();
}

}  // namespace godwit
