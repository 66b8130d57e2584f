#include "server/http/body_encoding.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "base/ascii.hpp"

namespace godwit::http {

namespace {

constexpr size_t kFirstBytes = 64 << 10;
constexpr int kGzip = 16 + 15;   // zlib: gzip alone, the largest window
constexpr int kZstdWindow = 23;  // 8 MiB, what RFC 8878 asks of a decoder

DecodedBody broken(std::string_view encoding) { return {400, fmt::format("the body is not valid {}", encoding), {}}; }

DecodedBody too_long(size_t bytes_max) {
    return {413, fmt::format("the decompressed body is longer than {} bytes", bytes_max), {}};
}

/// Makes room after `used` bytes: twice as much as there was, one byte over the limit at most. False: no room is left.
bool grow(std::string& out, size_t used, size_t bytes_max) {
    if (used < out.size()) return true;
    if (used > bytes_max) return false;
    out.resize(std::min(std::max(kFirstBytes, 2 * used), bytes_max + 1));
    return true;
}

DecodedBody gunzip(std::string_view body, size_t bytes_max) {
    z_stream stream{};
    if (inflateInit2(&stream, kGzip) != Z_OK) return {500, "out of memory", {}};
    const std::unique_ptr<z_stream, decltype(&inflateEnd)> owner(&stream, inflateEnd);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
    stream.avail_in = static_cast<uInt>(body.size());
    std::string out;
    size_t used = 0;
    int status = Z_OK;
    while (status != Z_STREAM_END || stream.avail_in > 0) {
        if (!grow(out, used, bytes_max)) return too_long(bytes_max);
        if (status == Z_STREAM_END) inflateReset(&stream);  // another member
        stream.next_out = reinterpret_cast<Bytef*>(out.data() + used);
        stream.avail_out = static_cast<uInt>(out.size() - used);
        status = inflate(&stream, Z_NO_FLUSH);
        used = out.size() - stream.avail_out;
        // Z_BUF_ERROR: no progress, that is, the data ends too early
        if (status != Z_OK && status != Z_STREAM_END) return broken("gzip");
    }
    if (used > bytes_max) return too_long(bytes_max);
    out.resize(used);
    return {200, {}, std::move(out)};
}

DecodedBody unzstd(std::string_view body, size_t bytes_max) {
    const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
    if (!context) return {500, "out of memory", {}};
    ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kZstdWindow);
    ZSTD_inBuffer in{body.data(), body.size(), 0};
    std::string out;
    size_t used = 0;
    size_t left = 1;  // of a frame: 0 at its end
    while (in.pos < in.size || left != 0) {
        if (!grow(out, used, bytes_max)) return too_long(bytes_max);
        ZSTD_outBuffer to{out.data(), out.size(), used};
        const size_t before = in.pos;
        left = ZSTD_decompressStream(context.get(), &to, &in);
        if (ZSTD_isError(left)) return broken("zstd");
        if (in.pos == before && to.pos == used) return broken("zstd");  // it ends too early
        used = to.pos;
    }
    if (used > bytes_max) return too_long(bytes_max);
    out.resize(used);
    return {200, {}, std::move(out)};
}

}  // namespace

DecodedBody decode_body(std::string_view encoding, std::string body, size_t bytes_max) {
    const std::string name = lower_case(encoding);
    if (name.empty() || name == "identity") return {200, {}, std::move(body)};
    if (name == "gzip" || name == "x-gzip") return gunzip(body, bytes_max);
    if (name == "zstd") return unzstd(body, bytes_max);
    return {415, "Content-Encoding must be gzip, zstd or identity", {}};
}

}  // namespace godwit::http
