// The server behind TLS, against OpenSSL's client. Keys and certificates are made on the spot.
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "server/http_harness.hpp"

namespace godwit::http {
namespace {

namespace fs = std::filesystem;

using File = std::unique_ptr<FILE, decltype(&fclose)>;

/// A key, and a certificate for it signed by itself.
void write_pair(const fs::path& cert_path, const fs::path& key_path, const char* password = nullptr) {
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* cert = X509_new();
    X509_set_version(cert, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
    X509_gmtime_adj(X509_getm_notBefore(cert), -3600);
    X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
    X509_set_pubkey(cert, key);
    X509_NAME* name = X509_get_subject_name(cert);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("localhost"), -1, -1,
                               0);
    X509_set_issuer_name(cert, name);
    X509_sign(cert, key, EVP_sha256());
    PEM_write_X509(File(fopen(cert_path.c_str(), "w"), fclose).get(), cert);
    PEM_write_PrivateKey(File(fopen(key_path.c_str(), "w"), fclose).get(), key, password ? EVP_aes_128_cbc() : nullptr,
                         reinterpret_cast<const unsigned char*>(password),
                         password ? static_cast<int>(strlen(password)) : 0, nullptr, nullptr);
    X509_free(cert);
    EVP_PKEY_free(key);
}

/// Trusts the one certificate that it is given.
class TlsClient {
public:
    TlsClient(uint16_t port, const fs::path& cert, int version = TLS1_3_VERSION)
        : socket_(port), context_(SSL_CTX_new(TLS_client_method())) {
        const timeval patience{10, 0};
        setsockopt(socket_.fd(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        SSL_CTX_set_security_level(context_, 0);  // or the client itself would refuse TLS 1.1
        SSL_CTX_set_min_proto_version(context_, version);
        SSL_CTX_set_max_proto_version(context_, version);
        SSL_CTX_load_verify_locations(context_, cert.c_str(), nullptr);
        SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
        ssl_ = SSL_new(context_);
        SSL_set_fd(ssl_, socket_.fd());
        connected = SSL_connect(ssl_) == 1;
        ERR_clear_error();
    }
    ~TlsClient() {
        SSL_free(ssl_);
        SSL_CTX_free(context_);
    }

    void send(std::string_view text) { EXPECT_GT(SSL_write(ssl_, text.data(), static_cast<int>(text.size())), 0); }
    /// What has come once it ends with `end`, or the server says goodbye.
    std::string read_until(std::string_view end) {
        std::string out;
        char bytes[4096];
        while (!out.ends_with(end)) {
            const int size = SSL_read(ssl_, bytes, sizeof bytes);
            if (size <= 0) break;
            out.append(bytes, static_cast<size_t>(size));
        }
        return out;
    }
    /// The server closes in the way that proves that nothing was cut off.
    bool closed_cleanly() {
        char byte;
        return SSL_read(ssl_, &byte, 1) == 0 && SSL_get_error(ssl_, 0) == SSL_ERROR_ZERO_RETURN;
    }
    void say_goodbye() { SSL_shutdown(ssl_); }
    void vanish() { socket_.close(); }

    bool connected = false;

private:
    Client socket_;
    SSL_CTX* context_;
    SSL* ssl_ = nullptr;
};

class HttpTls : public testing::Test {
protected:
    HttpTls() {
        std::string name = (fs::temp_directory_path() / "godwit-tls-XXXXXX").string();
        folder = mkdtemp(name.data());
        cert = folder / "cert.pem";
        key = folder / "key.pem";
        write_pair(cert, key);
    }
    ~HttpTls() override { fs::remove_all(folder); }
    Options options() const { return {.tls_cert = cert.string(), .tls_key = key.string()}; }

    fs::path folder, cert, key;
    ScriptedHandler handler;
};

TEST_F(HttpTls, ServesRequestsAndStreams) {
    ExchangePtr stream;
    Signal came, gone;
    handler.on("/stream", [&](ExchangePtr exchange) {
        stream = std::move(exchange);
        stream->begin_stream("text/event-stream");
        stream->on_gone([&] { gone.set(); });
        came.set();
    });
    RunningServer server(handler, options());
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        TlsClient client(server.port(), cert, version);
        ASSERT_TRUE(client.connected);
        const std::string body(300'000, 'x');
        for (int i = 0; i < 2; ++i) {
            client.send(fmt::format("POST /b HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{}!",
                                    body.size() + 1, body));
            EXPECT_TRUE(client.read_until("!").ends_with("POST /b? " + body + "!"));
        }
        client.send("GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        client.read_until("GET /a? ");
        EXPECT_TRUE(client.closed_cleanly());
    }
    int streams = 0;
    for (const bool goodbye : {false, true}) {
        TlsClient client(server.port(), cert);
        client.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
        ASSERT_TRUE(came.wait(++streams));
        stream->send("data: 1\n\n");
        client.read_until("data: 1\n\n\r\n");
        goodbye ? client.say_goodbye() : client.vanish();
        EXPECT_TRUE(gone.wait(streams));
        stream.reset();
    }
}

TEST_F(HttpTls, EndsInTimeWhateverItsClientsDo) {
    ExchangePtr stream;
    Signal came;
    handler.on("/stream", [&](ExchangePtr exchange) {
        stream = std::move(exchange);
        stream->begin_stream("text/plain");
        came.set();
    });
    RunningServer server(handler, options());
    TlsClient busy(server.port(), cert), idle(server.port(), cert);
    Client silent(server.port());
    busy.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
    ASSERT_TRUE(came.wait());
    server->stop();
    EXPECT_TRUE(silent.closed());
    stream->send("last");
    stream->finish();
    EXPECT_TRUE(busy.read_until("0\r\n\r\n").ends_with("last\r\n0\r\n\r\n"));
    EXPECT_TRUE(busy.closed_cleanly());
    EXPECT_TRUE(server.ended.wait());
}

TEST_F(HttpTls, RefusesWhatIsNotGoodTls) {
    RunningServer server(handler, options());
    EXPECT_FALSE(TlsClient(server.port(), cert, TLS1_1_VERSION).connected);
    Client plain(server.port(), "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(plain.read_all().find("HTTP/1.1"), std::string::npos);

    Options hasty = options();
    hasty.header_seconds = 0;
    RunningServer impatient(handler, hasty);
    EXPECT_TRUE(Client(impatient.port()).closed());

    Options full = options();
    full.connections_max = 0;
    RunningServer crowded(handler, full);
    EXPECT_TRUE(Client(crowded.port()).closed());
}

TEST_F(HttpTls, FaultsOfFilesNameTheFile) {
    const fs::path other_cert = folder / "other-cert.pem", other_key = folder / "other-key.pem",
                   locked = folder / "locked.pem";
    write_pair(other_cert, other_key);
    write_pair(folder / "locked-cert.pem", locked, "secret");
    std::ofstream(folder / "garbage.pem") << "garbage";
    const auto message = [&](const fs::path& cert_path, const fs::path& key_path) {
        auto made = Server::make({.port = 0, .tls_cert = cert_path.string(), .tls_key = key_path.string()}, handler);
        return made.ok() ? "no error" : made.error().message;
    };
    const auto says = [&](const std::string& text, const fs::path& file, std::string_view what) {
        EXPECT_TRUE(text.starts_with(file.string() + ": ")) << text;
        EXPECT_NE(text.find(what), text.npos) << text;
    };
    says(message(folder / "none.pem", key), folder / "none.pem", "No such file or directory");
    says(message(cert, folder / "none.pem"), folder / "none.pem", "No such file or directory");
    says(message(folder / "garbage.pem", key), folder / "garbage.pem", "not a certificate in PEM");
    says(message(cert, folder / "garbage.pem"), folder / "garbage.pem", "not the private key");
    says(message(cert, other_key), other_key, "not the private key (PEM, without a password) of " + cert.string());
    says(message(folder / "locked-cert.pem", locked), locked, "without a password");
}

}  // namespace
}  // namespace godwit::http
