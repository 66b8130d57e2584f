#include "cache/index/block_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

namespace godwit {

/// Damages a pool, to see that check() notices.
struct BlockPoolBreaker {
    static auto& blocks(BlockPool& pool) { return pool.blocks_; }
    static BlockId& first(BlockPool& pool) { return pool.first_; }
    static BlockId& last(BlockPool& pool) { return pool.last_; }
    static int32_t& free(BlockPool& pool) { return pool.free_; }
};

namespace {

Identity identity_of(int number) {
    Identity identity;
    identity.bytes[0] = static_cast<uint8_t>(number);
    return identity;
}

BlockId take_published(BlockPool& pool) {
    BlockId block = pool.take();
    pool.publish(block, identity_of(block));
    return block;
}

TEST(BlockPool, HandsOutEveryBlockOnce) {
    BlockPool pool(3);
    EXPECT_EQ(pool.size(), 3);
    std::vector<BlockId> taken = {pool.take(), pool.take(), pool.take()};
    EXPECT_EQ(pool.free(), 0);
    EXPECT_TRUE(pool.check().ok());
    std::sort(taken.begin(), taken.end());
    EXPECT_EQ(taken, (std::vector<BlockId>{0, 1, 2}));
    EXPECT_DEATH(pool.take(), "free_ > 0");
}

TEST(BlockPool, FreesWithTheLastUser) {
    BlockPool pool(1);
    BlockId block = pool.take();
    pool.retain(block);
    EXPECT_EQ(pool.references(block), 2);
    pool.release(block);
    EXPECT_EQ(pool.free(), 0);
    pool.release(block);
    EXPECT_EQ(pool.free(), 1);
    EXPECT_DEATH(pool.release(block), "references > 0");
}

TEST(BlockPool, TakesTheLeastRecentlyUsedOfThePublished) {
    BlockPool pool(3);
    BlockId a = take_published(pool), b = take_published(pool), c = take_published(pool);
    for (BlockId block : {b, c, a}) pool.release(block);
    EXPECT_EQ(pool.take(), b);
    EXPECT_EQ(pool.take(), c);
    EXPECT_EQ(pool.take(), a);
}

TEST(BlockPool, TakesUnpublishedBlocksFirst) {
    BlockPool pool(4);
    BlockId a = take_published(pool), b = pool.take(), c = take_published(pool), d = pool.take();
    for (BlockId block : {a, b, c, d}) pool.release(block);
    EXPECT_TRUE(pool.check().ok());
    std::vector<BlockId> first = {pool.take(), pool.take()};
    std::sort(first.begin(), first.end());
    EXPECT_EQ(first, (std::vector<BlockId>{b, d}));
    EXPECT_EQ(pool.take(), a);
    EXPECT_EQ(pool.take(), c);
}

TEST(BlockPool, ForgetsTheEndOfATableFirst) {
    BlockPool pool(3);
    std::vector<BlockId> table = {take_published(pool), kNoBlock, take_published(pool), take_published(pool)};
    pool.release_table(table);
    EXPECT_EQ(pool.take(), table[3]);
    EXPECT_EQ(pool.take(), table[2]);
    EXPECT_EQ(pool.take(), table[0]);
}

TEST(BlockPool, RevivesAPublishedBlockFromAnywhereInTheQueue) {
    for (int which : {0, 1, 2}) {
        BlockPool pool(3);
        std::vector<BlockId> blocks = {take_published(pool), take_published(pool), take_published(pool)};
        for (BlockId block : blocks) pool.release(block);
        pool.retain(blocks[which]);
        EXPECT_TRUE(pool.check().ok());
        EXPECT_EQ(pool.free(), 2);
        EXPECT_EQ(*pool.identity(blocks[which]), identity_of(blocks[which]));
        blocks.erase(blocks.begin() + which);
        EXPECT_EQ(pool.take(), blocks[0]);
        EXPECT_EQ(pool.take(), blocks[1]);
    }
}

TEST(BlockPool, AnIdentityLastsUntilTheBlockIsTaken) {
    BlockPool pool(1);
    BlockId block = take_published(pool);
    EXPECT_DEATH(pool.publish(block, {}), "published");
    pool.release(block);
    EXPECT_NE(pool.identity(block), nullptr);
    EXPECT_EQ(pool.take(), block);
    EXPECT_EQ(pool.identity(block), nullptr);
    pool.release(block);
    EXPECT_DEATH(pool.publish(block, {}), "references > 0");
    EXPECT_DEATH(pool.retain(block), "published");
}

TEST(BlockPool, CheckFindsDamage) {
    auto fault = [](const std::function<void(BlockPool&)>& damage) {
        BlockPool pool(5);  // queue: 2 unpublished, 3 and 4 published; 0 and 1 in use
        for (int i = 0; i < 5; ++i) pool.take();
        for (BlockId block : {3, 4}) pool.publish(block, {});
        for (BlockId block : {2, 3, 4}) pool.release(block);
        EXPECT_TRUE(pool.check().ok());
        damage(pool);
        Result<void> result = pool.check();
        return result.ok() ? "nothing" : result.error().message;
    };
    using Breaker = BlockPoolBreaker;
    EXPECT_EQ(fault([](BlockPool& pool) { Breaker::blocks(pool)[3].next = 7; }), "queue: link to block 7 of 5");
    EXPECT_EQ(fault([](BlockPool& pool) { Breaker::blocks(pool)[4].next = 4; }),
              "queue: before block 4 stands 4, its link says 3");
    EXPECT_EQ(fault([](BlockPool& pool) { Breaker::blocks(pool)[3].references = 1; }), "queue: block 3 has 1 users");
    EXPECT_EQ(fault([](BlockPool& pool) {
                  Breaker::blocks(pool)[2].published = true, Breaker::blocks(pool)[3].published = false;
              }),
              "queue: published block 2 before unpublished block 3");
    EXPECT_EQ(fault([](BlockPool& pool) { Breaker::last(pool) = 3; }), "queue: ends with block 4, not 3");
    EXPECT_EQ(fault([](BlockPool& pool) { ++Breaker::free(pool); }), "queue: 3 blocks, 4 are said to be free");
    EXPECT_EQ(fault([](BlockPool& pool) { Breaker::blocks(pool)[0].references = 0; }),
              "queue: 3 blocks, 4 have no users");
    EXPECT_EQ(fault([](BlockPool& pool) { Breaker::blocks(pool)[0].references = -1; }), "a block has -1 users");
}

/// Against a model that is too slow and too simple to be wrong.
TEST(BlockPool, BehavesLikeItsModelUnderRandomUse) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 200; ++round) {
        auto size = static_cast<int32_t>(1 + random() % 8);
        BlockPool pool(size);
        std::vector<int> references(size), published(size);
        std::vector<BlockId> unpublished_free, published_free;  // in the order of the queue
        for (BlockId block = 0; block < size; ++block) unpublished_free.push_back(block);
        for (int i = 0; i < 200; ++i) {
            auto block = static_cast<BlockId>(random() % size);
            switch (random() % 4) {
                case 0: {
                    auto& queue = unpublished_free.empty() ? published_free : unpublished_free;
                    if (queue.empty()) break;
                    ASSERT_EQ(block = pool.take(), queue.front());
                    queue.erase(queue.begin());
                    references[block] = 1, published[block] = 0;
                    break;
                }
                case 1:
                    if (references[block] == 0) break;
                    pool.release(block);
                    if (--references[block] > 0) break;
                    if (published[block]) published_free.push_back(block);
                    else unpublished_free.insert(unpublished_free.begin(), block);
                    break;
                case 2:
                    if (references[block] == 0 && !published[block]) break;
                    pool.retain(block);
                    if (references[block]++ == 0) std::erase(published_free, block);
                    break;
                default:
                    if (references[block] == 0 || published[block]) break;
                    pool.publish(block, identity_of(i));
                    published[block] = 1;
            }
            ASSERT_EQ(pool.free(), static_cast<int32_t>(unpublished_free.size() + published_free.size()));
            ASSERT_TRUE(pool.check().ok());
        }
        for (BlockId block = 0; block < size; ++block) EXPECT_EQ(pool.references(block), references[block]);
    }
}

}  // namespace
}  // namespace godwit
