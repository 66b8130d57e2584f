// The target of a request line (RFC 9112, section 3.2): path, query, and the host of an absolute one.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace godwit::http {

struct Target {
    std::string path;   // percent-decoded; begins with '/', or is "*"
    std::string query;  // as sent, without '?'
    std::string host;   // of an absolute target ("http://host:port/path"), otherwise empty
};

/// Errors: neither a path nor an absolute http(s) URL nor "*", a '%' without two hex digits, a NUL.
Result<Target> parse_target(std::string_view text);

}  // namespace godwit::http
