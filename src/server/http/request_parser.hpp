// Bytes to requests: Beast's parser with our limits and with what RFC 9112 leaves open decided for safety. Pure: no
// sockets, no clock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "server/http/http.hpp"

namespace godwit::http {

/// One request. From put() to put() until it is Complete or Failed.
class RequestParser {
public:
    enum class State : uint8_t { Header, Body, Complete, Failed };

    /// `header_bytes_max` also bounds trailers and the heads of chunks.
    RequestParser(size_t header_bytes_max, size_t body_bytes_max);
    ~RequestParser();

    /// Takes bytes from the front of `input` and says how many; the rest has to come again, with more after it.
    size_t put(std::string_view input);
    State state() const;

    /// What is known of the request: method, path, query and headers after Header, the body (as sent) when Complete.
    Request& request();
    /// "Connection: keep-alive", or HTTP/1.1 without "close". After Header.
    bool keep_alive() const;
    bool http_1_1() const;
    /// The client waits for "100 Continue" before it sends the body.
    bool expects_continue() const;

    /// Failed: the status to answer with, and why.
    int status() const;
    const std::string& message() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace godwit::http
