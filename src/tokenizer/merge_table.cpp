#include "tokenizer/merge_table.hpp"

#include <algorithm>

#include "base/printable.hpp"

namespace godwit {
namespace {

constexpr size_t kAhead = 16;  // look-ups wait for memory; this many wait together

Error bad_merge(std::string_view where, size_t rank, const MergeTable::Pair& pair, std::string_view fault) {
    return error("{}: merge {} '{} {}' {}", where, rank, printable(pair.left), printable(pair.right), fault);
}

/// find(text); vocabularies list tokens in the order of their merges, so it is most often `last` or the one after it.
std::optional<TokenId> find_near(const TokenTable& table, std::string_view text, TokenId last) {
    if (table.text(last) == text) return last;
    if (last + 1 < table.size() && table.text(last + 1) == text) return last + 1;
    return table.find(text);
}

}  // namespace

Result<std::vector<MergeTable::Pair>> MergeTable::split(const std::vector<std::string_view>& merges,
                                                        std::string_view where) {
    std::vector<Pair> pairs;
    pairs.reserve(merges.size());
    for (std::string_view merge : merges) {
        const size_t space = merge.find(' ', 1);
        if (space == std::string_view::npos)
            return error("{}: merge {} '{}' has no space between two parts", where, pairs.size(), printable(merge));
        pairs.push_back({merge.substr(0, space), merge.substr(space + 1)});
    }
    return pairs;
}

Result<MergeTable> MergeTable::build(const TokenTable& table, const std::vector<Pair>& pairs, size_t prefix_size,
                                     std::string_view where) {
    MergeTable out(pairs.size());
    std::string joined;
    TokenId last = 0;
    for (size_t rank = 0; rank < pairs.size(); ++rank) {
        if (rank + kAhead < pairs.size()) {
            table.prefetch(pairs[rank + kAhead].left);
            table.prefetch(pairs[rank + kAhead].right);
        }
        const Pair& parts = pairs[rank];
        joined.assign(parts.left).append(parts.right.substr(std::min(prefix_size, parts.right.size())));
        const auto left = table.find(parts.left), right = table.find(parts.right);
        if (!left || !right) return bad_merge(where, rank, parts, "has a part that is no token");
        const auto result = find_near(table, joined, last);
        if (!result) return bad_merge(where, rank, parts, "makes a text that is no token");
        last = *result;
        // Special tokens never come out of plain text, whatever the merges say.
        const bool plain = table.is_plain(*left) && table.is_plain(*right) && table.is_plain(*result);
        out.merges_.push_back(plain ? Entry{*left, *right, *result} : Entry{kNoToken, kNoToken, kNoToken});
    }
    TRY(out.index_merges(where));
    return out;
}

Result<void> MergeTable::index_merges(std::string_view where) {
    for (size_t rank = 0; rank < merges_.size(); ++rank) {
        if (rank + kAhead < merges_.size())
            index_.prefetch(hash_pair(merges_[rank + kAhead].left, merges_[rank + kAhead].right));
        const Entry& merge = merges_[rank];
        if (merge.left == kNoToken) continue;
        if (!index_.insert(hash_pair(merge.left, merge.right), static_cast<uint32_t>(rank)))
            return error("{}: too many merges with equal hashes (a file made to do harm?)", where);
    }
    return done();
}

}  // namespace godwit
