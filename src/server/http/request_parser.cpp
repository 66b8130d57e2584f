// Beast 1.81 asserts that a final chunk has five bytes, which is wrong for "0\r\n\r" of an empty body; nothing depends
// on it.
#define BOOST_DISABLE_ASSERTS
#include "server/http/request_parser.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "base/ascii.hpp"
#include "server/http/target.hpp"

namespace godwit::http {

namespace beast = boost::beast;
using boost::system::error_code;

std::string_view Request::header(std::string_view name) const {
    for (const auto& [key, value] : headers)
        if (key == name) return value;
    return {};
}

class RequestParser::Impl : public beast::http::basic_parser<true> {
public:
    using string_view = boost::beast::string_view;

    Impl(size_t header_bytes_max, size_t body_bytes_max)
        : header_bytes_max_(header_bytes_max), body_bytes_max_(body_bytes_max) {
        header_limit(static_cast<std::uint32_t>(header_bytes_max) + 16);  // ours is met first
        body_limit(body_bytes_max);
        eager(true);
    }

    size_t feed(std::string_view input) {
        // Beast counts differently when a header comes in pieces.
        if (state == State::Header && header_taken_ + header_size(input) > header_bytes_max_) {
            fail_header(input);
            state = State::Failed;
            return 0;
        }
        error_code ec;
        const bool in_header = state == State::Header;
        const size_t taken = put({input.data(), input.size()}, ec);
        if (in_header) header_taken_ += taken;
        if (is_done() && !ec) {
            state = State::Complete;
        } else if (ec == beast::http::error::need_more || !ec) {
            // What the parser does not take for a header, however it ends, must not grow for ever.
            if (state == State::Header && header_taken_ + input.size() - taken > header_bytes_max_)
                fail_header(input.substr(taken));
            // Heads of chunks and trailers wait in the buffer of the caller until they are whole.
            if (input.size() - taken > header_bytes_max_ && state == State::Body)
                fail(400, "the head of a chunk, or the trailer, is too long");
        } else if (!status) {
            fail_with(ec, input.substr(taken));
        }
        if (status) state = State::Failed;
        return taken;
    }

    Request request;
    State state = State::Header;
    bool expects_continue = false, http_1_1 = true;
    int status = 0;
    std::string message;

private:
    /// Bytes of the rest of the header, with its empty line; all of `input` where that line is not there yet.
    size_t header_size(std::string_view input) const {
        if (header_taken_ > 0 && input.starts_with("\r\n")) return 2;
        const size_t end = input.find("\r\n\r\n");
        return end == input.npos ? input.size() : end + 4;
    }

    void fail(int code, std::string why) {
        if (status) return;
        status = code;
        message = std::move(why);
    }

    void fail_header(std::string_view rest) {
        if (request.method.empty() && rest.find("\r\n") == rest.npos)
            return fail(414, fmt::format("the request line is longer than {} bytes", header_bytes_max_));
        fail(431, fmt::format("the header is longer than {} bytes", header_bytes_max_));
    }

    void fail_with(error_code ec, std::string_view rest) {
        if (ec == beast::http::error::header_limit) return fail_header(rest);
        if (ec == beast::http::error::body_limit)
            return fail(413, fmt::format("the body is longer than {} bytes", body_bytes_max_));
        if (ec == beast::http::error::bad_version)
            return fail(400, "the request line does not end in HTTP/1.0 or HTTP/1.1");
        fail(400, fmt::format("malformed HTTP: {}", ec.message()));
    }

    /// Inside a callback of Beast: fails and makes it stop.
    void refuse(error_code& ec, int code, std::string why) {
        fail(code, std::move(why));
        ec = beast::http::error::bad_value;
    }

    void on_request_impl(beast::http::verb, string_view method, string_view target, int version,
                         error_code& ec) override {
        request.method = std::string(method);
        http_1_1 = version == 11;
        auto parsed = http::parse_target({target.data(), target.size()});
        if (!parsed.ok()) return refuse(ec, 400, parsed.error().message);
        Target result = std::move(parsed).take();
        request.path = std::move(result.path);
        request.query = std::move(result.query);
        host_ = std::move(result.host);
    }

    void on_field_impl(beast::http::field, string_view name, string_view value, error_code& ec) override {
        if (state != State::Header) return;  // a trailer changes nothing
        std::string key = lower_case({name.data(), name.size()});
        if (key == "host" && !request.header("host").empty()) return refuse(ec, 400, "more than one Host header");
        // Whatever else a proxy in front may take it for, only this has one meaning.
        if (key == "transfer-encoding" && !beast::iequals(value, "chunked"))
            return refuse(ec, 400, "Transfer-Encoding other than chunked");
        request.headers.emplace_back(std::move(key), std::string(value));
    }

    void on_header_impl(error_code& ec) override {
        state = State::Body;
        if (http_1_1 && host_.empty() && request.header("host").empty()) return refuse(ec, 400, "no Host header");
        if (!http_1_1 && !request.header("transfer-encoding").empty())
            return refuse(ec, 400, "Transfer-Encoding in HTTP/1.0");
        if (!host_.empty()) {  // RFC 9112, section 3.2.2: the host of an absolute target counts
            std::erase_if(request.headers, [](const auto& header) { return header.first == "host"; });
            request.headers.emplace_back("host", host_);
        }
        const std::string expect = lower_case(request.header("expect"));
        if (expect.empty() || !http_1_1) return;
        if (expect != "100-continue") return refuse(ec, 417, "Expect other than 100-continue");
        expects_continue = true;
    }

    std::size_t on_body_impl(string_view data, error_code&) override {
        request.body.append(data.data(), data.size());
        return data.size();
    }
    std::size_t on_chunk_body_impl(std::uint64_t, string_view data, error_code& ec) override {
        return on_body_impl(data, ec);
    }

    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
    void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
    void on_response_impl(int, string_view, int, error_code&) override {}
    void on_finish_impl(error_code&) override {}

    size_t header_bytes_max_, body_bytes_max_;
    size_t header_taken_ = 0;  // bytes of the header that need not come again
    std::string host_;
};

RequestParser::RequestParser(size_t header_bytes_max, size_t body_bytes_max)
    : impl_(std::make_unique<Impl>(header_bytes_max, body_bytes_max)) {}
RequestParser::~RequestParser() = default;

size_t RequestParser::put(std::string_view input) { return impl_->feed(input); }
RequestParser::State RequestParser::state() const { return impl_->state; }
Request& RequestParser::request() { return impl_->request; }
bool RequestParser::keep_alive() const { return impl_->is_header_done() && impl_->keep_alive(); }
bool RequestParser::http_1_1() const { return impl_->http_1_1; }
bool RequestParser::expects_continue() const { return impl_->expects_continue; }
int RequestParser::status() const { return impl_->status; }
const std::string& RequestParser::message() const { return impl_->message; }

}  // namespace godwit::http
