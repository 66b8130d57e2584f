// The first lines are stop strings, the rest is decoded whole and in pieces whose lengths the input gives as well:
// both must say the same, in well-formed UTF-8.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.hpp"
#include "base/utf8.hpp"
#include "text/stream_decoder.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::string_view input(reinterpret_cast<const char*>(data), size);
    std::vector<std::string> stops;
    for (size_t end; stops.size() < 8 && (end = input.find('\n')) != std::string_view::npos;
         input.remove_prefix(end + 1))
        stops.emplace_back(input.substr(0, end));

    godwit::StreamDecoder whole(stops);
    std::string text;
    whole.push(input, text);
    whole.finish(text);
    CHECK(godwit::replace_ill_formed(text) == text);
    if (whole.stopped()) CHECK(text.find(*whole.stopped()) == std::string::npos);

    godwit::StreamDecoder pieces(stops);
    std::string joined;
    for (size_t at = 0; at < input.size();) {
        const size_t length = static_cast<uint8_t>(input[at]) % 7;
        pieces.push(input.substr(at, length + 1), joined);
        CHECK(text.starts_with(joined));
        at += length + 1;
    }
    pieces.finish(joined);
    CHECK(joined == text);
    CHECK(pieces.stopped() == whole.stopped());
    return 0;
}
