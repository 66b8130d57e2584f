// The merges of BPE by the pair of ids that they join. Immutable.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "text/flat_index.hpp"
#include "text/merger.hpp"
#include "text/token_table.hpp"

namespace godwit {

class MergeTable {
public:
    /// `merges`: "a b", best first; of two merges of one pair the first counts. Errors: no space, a part or the result
    /// that is no token.
    static Result<MergeTable> build(const TokenTable& table, const std::vector<std::string_view>& merges);

    std::optional<Merger::Merge> find(TokenId left, TokenId right) const {
        const uint32_t rank = index_.find(
            hash_pair(left, right), [&](uint32_t i) { return merges_[i].left == left && merges_[i].right == right; });
        if (rank == FlatIndex::kNone) return std::nullopt;
        return Merger::Merge{rank, merges_[rank].result};
    }

private:
    struct Entry {
        TokenId left, right, result;
    };

    explicit MergeTable(size_t size) : index_(size) { merges_.reserve(size); }
    Result<void> index_merges();

    std::vector<Entry> merges_;  // by rank; kNoToken: not to be used
    FlatIndex index_;
};

}  // namespace godwit
