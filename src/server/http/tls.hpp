// The server's side of TLS through OpenSSL.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>

#include "base/result.hpp"

namespace godwit::http {

/// TLS 1.2 and 1.3 with a certificate chain and its key (PEM files, the key without a password). Errors name the file.
Result<std::unique_ptr<boost::asio::ssl::context>> make_tls_context(const std::string& cert, const std::string& key);

}  // namespace godwit::http
