#include "server/http/response_head.hpp"

#include <array>

namespace godwit::http {

namespace {

std::string_view reason(int status) {
    switch (status) {
        case 200:
            return "OK";
        case 204:
            return "No Content";
        case 400:
            return "Bad Request";
        case 401:
            return "Unauthorized";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 408:
            return "Request Timeout";
        case 413:
            return "Content Too Large";
        case 414:
            return "URI Too Long";
        case 415:
            return "Unsupported Media Type";
        case 417:
            return "Expectation Failed";
        case 422:
            return "Unprocessable Content";
        case 429:
            return "Too Many Requests";
        case 431:
            return "Request Header Fields Too Large";
        case 500:
            return "Internal Server Error";
        case 503:
            return "Service Unavailable";
        default:
            return "";
    }
}

/// IMF-fixdate (RFC 9110, section 5.6.7), whatever the locale.
std::string http_date(std::time_t now) {
    static constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    std::tm t{};
    gmtime_r(&now, &t);
    return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[static_cast<size_t>(t.tm_wday)], t.tm_mday,
                       kMonths[static_cast<size_t>(t.tm_mon)], 1900 + t.tm_year, t.tm_hour, t.tm_min, t.tm_sec);
}

void add(std::string& out, std::string_view name, std::string_view value) {
    out.append(name).append(": ");
    for (const char c : value) out += (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == 0x7f ? ' ' : c;
    out += "\r\n";
}

}  // namespace

std::string response_head(const ResponseHead& head, const Headers& cors, const Headers& more, std::time_t now) {
    std::string out = fmt::format("HTTP/1.1 {} {}\r\n", head.status, reason(head.status));
    add(out, "Date", http_date(now));
    add(out, "Server", "godwit");
    add(out, "x-request-id", head.request_id);
    if (!head.content_type.empty()) add(out, "Content-Type", head.content_type);
    if (head.event_stream) {
        add(out, "Cache-Control", "no-cache");
        add(out, "X-Accel-Buffering", "no");
    }
    // 204 has no body, and therefore no length (RFC 9110, section 8.6)
    if (head.framing == Framing::Length && head.status != 204)
        add(out, "Content-Length", fmt::format("{}", head.length));
    if (head.framing == Framing::Chunked) add(out, "Transfer-Encoding", "chunked");
    add(out, "Connection", head.keep_alive ? "keep-alive" : "close");
    for (const Headers* headers : {&cors, &more})
        for (const auto& [name, value] : *headers) add(out, name, value);
    out += "\r\n";
    return out;
}

std::string chunk(std::string_view data) {
    if (data.empty()) return {};
    return fmt::format("{:x}\r\n{}\r\n", data.size(), data);
}

}  // namespace godwit::http
