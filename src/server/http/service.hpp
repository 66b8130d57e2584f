// What the connections of a server share. The thread of run() only, where nothing else is said.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>

#include "server/http/exchange.hpp"
#include "server/http/http.hpp"
#include "server/http/policy.hpp"

namespace godwit::http {

class Connection;

class Service {
public:
    virtual const Options& options() const = 0;
    virtual const Policy& policy() const = 0;
    virtual boost::asio::io_context& io() = 0;
    /// Null: no TLS.
    virtual boost::asio::ssl::context* tls() = 0;

    virtual std::string next_request_id() = 0;
    /// Handler::error.
    virtual Response error(int status, std::string_view message, const Request& request) = 0;
    /// To a worker thread: decompressed, and to the handler.
    virtual void dispatch(std::shared_ptr<Answer> answer) = 0;
    virtual void closed(Connection& connection) = 0;

protected:
    ~Service() = default;
};

}  // namespace godwit::http
