#include "text/merge_table.hpp"

#include "base/printable.hpp"

namespace godwit {
namespace {

constexpr size_t kAhead = 16;  // look-ups wait for memory; this many wait together

Error bad_merge(size_t rank, std::string_view merge, std::string_view fault) {
    return error("key tokenizer.ggml.merges: merge {} '{}' {}", rank, printable(merge), fault);
}

struct Parts {
    std::string_view left, right;  // right.data() is null where there is no space
};

/// At the first space after the first character, which may be a space itself.
Parts split(std::string_view merge) {
    const size_t space = merge.find(' ', 1);
    if (space == std::string_view::npos) return {merge, {}};
    return {merge.substr(0, space), merge.substr(space + 1)};
}

/// find(text); vocabularies list tokens in the order of their merges, so it is most often `last` or the one after it.
std::optional<TokenId> find_near(const TokenTable& table, std::string_view text, TokenId last) {
    if (table.text(last) == text) return last;
    if (last + 1 < table.size() && table.text(last + 1) == text) return last + 1;
    return table.find(text);
}

}  // namespace

Result<MergeTable> MergeTable::build(const TokenTable& table, const std::vector<std::string_view>& merges) {
    MergeTable out(merges.size());
    std::string joined;
    TokenId last = 0;
    for (size_t rank = 0; rank < merges.size(); ++rank) {
        if (rank + kAhead < merges.size()) {
            const Parts later = split(merges[rank + kAhead]);
            table.prefetch(later.left);
            table.prefetch(later.right);
        }
        const Parts parts = split(merges[rank]);
        if (parts.right.data() == nullptr) return bad_merge(rank, merges[rank], "has no space between two parts");
        joined.assign(parts.left).append(parts.right);
        const auto left = table.find(parts.left), right = table.find(parts.right);
        if (!left || !right) return bad_merge(rank, merges[rank], "has a part that is no token");
        const auto result = find_near(table, joined, last);
        if (!result) return bad_merge(rank, merges[rank], "makes a text that is no token");
        last = *result;
        // Special tokens never come out of plain text, whatever the merges say.
        const bool plain = table.is_plain(*left) && table.is_plain(*right) && table.is_plain(*result);
        out.merges_.push_back(plain ? Entry{*left, *right, *result} : Entry{kNoToken, kNoToken, kNoToken});
    }
    TRY(out.index_merges());
    return out;
}

Result<void> MergeTable::index_merges() {
    for (size_t rank = 0; rank < merges_.size(); ++rank) {
        if (rank + kAhead < merges_.size())
            index_.prefetch(hash_pair(merges_[rank + kAhead].left, merges_[rank + kAhead].right));
        const Entry& merge = merges_[rank];
        if (merge.left == kNoToken) continue;
        if (!index_.insert(hash_pair(merge.left, merge.right), static_cast<uint32_t>(rank)))
            return error("key tokenizer.ggml.merges: too many merges with equal hashes (a file made to do harm?)");
    }
    return done();
}

}  // namespace godwit
