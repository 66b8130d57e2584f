// What connections cost that do nothing. An executable of its own: resident memory is counted.
#include <sys/resource.h>

#include <fstream>

#include "server/http_harness.hpp"

namespace godwit::http {
namespace {

size_t resident_bytes() {
    size_t all = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

long waits() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw + usage.ru_nivcsw;
}

TEST(HttpMemory, AThousandIdleConnectionsCostLittle) {
    constexpr int kConnections = 1000;
    const rlimit files{4096, 4096};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
    ScriptedHandler handler;
    RunningServer server(handler);
    const std::string large(200'000, 'x');
    std::vector<Client> clients;
    clients.reserve(kConnections);
    const size_t before = resident_bytes();
    for (int i = 0; i < kConnections; ++i) {
        clients.emplace_back(server.port());
        if (i % 2) {  // half of them have been busy
            clients.back().send(
                fmt::format("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{}", large.size(), large));
            ASSERT_EQ(clients.back().reply().body.size(), large.size() + 8);
        }
    }
    EXPECT_TRUE(eventually([&] { return server->connections() == kConnections; }));
    EXPECT_LT(resident_bytes() - before, size_t{20} << 20);

    // nobody says anything, and no thread wakes up but this one
    std::vector<pollfd> quiet;
    for (const Client& client : clients) quiet.push_back({client.fd(), POLLIN, 0});
    const long waits_before = waits();
    EXPECT_EQ(poll(quiet.data(), quiet.size(), 1000), 0);
    EXPECT_LT(waits() - waits_before, 50);
}

}  // namespace
}  // namespace godwit::http
