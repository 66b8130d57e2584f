#include "server/http/addresses.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <memory>

namespace godwit::http {
namespace {

/// Empty: of another family, or no address for others.
std::string address_text(const sockaddr* address, bool with_ipv6) {
    char text[INET6_ADDRSTRLEN] = "";
    if (address->sa_family == AF_INET) {
        inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text, sizeof text);
    } else if (address->sa_family == AF_INET6 && with_ipv6) {
        const in6_addr& ip = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
        if (!IN6_IS_ADDR_LINKLOCAL(&ip)) inet_ntop(AF_INET6, &ip, text, sizeof text);
    }
    return text;
}

}  // namespace

std::vector<std::string> reachable_addresses(const std::string& host) {
    std::vector<std::string> addresses;
    ifaddrs* list = nullptr;
    if ((host != "0.0.0.0" && host != "::") || getifaddrs(&list) != 0) return addresses;
    const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, freeifaddrs);
    for (const ifaddrs* at = list; at != nullptr; at = at->ifa_next) {
        const bool is_up = (at->ifa_flags & IFF_UP) != 0, is_loopback = (at->ifa_flags & IFF_LOOPBACK) != 0;
        if (at->ifa_addr == nullptr || !is_up || is_loopback) continue;
        if (std::string text = address_text(at->ifa_addr, host == "::"); !text.empty()) addresses.push_back(text);
    }
    return addresses;
}

}  // namespace godwit::http
