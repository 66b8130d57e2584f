// Status line and header of a response, as bytes.
#pragma once

#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "server/http/http.hpp"

namespace godwit::http {

/// How the client knows where the body ends.
enum class Framing : uint8_t { Length, Chunked, Close };

struct ResponseHead {
    int status = 200;
    std::string_view content_type;  // empty: none
    Framing framing = Framing::Length;
    size_t length = 0;  // with Framing::Length
    bool keep_alive = true;
    std::string_view request_id;
    bool event_stream = false;  // headers that keep proxies from holding events back
};

/// Ends with the empty line. Control characters in the values of `more` become spaces: no value can forge a header.
std::string response_head(const ResponseHead& head, const Headers& cors, const Headers& more, std::time_t now);

/// One piece of a chunked body (RFC 9112, section 7.1). An empty `data` gives an empty text, never the last chunk.
std::string chunk(std::string_view data);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace godwit::http
