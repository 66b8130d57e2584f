#include "hub/exchange.hpp"

#include "base/ascii.hpp"
#include "base/printable.hpp"

namespace godwit {
namespace {

constexpr long kRedirectsMax = 10, kConnectSeconds = 10, kStalledSeconds = 30;
constexpr size_t kHeaderBytesMax = 256 << 10;

bool is_unreached(CURLcode code) {
    return code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_COULDNT_CONNECT;
}

bool is_temporary(CURLcode code) {
    if (is_unreached(code)) return true;
    switch (code) {
        case CURLE_OPERATION_TIMEDOUT:
        case CURLE_PARTIAL_FILE:
        case CURLE_GOT_NOTHING:
        case CURLE_SEND_ERROR:
        case CURLE_RECV_ERROR:
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_HTTP2:
        case CURLE_HTTP2_STREAM:
            return true;
        default:
            return false;
    }
}

bool is_temporary(long status) { return status == 408 || status == 429 || status >= 500; }

struct CurlUrlDeleter {
    void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

}  // namespace

std::string origin_of(const std::string& url) {
    std::unique_ptr<CURLU, CurlUrlDeleter> parts(curl_url());
    if (parts == nullptr || curl_url_set(parts.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) return {};
    std::string origin;
    for (auto [before, part] : {std::pair{"", CURLUPART_SCHEME}, {"://", CURLUPART_HOST}, {":", CURLUPART_PORT}}) {
        char* text = nullptr;
        if (curl_url_get(parts.get(), part, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return {};
        origin += fmt::format("{}{}", before, text);
        curl_free(text);
    }
    return origin;
}

Exchange::Exchange(const HubOptions& options, const std::string& url) : easy_(make_curl_easy()), url_(url) {
    CURL* easy = easy_.get();
    curl_easy_setopt(easy, CURLOPT_URL, url_.c_str());
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "godwit");
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, reason_);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, kStalledSeconds);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(easy, CURLOPT_MAXREDIRS, kRedirectsMax);
    curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, url_.starts_with("https:") ? "https" : "http,https");
    if (!options.token.empty() && origin_of(url_) == origin_of(options.url)) {
        // As credentials, not as a header of ours: these libcurl leaves behind when host, port or scheme change.
        curl_easy_setopt(easy, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
        curl_easy_setopt(easy, CURLOPT_XOAUTH2_BEARER, options.token.c_str());
    }
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
}

void Exchange::set_head() {
    is_head_ = true;
    curl_easy_setopt(easy_.get(), CURLOPT_NOBODY, 1L);
    curl_easy_setopt(easy_.get(), CURLOPT_FOLLOWLOCATION, 0L);
}

void Exchange::set_range_from(uint64_t byte) {
    curl_easy_setopt(easy_.get(), CURLOPT_RANGE, fmt::format("{}-", byte).c_str());
}

size_t Exchange::on_header(char* data, size_t size, size_t count, void* self) {
    Exchange& exchange = *static_cast<Exchange*>(self);
    std::string_view line(data, size * count);
    exchange.header_bytes_ += line.size();
    if (exchange.header_bytes_ > kHeaderBytesMax) return 0;
    if (line.starts_with("HTTP/")) exchange.headers_.clear();  // of the next answer, after a redirect
    size_t colon = line.find(':');
    if (colon == line.npos) return size * count;
    std::string_view value = line.substr(colon + 1);
    while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
    while (!value.empty() && (value.back() == ' ' || value.back() == '\r' || value.back() == '\n'))
        value.remove_suffix(1);
    exchange.headers_[lower_case(line.substr(0, colon))] = value;
    return size * count;
}

size_t Exchange::on_body(char* data, size_t size, size_t count, void* self) {
    Exchange& exchange = *static_cast<Exchange*>(self);
    curl_easy_getinfo(exchange.easy_.get(), CURLINFO_RESPONSE_CODE, &exchange.status_);
    bool is_wanted = exchange.status_ == 200 || exchange.status_ == 206;
    if (is_wanted && exchange.body_ && !exchange.body_({data, size * count})) return 0;
    return size * count;
}

const std::string& Exchange::header(const std::string& name) const {
    static const std::string kNone;
    auto found = headers_.find(name);
    return found == headers_.end() ? kNone : found->second;
}

std::string Exchange::redirect() const {
    char* url = nullptr;
    curl_easy_getinfo(easy_.get(), CURLINFO_REDIRECT_URL, &url);
    return url == nullptr ? "" : url;
}

FetchEnd Exchange::refusal(const std::string& what) const {
    std::string host = printable(origin_of(url_), 200), said = printable(header("x-error-message"), 200);
    std::string hint = status_ == 401   ? " (no such repository, or it needs a token: set HF_TOKEN)"
                       : status_ == 403 ? " (no access: ask for it on the repository's page)"
                       : status_ == 404 ? " (no such repository or file)"
                                        : "";
    return {error("{}: {}: HTTP {}{}{}{}", what, host, status_, said.empty() ? "" : ": ", said, hint),
            !is_temporary(status_)};
}

FetchEnd Exchange::perform(const std::string& what) {
    CURLcode code = curl_easy_perform(easy_.get());
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status_);
    curl_off_t connected = 0;  // microseconds until there was a connection; 0: there was none
    curl_easy_getinfo(easy_.get(), CURLINFO_CONNECT_TIME_T, &connected);
    if (code != CURLE_OK)
        return {error("{}: {}: {}", what, printable(origin_of(url_), 200),
                      printable(reason_[0] != 0 ? reason_ : curl_easy_strerror(code), 200)),
                !is_temporary(code), is_unreached(code) || (code == CURLE_OPERATION_TIMEDOUT && connected == 0)};
    if (status_ >= (is_head_ ? 400 : 300) || status_ < 200) return refusal(what);
    return {};
}

}  // namespace godwit
