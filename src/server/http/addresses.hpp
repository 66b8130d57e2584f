// The addresses of this machine that others can reach.
#pragma once

#include <string>
#include <vector>

namespace godwit::http {

/// Where a server that listens at all addresses ("0.0.0.0": IPv4, "::": IPv6 as well) can be reached from other
/// machines: the addresses of the interfaces that are up, without loopback and link-local ones. Nothing for other
/// hosts.
std::vector<std::string> reachable_addresses(const std::string& host);

}  // namespace godwit::http
