// Reads little-endian numbers and strings from bytes that may lie: every read is checked against what is left.
// The one way in which a reader of this folder touches a file's header.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/result.hpp"

namespace godwit {

static_assert(std::endian::native == std::endian::little, "model files are read as they lie: little-endian");

/// The fix that goes with every "the file is too short".
inline constexpr std::string_view kTruncated = "truncated download? re-run the download";

class ByteCursor {
public:
    explicit ByteCursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

    size_t position() const { return position_; }
    size_t remaining() const { return bytes_.size() - position_; }

    /// The next `count` bytes. `what` names them in the error ("the number of keys").
    Result<std::span<const std::byte>> take(uint64_t count, std::string_view what) {
        if (count > remaining())
            return error("the file ends inside {}: its length is {}, of which {} are there, at offset {} ({})", what,
                         count, remaining(), position_, kTruncated);
        auto taken = bytes_.subspan(position_, count);
        position_ += count;
        return taken;
    }

    template <class T>
    Result<T> read(std::string_view what) {
        static_assert(std::is_arithmetic_v<T>);
        auto bytes = TRY(take(sizeof(T), what));
        T value;
        std::memcpy(&value, bytes.data(), sizeof(T));
        return value;
    }

    /// u64 length + bytes, as GGUF stores every string.
    Result<std::string_view> read_string(std::string_view what) {
        auto length = TRY(read<uint64_t>(what));
        auto bytes = TRY(take(length, what));
        return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }

private:
    std::span<const std::byte> bytes_;
    size_t position_ = 0;
};

}  // namespace godwit
