#include "server/http/policy.hpp"

#include <arpa/inet.h>

#include <algorithm>

#include "base/ascii.hpp"
#include "base/printable.hpp"

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

bool is_number(std::string_view text) {
    return !text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == text.npos;
}

/// "https", "chat.example" and "8080" of "https://chat.example:8080".
struct Origin {
    std::string scheme, host, port;  // the host with its brackets, if it is an IPv6 address
};

std::optional<Origin> split_origin(std::string_view text) {
    const size_t colon = text.find("://");
    if (colon == 0 || colon == text.npos) return std::nullopt;
    Origin origin{.scheme = lower_case(text.substr(0, colon))};
    std::string_view rest = text.substr(colon + 3);
    if (origin.scheme.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+-.") != std::string::npos)
        return std::nullopt;
    const size_t end = rest.starts_with('[') ? rest.find(']') + 1 : std::min(rest.find(':'), rest.size());
    origin.host = lower_case(rest.substr(0, end));
    rest.remove_prefix(end);
    const bool is_host = !origin.host.empty() && origin.host.find_first_of("/?#@*%\\") == std::string::npos &&
                         std::ranges::all_of(origin.host, [](char c) { return c > ' ' && c <= '~'; });
    if (!is_host || (!rest.empty() && (rest[0] != ':' || !is_number(rest.substr(1))))) return std::nullopt;
    if (!rest.empty()) origin.port = rest.substr(1);
    return origin;
}

/// Of the user's own machine.
bool is_local(const Origin& origin) {
    if (origin.scheme == "http" || origin.scheme == "https") return is_loopback(host_of(origin.host));
    for (const char* scheme : {"app", "tauri", "vscode-webview", "vscode-file"})
        if (origin.scheme == scheme) return true;
    return false;
}

/// For a message that a person may copy into a shell.
std::string shown(std::string_view text) { return printable(text, 200); }

}  // namespace

bool is_loopback(std::string_view host) {
    const std::string name = lower_case(host);
    return name == "localhost" || name == "::1" || (name.starts_with("127.") && is_ipv4(name));
}

std::string_view host_of(std::string_view authority) {
    if (authority.starts_with('[')) {
        const size_t end = authority.find(']');
        return end == authority.npos ? authority : authority.substr(1, end - 1);
    }
    return authority.substr(0, authority.find(':'));
}

Result<std::string> parse_origin(std::string_view text) {
    if (text == "*") return std::string(text);
    std::string_view whole = text;
    if (whole.ends_with('/')) whole.remove_suffix(1);
    const auto origin = split_origin(whole);
    if (!origin) return error("'{}' is no origin (like https://chat.example, or * for all)", shown(text));
    const bool is_default =
        (origin->scheme == "http" && origin->port == "80") || (origin->scheme == "https" && origin->port == "443");
    return origin->scheme + "://" + origin->host + (origin->port.empty() || is_default ? "" : ":" + origin->port);
}

Policy::Policy(const Options& options)
    : loopback_(is_loopback(options.host)),
      any_origin_(std::ranges::count(options.cors_origins, "*") > 0),
      origins_(options.cors_origins),
      host_names_{"localhost", lower_case(options.host)} {
    for (const auto& name : options.host_names) host_names_.push_back(lower_case(name));
}

bool Policy::allowed(std::string_view origin) const {
    if (any_origin_ || std::ranges::count(origins_, lower_case(origin)) > 0) return true;
    const auto parts = split_origin(origin);
    return parts && is_local(*parts);
}

bool Policy::known_host(std::string_view authority) const {
    const std::string host = lower_case(host_of(authority));
    return is_ip_literal(host) || std::ranges::count(host_names_, host) > 0;
}

std::optional<std::string> Policy::refusal(const Request& request) const {
    const std::string_view host = request.header("host"), origin = request.header("origin");
    if (loopback_ && !host.empty() && !known_host(host))
        return fmt::format("Host '{}' is not a name of this server (to allow it: --host-name {})", shown(host),
                           shown(host_of(host)));
    if (origin.empty() || allowed(origin)) return std::nullopt;
    const size_t scheme = origin.find("://");
    const bool same = scheme != origin.npos && lower_case(origin.substr(scheme + 3)) == lower_case(host);
    if (!is_preflight(request) && (same || !loopback_)) return std::nullopt;
    if (!split_origin(origin))
        return fmt::format("Origin '{}' is not allowed (only --cors '*' allows all)", shown(origin));
    return fmt::format("Origin '{0}' is not allowed (to allow it: --cors {0})", shown(origin));
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
    // From a page of the internet to a server of the home or office network: Chromium asks for that apart.
    if (lower_case(request.header("access-control-request-private-network")) == "true")
        response.headers.emplace_back("Access-Control-Allow-Private-Network", "true");
    return response;
}

Headers Policy::cors_headers(const Request& request) const {
    Headers headers;
    if (!any_origin_) headers.emplace_back("Vary", "Origin");
    const std::string_view origin = request.header("origin");
    if (origin.empty() || !allowed(origin)) return headers;
    headers.emplace_back("Access-Control-Allow-Origin", any_origin_ ? "*" : std::string(origin));
    headers.emplace_back("Access-Control-Expose-Headers", "x-request-id, request-id, retry-after");
    return headers;
}

}  // namespace godwit::http
