// Any body to any route: an answer of 200 or 4xx, in JSON with all keys of an error, and the service goes on.
#include "server/fake_exchange.hpp"

namespace godwit::test {
namespace {

constexpr const char* kPaths[] = {"/v1/chat/completions", "/v1/completions", "/tokenize", "/detokenize"};

void require(bool condition, const Reply& reply) {
    if (condition) return;
    std::fprintf(stderr, "status %d: %s\n", reply.status, reply.body.c_str());
    std::abort();
}

void check(const Reply& reply) {
    require(reply.status == 200 || (reply.status >= 400 && reply.status < 500), reply);
    if (reply.status == 200) return;
    Json error = reply.json()["error"];
    for (const char* key : {"message", "type", "param", "code"}) require(error.contains(key), reply);
}

}  // namespace
}  // namespace godwit::test

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace godwit::test;
    static Api api;
    if (size == 0) return 0;
    std::string body(reinterpret_cast<const char*>(data) + 1, size - 1);
    check(api.ask("POST", kPaths[data[0] % std::size(kPaths)], body));
    return 0;
}
