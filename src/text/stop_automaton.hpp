// Finds the end of the first of several strings in bytes that come one at a time (Aho and Corasick 1975).
// Immutable; the state is the caller's. Amortised constant time a byte, whatever the strings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace godwit {

class StopAutomaton {
public:
    using State = uint32_t;
    static constexpr State kStart = 0;

    /// Empty strings are ignored.
    explicit StopAutomaton(std::span<const std::string> stops);

    State next(State state, char byte) const;

    /// Length of the longest end of the bytes so far that may still become a stop (or is one).
    size_t open_bytes(State state) const { return nodes_[state].depth; }

    /// Index of the longest stop that ends here.
    std::optional<size_t> stop(State state) const { return nodes_[state].stop; }

    /// By index: which stops occur in `text`. Linear in the text and the stops, however they nest.
    std::vector<bool> occurring(std::string_view text) const;

private:
    // A trie; children of a node are a list. Node 0 is the root and, as it is nobody's child, also means "none".
    struct Node {
        uint32_t first_child = 0;
        uint32_t sibling = 0;
        uint32_t fallback = 0;  // the longest proper end of this node's string that is a node as well
        uint32_t depth = 0;
        std::optional<uint32_t> stop;
        char byte = 0;
    };

    uint32_t child(uint32_t node, char byte) const;
    void add(std::string_view text, uint32_t index);
    void link_fallbacks();

    size_t stops_ = 0;  // as given, empty ones counted
    std::vector<Node> nodes_{1};
    std::vector<uint32_t> by_depth_ = {kStart};
};

}  // namespace godwit
