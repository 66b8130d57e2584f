// Where the bytes of a prompt come from: the gate for special tokens.
#pragma once

#include <cstddef>
#include <cstdint>

namespace godwit {

/// Template: written by the author of the chat template (its literals, bos and eos). Value: messages, tools, arguments.
enum class Origin : uint8_t { Template, Value };

/// Bytes [begin, end) of a text.
struct Segment {
    size_t begin = 0, end = 0;
    Origin origin = Origin::Value;

    bool operator==(const Segment&) const = default;
};

}  // namespace godwit
