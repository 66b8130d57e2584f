// The parts of the HTTP server that need no sockets.
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>

#include "server/http/body_encoding.hpp"
#include "server/http/policy.hpp"
#include "server/http/request_parser.hpp"
#include "server/http/response_head.hpp"
#include "server/http/target.hpp"

namespace godwit::http {
namespace {

std::string gzip(std::string_view text) {
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY);
    std::string out(compressBound(text.size()) + 32, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

std::string zstd(std::string_view text, int window_log = 0) {
    ZSTD_CCtx* context = ZSTD_createCCtx();
    if (window_log) ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
    std::string out(ZSTD_compressBound(text.size()) + 64, '\0');
    ZSTD_inBuffer in{text.data(), text.size() / 2, 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    EXPECT_EQ(ZSTD_compressStream2(context, &to, &in, ZSTD_e_flush),
              0u);  // in two parts: the frame cannot say how long it is
    in.size = text.size();
    EXPECT_EQ(ZSTD_compressStream2(context, &to, &in, ZSTD_e_end), 0u);
    out.resize(to.pos);
    ZSTD_freeCCtx(context);
    return out;
}

std::string some_text(size_t size) {
    std::string text;
    for (uint32_t i = 0; text.size() < size; ++i) text += static_cast<char>(i * 2654435761u >> 27);
    return text;
}

TEST(BodyEncoding, UnpacksWhatFits) {
    for (const size_t size : {0u, 1u, 65536u, 65537u, 300'000u}) {
        const std::string text = some_text(size);
        for (const auto& [name, packed] : {std::pair{"gzip", gzip(text)},
                                           {"X-GZip", gzip(text)},
                                           {"zstd", zstd(text)},
                                           {"", text},
                                           {"Identity", text}}) {
            const DecodedBody whole = decode_body(name, packed, size);
            EXPECT_EQ(whole.status, 200) << name << " " << size << whole.message;
            EXPECT_EQ(whole.body, text);
            if (size == 0 || packed == text) continue;
            EXPECT_EQ(decode_body(name, packed, size - 1).status, 413) << name << " " << size;
        }
    }
}

TEST(BodyEncoding, SeveralMembersAreOneBody) {
    EXPECT_EQ(decode_body("gzip", gzip("ab") + gzip("") + gzip("cd"), 100).body, "abcd");
    EXPECT_EQ(decode_body("zstd", zstd("ab") + zstd("") + zstd("cd"), 100).body, "abcd");
    EXPECT_EQ(decode_body("gzip", gzip("ab") + gzip("cd"), 3).status, 413);
    EXPECT_EQ(decode_body("zstd", zstd("ab") + zstd("cd"), 3).status, 413);
}

TEST(BodyEncoding, BombsAreRefusedWhileTheyUnfold) {
    const std::string zeros(64 << 20, '\0');
    for (const auto& [name, bomb] : {std::pair{"gzip", gzip(zeros)}, {"zstd", zstd(zeros)}}) {
        const DecodedBody body = decode_body(name, bomb, 1 << 20);
        EXPECT_EQ(body.status, 413);
        EXPECT_EQ(body.message, "the decompressed body is longer than 1048576 bytes");
        EXPECT_TRUE(body.body.empty());
    }
    // a window of 128 MiB would be memory too
    EXPECT_EQ(decode_body("zstd", zstd(some_text(1000), 27), 1 << 20).status, 400);
}

TEST(BodyEncoding, BrokenDataIs400) {
    const std::string text = some_text(1000);
    for (const auto& [name, packed] : {std::pair{"gzip", gzip(text)}, {"zstd", zstd(text)}}) {
        for (size_t cut = 0; cut < packed.size(); cut += 1 + cut / 8)
            EXPECT_EQ(decode_body(name, packed.substr(0, cut), 5000).status, 400) << name << cut;
        EXPECT_EQ(decode_body(name, packed + "x", 5000).status, 400);
        EXPECT_EQ(decode_body(name, text, 5000).status, 400);
    }
    std::string bad_sum = gzip(text);
    bad_sum[bad_sum.size() - 8] ^= 1;
    EXPECT_EQ(decode_body("gzip", bad_sum, 5000).status, 400);
}

TEST(BodyEncoding, OthersAre415) {
    for (const char* name : {"br", "deflate", "gzip, gzip", "compress", "gzip;q=1"})
        EXPECT_EQ(decode_body(name, "x", 10).status, 415) << name;
}

TEST(Target, IsPathAndQuery) {
    const auto parsed = [](std::string_view text) {
        auto target = parse_target(text);
        return target.ok() ? fmt::format("{}|{}|{}", target.value().path, target.value().query, target.value().host)
                           : "error";
    };
    EXPECT_EQ(parsed("/"), "/||");
    EXPECT_EQ(parsed("/a%2Fb%20%C3%A9?x=%41&y=?"), "/a/b \xc3\xa9|x=%41&y=?|");
    EXPECT_EQ(parsed("*"), "*||");
    EXPECT_EQ(parsed("http://h:1/p?q"), "/p|q|h:1");
    EXPECT_EQ(parsed("https://h?q"), "/|q|h");
    EXPECT_EQ(parsed("http://h"), "/||h");
    for (const char* bad :
         {"", "a", "?q", "h:443", "ftp://h/", "http://", "/%", "/%4", "/%4g", "/% 4", "/%+1", "/%-1", "/%00"})
        EXPECT_EQ(parsed(bad), "error") << bad;
}

Request from(std::string host, std::string origin = "", std::string method = "GET") {
    Request request{.method = std::move(method)};
    request.headers = {{"host", std::move(host)}};
    if (!origin.empty()) request.headers.emplace_back("origin", std::move(origin));
    if (request.method == "OPTIONS") request.headers.emplace_back("access-control-request-method", "POST");
    return request;
}

TEST(Loopback, IsAnAddressNotTheBeginningOfAName) {
    for (const char* host : {"localhost", "LocalHost", "127.0.0.1", "127.1.2.3", "::1"})
        EXPECT_TRUE(is_loopback(host)) << host;
    for (const char* host : {"127.evil.example", "127.0.0.1.example", "127.", "127.1", "localhost.example", "0.0.0.0",
                             "::", "[::1]", "127.0.0.1:80", "10.0.0.1", ""})
        EXPECT_FALSE(is_loopback(host)) << host;
}

TEST(Policy, OnLoopbackTheHostMustBeOurs) {
    const Policy policy({.host_names = {"Box.example"}});
    for (const char* host : {"localhost", "LocalHost:8080", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:80",
                             "192.168.1.2:80", "box.example", ""})
        EXPECT_FALSE(policy.refusal(from(host))) << host;
    for (const char* host : {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "[::1", "1.2.3",
                             "0x7f.1", "evil.example\x01"})
        EXPECT_TRUE(policy.refusal(from(host))) << host;
    EXPECT_FALSE(Policy({.host = "0.0.0.0"}).refusal(from("evil.example")));
    EXPECT_TRUE(Policy({.host = "::1"}).refusal(from("evil.example")));
    EXPECT_TRUE(Policy({.host = "LOCALHOST"}).refusal(from("evil.example")));
}

TEST(Policy, OnLoopbackTheOriginMustBeLocalOrListed) {
    const Policy policy({.cors_origins = {"https://chat.example"}, .host_names = {"box.example"}});
    for (const char* origin :
         {"", "https://chat.example", "HTTPS://Chat.Example", "http://localhost:8080", "http://localhost",
          "https://localhost:3000", "http://127.0.0.1:5173", "http://[::1]:80", "app://obsidian.md",
          "tauri://localhost", "vscode-webview://1l2k3j", "vscode-file://vscode-app"})
        for (const char* method : {"GET", "OPTIONS"})
            EXPECT_FALSE(policy.refusal(from("localhost:8080", origin, method))) << method << origin;
    for (const char* origin :
         {"null", "https://evil.example", "http://localhost.evil.example", "http://localhost@evil.example",
          "http://127.0.0.1.evil.example", "https://chat.example.evil", "https://chat.example:8443", "localhost:8080",
          "http://localhost:x", "http://[::1", "http://", "://localhost", "file://", "chrome-extension://abc"})
        EXPECT_TRUE(policy.refusal(from("localhost:8080", origin))) << origin;
    EXPECT_FALSE(policy.refusal(from("box.example:8080", "http://box.example:8080"))) << "its own pages";
    // elsewhere a page may ask without reading the answer: keys are what guards that server
    EXPECT_FALSE(Policy({.host = "0.0.0.0"}).refusal(from("h", "https://evil.example")));
    EXPECT_TRUE(Policy({.host = "0.0.0.0"}).refusal(from("h", "https://evil.example", "OPTIONS")));
    EXPECT_FALSE(Policy({.cors_origins = {"*"}}).refusal(from("localhost", "https://any.example", "OPTIONS")));
}

TEST(Policy, CorsHeadersNameTheOrigin) {
    const auto headers = [](const Options& options, const char* origin) {
        std::string out;
        for (const auto& [name, value] : Policy(options).cors_headers(from("h", origin)))
            out += name + ": " + value + "\n";
        return out;
    };
    const std::string exposed = "Access-Control-Expose-Headers: x-request-id, request-id, retry-after\n";
    EXPECT_EQ(headers({}, "https://a"), "Vary: Origin\n");
    EXPECT_EQ(headers({}, "http://localhost:1"),
              "Vary: Origin\nAccess-Control-Allow-Origin: http://localhost:1\n" + exposed);
    EXPECT_EQ(headers({.cors_origins = {"https://a", "https://b"}}, "https://b"),
              "Vary: Origin\nAccess-Control-Allow-Origin: https://b\n" + exposed);
    EXPECT_EQ(headers({.cors_origins = {"https://a"}}, "https://c"), "Vary: Origin\n");
    EXPECT_EQ(headers({.cors_origins = {"https://a"}}, ""), "Vary: Origin\n");
    EXPECT_EQ(headers({.cors_origins = {"*"}}, "https://c"), "Access-Control-Allow-Origin: *\n" + exposed);
}

TEST(Policy, MessagesNameTheFlag) {
    const Policy policy({});
    EXPECT_EQ(policy.refusal(from("box.example:8080")),
              "Host 'box.example:8080' is not a name of this server (to allow it: --host-name box.example)");
    EXPECT_EQ(policy.refusal(from("localhost", "https://a.example")),
              "Origin 'https://a.example' is not allowed (to allow it: --cors https://a.example)");
    EXPECT_EQ(policy.refusal(from("localhost", "null")), "Origin 'null' is not allowed (only --cors '*' allows all)");
}

TEST(Policy, OriginsAreSpelledAsBrowsersDo) {
    const std::pair<const char*, const char*> kCases[] = {
        {"*", "*"},
        {"https://x", "https://x"},
        {"https://X.example/", "https://x.example"},
        {"https://x:443", "https://x"},
        {"http://x:80/", "http://x"},
        {"http://x:443", "http://x:443"},
        {"http://10.0.0.5:3000", "http://10.0.0.5:3000"},
        {"HTTP://[FD00::1]:8080", "http://[fd00::1]:8080"},
        {"app://obsidian.md", "app://obsidian.md"},
    };
    for (const auto& [text, origin] : kCases) EXPECT_EQ(parse_origin(text).take(), origin) << text;
    for (const char* text : {"",
                             "/",
                             "x",
                             "x.example",
                             "x.example:80",
                             "https://",
                             "https:///",
                             "https://x/y",
                             "https://x//",
                             "https://x?y",
                             "https://*.x",
                             "https://x:",
                             "https://x:y",
                             "https://x:123456",
                             "https://u@x",
                             "https://x y",
                             "null",
                             "**",
                             "https://x\n",
                             "https://[::1"})
        EXPECT_FALSE(parse_origin(text).ok()) << text;
}

TEST(ResponseHead, IsWhatTheStandardSays) {
    const ResponseHead head{
        .status = 404, .content_type = "a/b", .length = 3, .keep_alive = false, .request_id = "req_1"};
    EXPECT_EQ(
        response_head(head, {{"Vary", "Origin"}}, {{"A", "b\r\nc\x7f\td"}}, 784111777),  // RFC 9110's example of a date
        "HTTP/1.1 404 Not Found\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nServer: godwit\r\nx-request-id: "
        "req_1\r\nContent-Type: a/b\r\n"
        "Content-Length: 3\r\nConnection: close\r\nVary: Origin\r\nA: b  c \td\r\n\r\n");
    EXPECT_TRUE(response_head({.status = 299}, {}, {}, 0).starts_with("HTTP/1.1 299 \r\n"));
    EXPECT_EQ(chunk("0123456789abcdef"), "10\r\n0123456789abcdef\r\n");
    EXPECT_EQ(chunk(""), "");
}

/// Feeds `text` in pieces of `size` bytes as a connection does, and says what came of it.
std::string parsed(std::string_view text, size_t size) {
    RequestParser parser(200, 100);
    std::string input;
    while (!text.empty() && parser.state() != RequestParser::State::Complete &&
           parser.state() != RequestParser::State::Failed) {
        input += text.substr(0, size);
        text.remove_prefix(std::min(size, text.size()));
        input.erase(0, parser.put(input));
    }
    if (parser.status()) return fmt::format("{}", parser.status());
    const Request& request = parser.request();
    std::string out = fmt::format("{} {} {}", request.method, request.path, request.body);
    for (const auto& [name, value] : request.headers) out += fmt::format(" {}={}", name, value);
    return out;
}

TEST(RequestParser, IsTheSameForEveryCut) {
    const std::string texts[] = {
        "GET /a HTTP/1.1\r\nHost: h\r\nA:b\r\n\r\n",
        "POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc",
        "POST /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n1\r\na\r\n2;x=\"y\"\r\nbc\r\n0\r\nHost: "
        "evil\r\nA: b\r\n\r\n",
        "POST /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n",
        "POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 101\r\n\r\n",
        "GET /" + std::string(300, 'a'),
        "GET / HTTP/1.1\r\nHost: h\r\nA: " + std::string(300, 'a'),
    };
    for (const std::string& text : texts) {
        const std::string whole = parsed(text, text.size());
        for (size_t size = 1; size < text.size(); ++size) EXPECT_EQ(parsed(text, size), whole) << size;
    }
    EXPECT_EQ(parsed(texts[2], 1000), "POST /b abc host=h transfer-encoding=Chunked");
}

}  // namespace
}  // namespace godwit::http
