#include "server/http/tls.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace godwit::http {

namespace {

/// What OpenSSL says of its first error, the cause.
std::string reason() {
    const unsigned long code = ERR_get_error();
    ERR_clear_error();
    const char* text = ERR_SYSTEM_ERROR(code) ? nullptr : ERR_reason_error_string(code);
    if (ERR_SYSTEM_ERROR(code))
        return std::error_code(static_cast<int>(ERR_GET_REASON(code)), std::generic_category()).message();
    return text ? text : "unknown error";
}

}  // namespace

Result<std::unique_ptr<boost::asio::ssl::context>> make_tls_context(const std::string& cert, const std::string& key) {
    if (cert.empty() || key.empty())
        return error("tls: a certificate needs a key, and a key a certificate (give both files)");
    auto context = std::make_unique<boost::asio::ssl::context>(boost::asio::ssl::context::tls_server);
    SSL_CTX* const ssl = context->native_handle();
    ERR_clear_error();
    SSL_CTX_set_min_proto_version(ssl, TLS1_2_VERSION);
    SSL_CTX_set_options(ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(ssl, SSL_MODE_RELEASE_BUFFERS);  // idle connections hold none
    // A key with a password fails here instead of asking the terminal.
    SSL_CTX_set_default_passwd_cb(ssl, [](char*, int, int, void*) { return 0; });
    if (SSL_CTX_use_certificate_chain_file(ssl, cert.c_str()) != 1)
        return error("{}: not a certificate in PEM: {}", cert, reason());
    if (SSL_CTX_use_PrivateKey_file(ssl, key.c_str(), SSL_FILETYPE_PEM) != 1)
        return error("{}: not the private key (PEM, without a password) of {}: {}", key, cert, reason());
    if (SSL_CTX_check_private_key(ssl) != 1) return error("{}: not the private key of {}: {}", key, cert, reason());
    return context;
}

}  // namespace godwit::http
