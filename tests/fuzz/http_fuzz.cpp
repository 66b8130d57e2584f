// HTTP requests: first byte: how many pieces the rest comes in. Whatever comes: no crash, no more memory than the
// limits, the same request however it is cut; and its body unpacked by what its header says.
#include <cstdlib>
#include <string>
#include <string_view>

#include "server/http/body_encoding.hpp"
#include "server/http/request_parser.hpp"

using godwit::http::RequestParser;

namespace {

constexpr size_t kHeaderMax = 2000, kBodyMax = 20'000;

struct Outcome {
    RequestParser parser{kHeaderMax, kBodyMax};
    size_t taken = 0;
};

/// As a connection does it: what the parser leaves comes again, with more behind it.
void feed(Outcome& out, std::string_view text, size_t piece) {
    std::string input;
    while (!text.empty() && out.parser.state() < RequestParser::State::Complete) {
        const size_t size = std::min(piece, text.size());
        input += text.substr(0, size);
        text.remove_prefix(size);
        const size_t taken = out.parser.put(input);
        if (taken > input.size()) abort();
        input.erase(0, taken);
        out.taken += taken;
        if (out.parser.state() < RequestParser::State::Complete && input.size() > kHeaderMax + piece) abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < 1) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    Outcome whole, cut;
    feed(whole, text, text.size());
    feed(cut, text, size_t{data[0]} + 1);
    const bool complete = whole.parser.state() == RequestParser::State::Complete;
    if (complete != (cut.parser.state() == RequestParser::State::Complete)) abort();
    if (!complete) return 0;
    auto& request = whole.parser.request();
    if (whole.taken != cut.taken || request.body != cut.parser.request().body ||
        request.headers != cut.parser.request().headers)
        abort();
    if (request.body.size() > kBodyMax || (request.path[0] != '/' && request.path != "*")) abort();
    const auto decoded = godwit::http::decode_body(request.header("content-encoding"), request.body, kBodyMax);
    if (decoded.body.size() > kBodyMax) abort();
    return 0;
}
