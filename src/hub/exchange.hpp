// One request to a hub over libcurl, with what its answer says.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/result.hpp"
#include "hub/curl.hpp"
#include "hub/hub_client.hpp"

namespace godwit {

class Exchange {
public:
    /// Follows at most 10 redirects, never from https to http; the token is not sent to another origin.
    Exchange(const HubOptions& options, const std::string& url);
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    /// HEAD; does not follow redirects.
    void set_head();
    void set_range_from(uint64_t byte);
    /// `body` gets that of an answer with status 200 or 206 as it comes; if it returns false, the transfer ends. Other
    /// bodies are thrown away.
    void set_body(std::function<bool(std::span<const char>)> body) { body_ = std::move(body); }

    /// Makes the request. A failure: there is no answer with a status of 2xx (for HEAD: or 3xx).
    FetchEnd perform(const std::string& what);

    long status() const { return status_; }
    /// Of the last answer; the name in lower case. Empty: there is none.
    const std::string& header(const std::string& name) const;
    /// Where a redirect leads; empty: it is none.
    std::string redirect() const;

private:
    static size_t on_header(char* data, size_t size, size_t count, void* self);
    static size_t on_body(char* data, size_t size, size_t count, void* self);
    FetchEnd refusal(const std::string& what) const;

    CurlEasy easy_;
    std::string url_;
    std::map<std::string, std::string> headers_;
    size_t header_bytes_ = 0;
    std::function<bool(std::span<const char>)> body_;
    char reason_[CURL_ERROR_SIZE] = "";
    long status_ = 0;
    bool is_head_ = false;
};

/// "https://huggingface.co:443"; empty: not an address.
std::string origin_of(const std::string& url);

}  // namespace godwit
