#include "cache/index/block_pool.hpp"

#include "base/check.hpp"

namespace godwit {

BlockPool::BlockPool(int32_t blocks) {
    CHECK(blocks >= 0);
    blocks_.resize(blocks);
    for (BlockId block = 0; block < blocks; ++block) insert(block, kNoBlock);
}

BlockId BlockPool::take() {
    CHECK(free_ > 0);
    BlockId block = first_;
    remove(block);
    at(block).references = 1;
    at(block).published = false;
    return block;
}

void BlockPool::retain(BlockId block) {
    if (at(block).references == 0) {
        CHECK(at(block).published);
        remove(block);
    }
    ++at(block).references;
}

void BlockPool::release(BlockId block) {
    CHECK(at(block).references > 0);
    if (--at(block).references == 0) insert(block, at(block).published ? kNoBlock : first_);
}

void BlockPool::release_table(std::span<const BlockId> table) {
    for (size_t i = table.size(); i-- > 0;)
        if (table[i] != kNoBlock) release(table[i]);
}

void BlockPool::publish(BlockId block, const Identity& identity) {
    CHECK(at(block).references > 0 && !at(block).published);
    at(block).published = true;
    at(block).identity = identity;
}

BlockPool::Block& BlockPool::at(BlockId block) {
    CHECK(block >= 0 && block < size());
    return blocks_[block];
}

const BlockPool::Block& BlockPool::at(BlockId block) const {
    CHECK(block >= 0 && block < size());
    return blocks_[block];
}

void BlockPool::insert(BlockId block, BlockId next) {
    BlockId previous = next == kNoBlock ? last_ : at(next).previous;
    at(block).previous = previous;
    at(block).next = next;
    (previous == kNoBlock ? first_ : at(previous).next) = block;
    (next == kNoBlock ? last_ : at(next).previous) = block;
    ++free_;
}

void BlockPool::remove(BlockId block) {
    auto [previous, next] = std::pair(at(block).previous, at(block).next);
    (previous == kNoBlock ? first_ : at(previous).next) = next;
    (next == kNoBlock ? last_ : at(next).previous) = previous;
    at(block).previous = at(block).next = kNoBlock;
    --free_;
}

Result<void> BlockPool::check() const {
    int32_t queued = 0;
    BlockId previous = kNoBlock;
    for (BlockId block = first_; block != kNoBlock; previous = block, block = at(block).next) {
        if (block < 0 || block >= size()) return error("queue: link to block {} of {}", block, size());
        if (++queued > size()) return error("queue: a loop");
        if (at(block).references != 0) return error("queue: block {} has {} users", block, at(block).references);
        if (at(block).previous != previous)
            return error("queue: before block {} stands {}, its link says {}", block, previous, at(block).previous);
        if (previous != kNoBlock && at(previous).published && !at(block).published)
            return error("queue: published block {} before unpublished block {}", previous, block);
    }
    if (previous != last_) return error("queue: ends with block {}, not {}", previous, last_);
    if (queued != free_) return error("queue: {} blocks, {} are said to be free", queued, free_);
    int32_t unused = 0;
    for (const Block& block : blocks_) {
        if (block.references < 0) return error("a block has {} users", block.references);
        unused += block.references == 0;
    }
    if (unused != queued) return error("queue: {} blocks, {} have no users", queued, unused);
    return done();
}

}  // namespace godwit
