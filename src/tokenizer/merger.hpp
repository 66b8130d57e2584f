// The merge loop of BPE: symbols in a row, the best pair of neighbours is merged until no pair is left. A heap, no
// recursion; n symbols cost at most 3 n queue entries. One per thread; reuse it, it keeps its memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "tokenizer/vocabulary.hpp"

namespace godwit {

inline constexpr TokenId kNoToken = -1;

class Merger {
public:
    /// A stretch of the text and its token, kNoToken if it has none.
    struct Symbol {
        uint32_t begin, size;
        TokenId id;
        int32_t previous, next;  // indices, -1: none; size 0: merged into its left neighbour
    };

    /// What two neighbours become. The lowest priority goes first; equal ones from left to right.
    struct Merge {
        uint32_t priority;
        TokenId id;
    };

    void clear() { symbols_.clear(); }

    void add(uint32_t begin, uint32_t size, TokenId id) {
        const auto index = static_cast<int32_t>(symbols_.size());
        if (index > 0) symbols_.back().next = index;
        symbols_.push_back({begin, size, id, index - 1, -1});
    }

    /// pair(left, right): optional<Merge>. Afterwards for_each() gives the symbols that are left.
    template <class Pair>
    void run(Pair pair) {
        for (int32_t i = 0; i + 1 < std::ssize(symbols_); ++i) push(i, pair);
        while (!queue_.empty()) {
            std::pop_heap(queue_.begin(), queue_.end(), Later());
            const Entry best = queue_.back();
            queue_.pop_back();
            if (!valid(best)) continue;
            join(best);
            if (symbols_[best.left].previous >= 0) push(symbols_[best.left].previous, pair);
            push(best.left, pair);
        }
    }

    template <class Visit>
    void for_each(Visit visit) const {
        for (int32_t i = symbols_.empty() ? -1 : 0; i >= 0; i = symbols_[i].next) visit(symbols_[i]);
    }

    /// Queue entries made since construction: the work done.
    uint64_t pushes() const { return pushes_; }

private:
    struct Entry {
        Merge merge;
        int32_t left;
        uint32_t size;  // of both symbols together
    };

    struct Later {
        bool operator()(const Entry& a, const Entry& b) const {
            return a.merge.priority != b.merge.priority ? a.merge.priority > b.merge.priority : a.left > b.left;
        }
    };

    /// Symbols only grow or vanish, so an unchanged pair has its old size, and a changed one is larger.
    bool valid(const Entry& entry) const {
        const Symbol& left = symbols_[entry.left];
        return left.size > 0 && left.next >= 0 && left.size + symbols_[left.next].size == entry.size;
    }

    template <class Pair>
    void push(int32_t left, Pair& pair) {
        const Symbol& a = symbols_[left];
        if (a.next < 0) return;
        const Symbol& b = symbols_[a.next];
        const std::optional<Merge> merge = pair(a, b);
        if (!merge) return;
        queue_.push_back({*merge, left, a.size + b.size});
        std::push_heap(queue_.begin(), queue_.end(), Later());
        ++pushes_;
    }

    void join(const Entry& entry) {
        Symbol& left = symbols_[entry.left];
        Symbol& right = symbols_[left.next];
        left.size += right.size;
        left.id = entry.merge.id;
        left.next = right.next;
        if (right.next >= 0) symbols_[right.next].previous = entry.left;
        right.size = 0;
    }

    std::vector<Symbol> symbols_;
    std::vector<Entry> queue_;
    uint64_t pushes_ = 0;
};

}  // namespace godwit
