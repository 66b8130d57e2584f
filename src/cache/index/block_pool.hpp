// The blocks of one cache group: who is in use, by how many, and which free one goes next. Counts only; the bytes are
// the store's. One thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "cache/index/identity.hpp"

namespace godwit {

using BlockId = int32_t;
/// In a block table: nothing there (any more).
inline constexpr BlockId kNoBlock = -1;

/// Free blocks stand in a queue, doubly linked through the blocks themselves, so that any of them can leave it in
/// constant time. First the blocks that nobody can ask for again (never published), then the published ones, least
/// recently used first: these keep their identity, and their bytes, until they are taken.
class BlockPool {
public:
    explicit BlockPool(int32_t blocks);

    int32_t size() const { return static_cast<int32_t>(blocks_.size()); }
    int32_t free() const { return free_; }

    /// The free block that is worth least, now used once and without identity. There must be one.
    BlockId take();
    /// One user more. A free block must be published: it leaves the queue with its bytes.
    void retain(BlockId block);
    /// One user less; without any the block joins the queue.
    void release(BlockId block);
    /// Releases a sequence's table, last block first, so that the end of a text is forgotten before its beginning.
    void release_table(std::span<const BlockId> table);

    /// A block in use gets its identity: it is full and its bytes will not change.
    void publish(BlockId block, const Identity& identity);

    int32_t references(BlockId block) const { return at(block).references; }
    /// Null: never published since it was taken.
    const Identity* identity(BlockId block) const { return at(block).published ? &at(block).identity : nullptr; }

    /// Walks over everything: links, counts and order of the queue. The error says what is inconsistent.
    Result<void> check() const;

private:
    friend struct BlockPoolBreaker;  // tests of check()

    struct Block {
        int32_t references = 0;
        bool published = false;
        BlockId previous = kNoBlock, next = kNoBlock;  // in the queue, while references == 0
        Identity identity;
    };

    Block& at(BlockId block);
    const Block& at(BlockId block) const;
    /// Into the queue before `next`; kNoBlock: at the end.
    void insert(BlockId block, BlockId next);
    void remove(BlockId block);

    std::vector<Block> blocks_;
    BlockId first_ = kNoBlock, last_ = kNoBlock;
    int32_t free_ = 0;
};

}  // namespace godwit
