// Content-Encoding of request bodies: gzip and zstd, never more memory than allowed (a bomb is refused while it
// unfolds).
#pragma once

#include <string>
#include <string_view>

namespace godwit::http {

struct DecodedBody {
    int status = 200;     // or 400 (broken data), 413 (more than bytes_max), 415 (another encoding, or several)
    std::string message;  // why not 200
    std::string body;
};

/// `encoding`: the header's value; empty or "identity" leave the body as it is. Several gzip members or zstd frames are
/// one body (RFC 1952, RFC 8878). Any thread.
DecodedBody decode_body(std::string_view encoding, std::string body, size_t bytes_max);

}  // namespace godwit::http
