// Which web pages may talk to the server: CORS (the WHATWG Fetch standard), and a guard of servers on a loopback
// address against pages that reach it from the user's own browser (DNS rebinding: a foreign Host; requests that
// need no CORS: a foreign Origin). Pages and programs of the user's own machine may always ask, as with
// Ollama: origins with a loopback host, and those of desktop programs (app:, tauri:, vscode-webview:, vscode-file:),
// which no web page can have.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/http.hpp"

namespace godwit::http {

/// Immutable: any thread.
class Policy {
public:
    explicit Policy(const Options& options);

    /// Why the request is not served (403), if so.
    std::optional<std::string> refusal(const Request& request) const;
    /// A browser asks first: OPTIONS with Access-Control-Request-Method.
    static bool is_preflight(const Request& request);
    /// The answer to a preflight that was not refused, without cors_headers().
    static Response preflight(const Request& request);
    /// What every response to `request` carries.
    Headers cors_headers(const Request& request) const;

private:
    bool allowed(std::string_view origin) const;
    bool known_host(std::string_view host) const;

    bool loopback_, any_origin_;
    std::vector<std::string> origins_, host_names_;  // in lower case
};

/// The name or address of "name:port", "[::1]:port", …; without brackets.
std::string_view host_of(std::string_view authority);

}  // namespace godwit::http
