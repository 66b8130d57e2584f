// The merges of BPE by the pair of ids that they join. Immutable.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "tokenizer/flat_index.hpp"
#include "tokenizer/merger.hpp"
#include "tokenizer/token_table.hpp"

namespace godwit {

class MergeTable {
public:
    /// What is joined.
    struct Pair {
        std::string_view left, right;
    };

    /// Of "a b": cut at the first space after the first character, which may be a space itself. Errors: no space.
    static Result<std::vector<Pair>> split(const std::vector<std::string_view>& merges, std::string_view where);

    /// `pairs`: best first; of two merges of one pair the first counts. The result of a merge is the left text and the
    /// right one without its first `prefix_size` bytes. Errors: a part or the result that is no token.
    static Result<MergeTable> build(const TokenTable& table, const std::vector<Pair>& pairs, size_t prefix_size,
                                    std::string_view where);

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
    Result<void> index_merges(std::string_view where);

    std::vector<Entry> merges_;  // by rank; kNoToken: not to be used
    FlatIndex index_;
};

}  // namespace godwit
