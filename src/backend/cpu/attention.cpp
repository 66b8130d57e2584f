#include "backend/cpu/attention.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "backend/reference/host_view.hpp"
#include "base/ceil_div.hpp"

namespace godwit::cpu {
namespace {

using reference::f32;
using reference::host_bytes;
using reference::i32;

constexpr int64_t kTileQueries = 48;              // their scores of one split are as large as a first-level cache
constexpr int64_t kUnitsPerThread = 8;            // so that threads end together
constexpr int64_t kCutFloats = int64_t{1} << 18;  // for the sums of cut items, times threads
constexpr int64_t kLine = 16;                     // floats of a cache line

int64_t round_up(int64_t n, int64_t multiple) { return ceil_div(n, multiple) * multiple; }

/// The first of `count` floats that start a cache line; the memory grows to hold them.
float* aligned(std::vector<float>& memory, int64_t count) {
    if (static_cast<int64_t>(memory.size()) < count + kLine) memory.resize(count + kLine);
    const auto address = reinterpret_cast<uintptr_t>(memory.data());
    return memory.data() + (round_up(static_cast<int64_t>(address), 64) - static_cast<int64_t>(address)) / 4;
}

/// The extents of a call.
struct Sizes {
    explicit Sizes(const Attention& args)
        : rows(args.query.shape[0]),
          heads(args.query.shape[1]),
          head_dim(args.query.shape[2]),
          kv_heads(args.keys.shape[1]),
          block_tokens(args.keys.shape[3]),
          value_dim(args.values.shape[3]),
          heads_per_kv(heads / kv_heads),
          tile_rows(std::max<int64_t>(1, kTileQueries / heads_per_kv)),
          value_stride(round_up(value_dim, kAttentionColumns)) {}

    int64_t rows, heads, head_dim, kv_heads, block_tokens, value_dim;
    int64_t heads_per_kv;  // query heads that share a KV head
    int64_t tile_rows;     // at most
    int64_t value_stride;  // as in AttentionTile

    int64_t queries(int64_t row_count) const { return round_up(row_count * heads_per_kv, kAttentionQueries); }
    int64_t sums(int64_t row_count) const {
        return round_up(2 * queries(row_count), kLine) + queries(row_count) * value_stride;
    }
    int64_t scratch() const {
        const int64_t n = queries(std::min(tile_rows, rows));
        return round_up(n * head_dim, kLine) + n * kAttentionStride + kAttentionSplit * kAttentionColumns +
               2 * round_up(n, kLine) + round_up(3 * n, kLine) + 2 * sums(std::min(tile_rows, rows));
    }
};

void check(const Attention& args) {
    const Sizes size(args);
    CHECK(size.heads % size.kv_heads == 0 && args.keys.shape[2] == size.head_dim &&
          args.keys.dtype == args.values.dtype);
    CHECK(args.keys.dtype == DType::F16 || args.keys.dtype == DType::F32);
    CHECK(size.block_tokens % 32 == 0 && kAttentionSplit % size.block_tokens == 0);
    CHECK(args.values.shape == (Shape{args.keys.shape[0], size.kv_heads, size.block_tokens, size.value_dim}));
    CHECK(args.out.shape == (Shape{size.rows, size.heads, size.value_dim}));
}

/// Places [first, last] that a row sees.
struct Places {
    int64_t first, last;
};
Places seen_places(const Attention& args, int64_t row) {
    const int64_t last = i32(args.index)[row];
    return {args.window > 0 ? std::max<int64_t>(0, last - args.window + 1) : 0, last};
}

AttentionSums sums_at(float* memory, int64_t queries) {
    return {memory, memory + queries, memory + round_up(2 * queries, kLine)};
}

void clear(const AttentionSums& sums, int64_t queries, int64_t value_stride) {
    std::fill_n(sums.maximum, queries, -std::numeric_limits<float>::infinity());
    std::fill_n(sums.sum, queries, 0.0f);
    std::fill_n(sums.values, queries * value_stride, 0.0f);
}

/// A piece of scratch, and on to the next.
float* take(float*& scratch, int64_t count) { return std::exchange(scratch, scratch + round_up(count, kLine)); }

AttentionTile make_tile(const Attention& args, int64_t row, int64_t rows, int64_t kv_head, float*& scratch) {
    const Sizes size(args);
    const int64_t queries = size.queries(rows);
    return {.query = f32(args.query) + (row * size.heads + kv_head * size.heads_per_kv) * size.head_dim,
            .query_stride = size.heads * size.head_dim,
            .index = i32(args.index) + row,
            .rows = rows,
            .heads_per_kv = size.heads_per_kv,
            .head_dim = size.head_dim,
            .value_dim = size.value_dim,
            .block_tokens = size.block_tokens,
            .half = args.keys.dtype == DType::F16,
            .window = args.window,
            .scale = args.scale,
            .softcap = args.softcap,
            .value_stride = size.value_stride,
            .packed = take(scratch, queries * size.head_dim),
            .scores = take(scratch, queries * kAttentionStride),
            .columns = take(scratch, kAttentionSplit * kAttentionColumns),
            .begin = reinterpret_cast<int32_t*>(take(scratch, queries)),
            .end = reinterpret_cast<int32_t*>(take(scratch, queries)),
            .bounds = reinterpret_cast<int32_t*>(take(scratch, 3 * queries))};
}

/// Where the blocks of one split are, for a KV head.
class SplitBlocks {
public:
    SplitBlocks(const Attention& args, const AttentionTile& tile, int64_t row, int64_t kv_head)
        : args_(args), tile_(tile), row_(row), kv_head_(kv_head) {}

    /// `more`: the next split is read after this one.
    void find(int64_t split, bool more) {
        const int64_t count = kAttentionSplit / tile_.block_tokens, first = split * count;
        for (int64_t i = 0; i < count; ++i) {
            const int64_t block = block_id(first + i);
            keys[i] = head_of(args_.keys, block);
            values[i] = head_of(args_.values, block);
        }
        int64_t seen = 0;  // the first block that is read
        while (seen + 1 < count && values[seen] == nullptr) ++seen;
        for (int64_t i = 0; i < kAttentionAhead; ++i) {
            keys[count + i] = seen + i < count ? values[seen + i] : nullptr;
            values[count + i] = more && i < count ? head_of(args_.keys, block_id(first + count + i)) : nullptr;
        }
    }

    const uint8_t* keys[kAttentionSplit / 32 + kAttentionAhead];
    const uint8_t* values[kAttentionSplit / 32 + kAttentionAhead];

private:
    /// −1: no row sees it.
    int64_t block_id(int64_t place_in_table) const {
        const int64_t begin = place_in_table * tile_.block_tokens, end = begin + tile_.block_tokens;
        for (int64_t row = row_; row < row_ + tile_.rows; ++row) {
            const Places places = seen_places(args_, row);
            if (places.first >= end || places.last < begin) continue;
            const int64_t columns = args_.block_table.columns();
            CHECK(place_in_table < columns);
            const int64_t block = i32(args_.block_table)[i32(args_.sequence)[row] * columns + place_in_table];
            CHECK(block >= 0 && block < args_.keys.shape[0]);
            return block;
        }
        return -1;
    }

    const uint8_t* head_of(const View& plane, int64_t block) const {
        if (block < 0) return nullptr;
        const uint64_t bytes = tensor_bytes(plane.dtype, Shape{plane.shape[2], plane.shape[3]});
        return reinterpret_cast<const uint8_t*>(host_bytes(plane)) + (block * plane.shape[1] + kv_head_) * bytes;
    }

    const Attention& args_;
    const AttentionTile& tile_;
    int64_t row_, kv_head_;
};

}  // namespace

void AttentionRunner::run(const Attention& args) {
    check(args);
    find_items(args);
    const int64_t round_splits = find_cuts(args);
    for (Round round = {0, round_splits};; round = {round.end, round.end + round_splits}) {
        find_units(round);
        if (units_.empty()) return;
        run_units(args, round);
    }
}

/// Adjacent rows of one sequence make a tile; the last ones, which see most, come first.
void AttentionRunner::find_items(const Attention& args) {
    const Sizes size(args);
    const int32_t* sequence = i32(args.sequence);
    items_.clear();
    for (int64_t end = size.rows; end > 0;) {
        int64_t row = end - 1;
        Places all = seen_places(args, row);
        for (; row > 0 && end - row < size.tile_rows && sequence[row - 1] == sequence[row]; --row) {
            const Places places = seen_places(args, row - 1);
            all = {std::min(all.first, places.first), std::max(all.last, places.last)};
        }
        for (int64_t kv_head = 0; kv_head < size.kv_heads; ++kv_head)
            items_.push_back({.row = row,
                              .rows = end - row,
                              .kv_head = kv_head,
                              .begin = all.first / kAttentionSplit,
                              .end = all.last / kAttentionSplit + 1});
        end = row;
    }
}

/// Cuts what would keep a thread busy after the others are done. Returns how many splits a round has.
int64_t AttentionRunner::find_cuts(const Attention& args) {
    const Sizes size(args);
    int64_t cost = 0;  // queries × splits
    for (const Item& item : items_) cost += item.rows * size.heads_per_kv * (item.end - item.begin);
    const int64_t unit_cost = pool_.size() == 1 ? cost : cost / (pool_.size() * kUnitsPerThread);
    int64_t sums = 0, splits = 1;
    for (Item& item : items_) {
        item.unit_splits = std::max<int64_t>(1, unit_cost / (item.rows * size.heads_per_kv));
        if (!item.is_cut()) continue;
        sums += size.sums(item.rows);
        splits = std::max(splits, item.end - item.begin);
    }
    if (sums > 0) splits = std::clamp<int64_t>(kCutFloats * pool_.size() / sums, 1, splits);
    float* next = aligned(cut_, sums * (1 + splits));
    for (Item& item : items_)
        if (item.is_cut()) item.sums = take(next, size.sums(item.rows) * (1 + splits));
    return splits;
}

void AttentionRunner::find_units(const Round& round) {
    units_.clear();
    for (Item& item : items_) {
        if (!item.is_cut()) {
            if (round.begin == 0) units_.push_back({&item, item.begin, item.end});
            continue;
        }
        const int64_t end = std::min(item.end, item.begin + round.end);
        item.units_left = 0;
        for (int64_t split = item.begin + round.begin; split < end; split += item.unit_splits, ++item.units_left)
            units_.push_back({&item, split, std::min(end, split + item.unit_splits)});
    }
}

void AttentionRunner::run_units(const Attention& args, const Round& round) {
    const int64_t scratch_size = Sizes(args).scratch(), units = static_cast<int64_t>(units_.size());
    const int64_t workers = std::min<int64_t>(pool_.size(), units);
    float* scratch = aligned(scratch_, workers * scratch_size);
    std::atomic<int64_t> next = 0;
    pool_.parallel_for(workers, 1, [&](int64_t worker, int64_t) {
        for (int64_t i = next.fetch_add(1, std::memory_order_relaxed); i < units;
             i = next.fetch_add(1, std::memory_order_relaxed))
            run_unit(args, units_[i], round, scratch + worker * scratch_size);
    });
}

void AttentionRunner::run_unit(const Attention& args, const Unit& unit, const Round& round, float* scratch) {
    const Sizes size(args);
    Item& item = *unit.item;
    const AttentionTile tile = make_tile(args, item.row, item.rows, item.kv_head, scratch);
    const int64_t queries = size.queries(item.rows), sums = size.sums(item.rows);
    const bool cut = item.is_cut();
    float* memory = cut ? item.sums : scratch;  // the total, then parts
    const AttentionSums total = sums_at(memory, queries);
    const auto part = [&](int64_t i) { return sums_at(memory + (1 + i) * sums, queries); };
    const int64_t first = item.begin + round.begin;
    SplitBlocks blocks(args, tile, item.row, item.kv_head);

    if (!cut) clear(total, queries, size.value_stride);
    kernels_.pack(tile);
    for (int64_t split = unit.begin; split < unit.end; ++split) {
        blocks.find(split, split + 1 < unit.end);
        kernels_.split(tile, split * kAttentionSplit, blocks.keys, blocks.values, part(cut ? split - first : 0));
        if (!cut) kernels_.merge(tile, part(0), total);
    }
    if (cut) {
        if (std::atomic_ref(item.units_left).fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        const int64_t end = std::min(item.end, item.begin + round.end);
        if (round.begin == 0) clear(total, queries, size.value_stride);
        for (int64_t split = first; split < end; ++split) kernels_.merge(tile, part(split - first), total);
        if (end < item.end) return;
    }
    const int64_t head = item.kv_head * size.heads_per_kv;
    kernels_.finish(tile, total, args.sinks ? f32(args.sinks) + head : nullptr,
                    f32(args.out) + (item.row * size.heads + head) * size.value_dim, size.heads * size.value_dim);
}

}  // namespace godwit::cpu
