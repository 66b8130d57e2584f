// The input is a tokenizer.json, a zero byte and a text: any JSON is refused in one line or makes a tokenizer that
// encodes any text into ids which exist, in bounded work.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "tokenizer/tokenizer_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    constexpr size_t kMaxText = 4096;
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const size_t end = std::min(input.find('\0'), size);
    const auto made = godwit::read_tokenizer_json(input.substr(0, end));
    if (!made.ok()) {
        CHECK(made.error().message.find('\n') == std::string::npos);
        return 0;
    }
    const godwit::Tokenizer& tokenizer = *made.value();
    const std::string_view text = input.substr(std::min(end + 1, size)).substr(0, kMaxText);
    for (const auto specials : {godwit::Specials::None, godwit::Specials::All}) {
        const auto ids = tokenizer.encode(text, specials);
        for (godwit::TokenId id : ids) CHECK(id >= 0 && id < tokenizer.size());
        (void)tokenizer.decode(ids, true);
        (void)tokenizer.decode(ids, false);
    }
    for (godwit::TokenId id = 0; id < tokenizer.size() && id < 1000; ++id) (void)tokenizer.bytes(id, true).size();
    return 0;
}
