// A template, a zero byte, and the JSON text of its context. What renders must do so twice alike, in segments without
// gaps, as UTF-8 where the input was; the same source is also made a chat template of.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "base/utf8.hpp"
#include "dialect/chat_template.hpp"

namespace {

using namespace godwit;

void check_segments(const Rendered& rendered) {
    size_t end = 0;
    for (size_t i = 0; i < rendered.segments.size(); ++i) {
        const Segment& segment = rendered.segments[i];
        CHECK(segment.begin == end && segment.end > segment.begin);
        CHECK(i == 0 || segment.origin != rendered.segments[i - 1].origin);
        end = segment.end;
    }
    CHECK(end == rendered.text.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const size_t zero = std::min(input.find('\0'), size);
    const std::string_view source = input.substr(0, zero);
    const auto compiled = Template::compile(source);
    if (!compiled.ok()) return 0;

    RenderOptions options;
    options.limits = {.steps = 50'000, .output_bytes = size_t{1} << 20, .memory_bytes = size_t{16} << 20};
    options.now = std::tm{};
    const auto context = parse_json(input.substr(std::min(zero + 1, size)));
    const auto first = compiled.value().render(context.ok() ? context.value() : Json::object(), options);
    const auto second = compiled.value().render(context.ok() ? context.value() : Json::object(), options);
    CHECK(first.ok() == second.ok());
    if (first.ok()) {
        CHECK(first.value().text == second.value().text);
        check_segments(first.value());
        const bool well_formed = replace_ill_formed(source) == source;
        CHECK(!well_formed || replace_ill_formed(first.value().text) == first.value().text);
    }

    const auto chat = ChatTemplate::make({.text = std::string(source)});
    if (!chat.ok() || !context.ok() || !context.value().is_object()) return 0;
    Conversation conversation{.messages = context.value().value("messages", Json::array())};
    conversation.continue_final_message = size % 2 == 1;
    const auto prompt = chat.value().render(conversation);
    if (prompt.ok()) check_segments(prompt.value());
    return 0;
}
