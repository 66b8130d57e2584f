// Texts with their tokens, to be found at the beginning of another text. The sorted texts serve as the trie: no memory
// for nodes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/vocabulary.hpp"

namespace godwit {

class TextTrie {
public:
    struct Entry {
        std::string_view text;  // not empty; must outlive the trie
        TokenId id;
    };

    TextTrie() = default;
    /// Of equal texts the highest id counts.
    explicit TextTrie(std::vector<Entry> entries) : entries_(std::move(entries)) {
        std::sort(entries_.begin(), entries_.end(),
                  [](const Entry& a, const Entry& b) { return a.text != b.text ? a.text < b.text : a.id < b.id; });
        for (uint32_t i = 0; i < entries_.size(); ++i) {
            Range& range = first_bytes_[static_cast<unsigned char>(entries_[i].text[0])];
            if (range.end == 0) range.begin = i;
            range.end = i + 1;
        }
    }

    /// Whether some entry begins with `byte`.
    bool begins(char byte) const {
        const Range range = first_bytes_[static_cast<unsigned char>(byte)];
        return range.begin < range.end;
    }

    /// visit(size, id) for each entry that `text` (not empty) begins with, the shortest first.
    template <class Visit>
    void visit_beginnings(std::string_view text, Visit visit) const {
        Range range = first_bytes_[static_cast<unsigned char>(text[0])];
        // All of `range` begin with the first `depth` bytes of the text; the shortest of them comes first.
        for (size_t depth = 1; range.begin < range.end; ++depth) {
            for (; range.begin < range.end && entries_[range.begin].text.size() == depth; ++range.begin) {
                const bool last = range.begin + 1 == range.end || entries_[range.begin + 1].text.size() != depth;
                if (last) visit(depth, entries_[range.begin].id);
            }
            if (depth == text.size()) break;
            narrow(range, depth, static_cast<unsigned char>(text[depth]));
        }
    }

private:
    struct Range {
        uint32_t begin = 0, end = 0;
    };

    /// To the entries whose byte at `depth` is `byte`.
    void narrow(Range& range, size_t depth, unsigned char byte) const {
        const auto at = [&](const Entry& entry) { return static_cast<unsigned char>(entry.text[depth]); };
        const auto begin = entries_.begin() + range.begin, end = entries_.begin() + range.end;
        const auto low = std::partition_point(begin, end, [&](const Entry& entry) { return at(entry) < byte; });
        const auto high = std::partition_point(low, end, [&](const Entry& entry) { return at(entry) == byte; });
        range = {static_cast<uint32_t>(low - entries_.begin()), static_cast<uint32_t>(high - entries_.begin())};
    }

    std::vector<Entry> entries_;          // by text
    std::array<Range, 256> first_bytes_;  // the entries that begin with a byte
};

}  // namespace godwit
