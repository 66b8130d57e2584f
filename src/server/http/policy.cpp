#include "server/http/policy.hpp"

#include <arpa/inet.h>

#include <algorithm>

#include "base/printable.hpp"
#include "server/http/ascii.hpp"

namespace godwit::http {

namespace {

bool is_ipv4(const std::string& host) {
    in_addr address;
    return inet_pton(AF_INET, host.c_str(), &address) == 1;
}

bool is_ip_literal(const std::string& host) {
    in6_addr address;
    return is_ipv4(host) || inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

bool is_loopback(const std::string& host) {
    return host == "localhost" || host == "::1" || (is_ipv4(host) && host.starts_with("127."));
}

}  // namespace

std::string_view host_of(std::string_view authority) {
    if (authority.starts_with('[')) {
        const size_t end = authority.find(']');
        return end == authority.npos ? authority : authority.substr(1, end - 1);
    }
    return authority.substr(0, authority.find(':'));
}

Policy::Policy(const Options& options)
    : loopback_(is_loopback(lower_case(options.host))),
      any_origin_(std::ranges::count(options.cors_origins, "*") > 0),
      host_names_{"localhost", lower_case(options.host)} {
    for (const auto& origin : options.cors_origins) origins_.push_back(lower_case(origin));
    for (const auto& name : options.host_names) host_names_.push_back(lower_case(name));
}

bool Policy::allowed(std::string_view origin) const {
    return any_origin_ || std::ranges::count(origins_, lower_case(origin)) > 0;
}

bool Policy::known_host(std::string_view authority) const {
    const std::string host = lower_case(host_of(authority));
    return is_ip_literal(host) || std::ranges::count(host_names_, host) > 0;
}

std::optional<std::string> Policy::refusal(const Request& request) const {
    const std::string_view host = request.header("host"), origin = request.header("origin");
    if (loopback_ && !host.empty() && !known_host(host))
        return fmt::format(
            "Host '{}' is not this server's (it listens on a loopback address; name it in the server's host names)",
            printable(host));
    if (origin.empty() || allowed(origin)) return std::nullopt;
    if (is_preflight(request))
        return fmt::format("Origin '{}' is not allowed (the server's CORS list names none such)", printable(origin));
    const size_t scheme = origin.find("://");
    const bool same = scheme != origin.npos && lower_case(origin.substr(scheme + 3)) == lower_case(host);
    if (loopback_ && !same)
        return fmt::format("Origin '{}' is not allowed (the server's CORS list names none such)", printable(origin));
    return std::nullopt;
}

bool Policy::is_preflight(const Request& request) {
    return request.method == "OPTIONS" && !request.header("origin").empty() &&
           !request.header("access-control-request-method").empty();
}

Response Policy::preflight(const Request& request) {
    Response response{.status = 204, .content_type = {}};
    response.headers = {{"Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"},
                        {"Access-Control-Max-Age", "86400"}};
    const std::string_view asked = request.header("access-control-request-headers");
    if (!asked.empty()) response.headers.emplace_back("Access-Control-Allow-Headers", asked);
    return response;
}

Headers Policy::cors_headers(const Request& request) const {
    Headers headers;
    if (origins_.empty()) return headers;
    if (!any_origin_) headers.emplace_back("Vary", "Origin");
    const std::string_view origin = request.header("origin");
    if (origin.empty() || !allowed(origin)) return headers;
    headers.emplace_back("Access-Control-Allow-Origin", any_origin_ ? "*" : std::string(origin));
    headers.emplace_back("Access-Control-Expose-Headers", "x-request-id, request-id, retry-after");
    return headers;
}

}  // namespace godwit::http
