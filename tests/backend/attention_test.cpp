// attention, rope and cache_write against plain formulas in double: paging, windows, splits, sinks, soft caps, shared
// KV heads.
#include <cmath>

#include "backend/ops_fixture.hpp"
#include "base/half.hpp"

namespace godwit {
namespace {

constexpr int64_t kHeads = 4, kKvHeads = 2, kDim = 8, kValueDim = 6, kBlock = 32;

/// A sequence of keys and values, written through cache_write into blocks in a scattered order.
class AttentionTest : public OpsTest {
protected:
    void fill(int64_t length, DType format = DType::F32) {
        int64_t blocks = (length + kBlock - 1) / kBlock;
        keys_ = random_floats(length * kKvHeads * kDim, 1);
        values_ = random_floats(length * kKvHeads * kValueDim, 2);
        std::vector<int32_t> slots(length);
        table_.resize(blocks);
        for (int64_t b = 0; b < blocks; ++b) table_[b] = static_cast<int32_t>(blocks - 1 - b);  // backwards
        for (int64_t p = 0; p < length; ++p) slots[p] = static_cast<int32_t>(table_[p / kBlock] * kBlock + p % kBlock);
        key_plane_ = bench_.zeros({blocks, kKvHeads, kDim, kBlock}, format);
        value_plane_ = bench_.zeros({blocks, kKvHeads, kBlock, kValueDim}, format);
        ops_.cache_write({.key = bench_.floats({length, kKvHeads, kDim}, keys_),
                          .value = bench_.floats({length, kKvHeads, kValueDim}, values_),
                          .slot_mapping = bench_.ints({length}, slots),
                          .keys = key_plane_,
                          .values = value_plane_});
        if (format == DType::F16) {  // what attention will see
            for (float& x : keys_) x = f16_to_f32(f32_to_f16(x));
            for (float& x : values_) x = f16_to_f32(f32_to_f16(x));
        }
    }
    Attention args(const std::vector<int32_t>& index, const std::vector<float>& query) {
        auto rows = static_cast<int64_t>(index.size());
        return {.query = bench_.floats({rows, kHeads, kDim}, query),
                .keys = key_plane_,
                .values = value_plane_,
                .block_table = bench_.ints({1, static_cast<int64_t>(table_.size())}, table_),
                .sequence = bench_.ints({rows}, std::vector<int32_t>(rows, 0)),
                .index = bench_.ints({rows}, index),
                .scale = 0.5f,
                .out = bench_.zeros({rows, kHeads, kValueDim})};
    }
    /// softmax(scale · q·Kᵀ)·V over places (first, last], in double.
    std::vector<double> expected(const std::vector<int32_t>& index, const std::vector<float>& query, const Attention& a,
                                 const std::vector<float>& sinks = {}) {
        std::vector<double> out(index.size() * kHeads * kValueDim);
        for (size_t r = 0; r < index.size(); ++r)
            for (int64_t h = 0; h < kHeads; ++h) {
                int64_t first = a.window > 0 ? std::max(0, index[r] - a.window + 1) : 0;
                double sum = sinks.empty() ? 0 : std::exp(double{sinks[h]});
                double* o = &out[(r * kHeads + h) * kValueDim];
                for (int64_t p = first; p <= index[r]; ++p) {
                    double score = 0;
                    for (int64_t d = 0; d < kDim; ++d)
                        score += double{query[(r * kHeads + h) * kDim + d]} * keys_[(p * kKvHeads + h / 2) * kDim + d];
                    score *= a.scale;
                    if (a.softcap > 0) score = a.softcap * std::tanh(score / a.softcap);
                    sum += std::exp(score);
                    for (int64_t d = 0; d < kValueDim; ++d)
                        o[d] += std::exp(score) * values_[(p * kKvHeads + h / 2) * kValueDim + d];
                }
                for (int64_t d = 0; d < kValueDim; ++d) o[d] /= sum;
            }
        return out;
    }
    std::vector<float> keys_, values_;
    std::vector<int32_t> table_;
    View key_plane_, value_plane_;
};

const std::vector<int32_t> kPlaces = {0, 1, 15, 16, 254, 255, 256, 257, 511, 512, 599};

TEST_F(AttentionTest, SeesEverythingUpToItself) {
    for (DType format : {DType::F32, DType::F16}) {
        fill(600, format);
        std::vector<float> query = random_floats(kPlaces.size() * kHeads * kDim, 3);
        Attention a = args(kPlaces, query);
        ops_.attention(a);
        expect_close(bench_.read(a.out), expected(kPlaces, query, a), 1e-5);
    }
}

TEST_F(AttentionTest, WindowsSkipWhatLiesOutside) {
    fill(600);
    std::vector<float> query = random_floats(kPlaces.size() * kHeads * kDim, 4);
    for (int32_t window : {1, 8, 256, 300, 1000}) {
        Attention a = args(kPlaces, query);
        a.window = window;
        ops_.attention(a);
        expect_close(bench_.read(a.out), expected(kPlaces, query, a), 1e-5);
    }
}

TEST_F(AttentionTest, WhatARowDoesNotSeeMayBeAnything) {
    for (DType format : {DType::F32, DType::F16}) {
        fill(600, format);
        Attention a = args({500}, random_floats(kHeads * kDim, 5));
        a.window = 100;
        ops_.attention(a);
        std::vector<float> want = bench_.read(a.out);
        std::vector<int32_t> slots;
        for (int p = 0; p < 600; ++p)
            if (p <= 400 || p > 500) slots.push_back(static_cast<int32_t>(table_[p / kBlock] * kBlock + p % kBlock));
        auto unseen = static_cast<int64_t>(slots.size());
        View poison =
            bench_.floats({unseen, kKvHeads, kDim}, std::vector<float>(unseen * kKvHeads * kDim, std::nanf("")));
        ops_.cache_write({.key = poison,
                          .value = bench_.floats({unseen, kKvHeads, kValueDim},
                                                 std::vector<float>(unseen * kKvHeads * kValueDim, std::nanf(""))),
                          .slot_mapping = bench_.ints({unseen}, slots),
                          .keys = key_plane_,
                          .values = value_plane_});
        for (int64_t b = 0; b < 400 / kBlock; ++b) table_[b] = -1;  // given back
        a.block_table = bench_.ints({1, static_cast<int64_t>(table_.size())}, table_);
        ops_.attention(a);
        EXPECT_EQ(bench_.read(a.out), want);
    }
}

TEST_F(AttentionTest, SoftcapAndSinks) {
    fill(300);
    std::vector<float> query = random_floats(2 * kHeads * kDim, 6), sinks = {-2, 0, 3, 30};
    Attention a = args({7, 299}, query);
    a.softcap = 0.7f;
    a.sinks = bench_.floats({kHeads}, sinks);
    ops_.attention(a);
    expect_close(bench_.read(a.out), expected({7, 299}, query, a, sinks), 1e-5);
}

TEST_F(AttentionTest, GreatScoresDoNotOverflow) {
    fill(300);
    std::vector<float> query = random_floats(kHeads * kDim, 7);
    for (float& x : query) x *= 1e4f;
    Attention a = args({299}, query);
    ops_.attention(a);
    for (float value : bench_.read(a.out)) EXPECT_TRUE(std::isfinite(value));
}

class RopeTest : public OpsTest {};

TEST_F(RopeTest, TurnsPairsByPositionTimesFrequency) {
    constexpr int64_t kPairs = 3, kHeadDim = 8;  // two dimensions are left alone
    std::vector<int32_t> positions = {0, 1, 100000};
    std::vector<float> frequencies = {1.0f, 0.1f, 0.003f}, x = random_floats(3 * 2 * kHeadDim, 8);
    View table = bench_.zeros({3, kPairs, 2});
    ops_.rope_table(bench_.ints({3}, positions), bench_.floats({kPairs}, frequencies), 1.25f, table);
    for (RopePairing pairing : {RopePairing::Interleaved, RopePairing::HalfSplit}) {
        View out = bench_.floats({3, 2, kHeadDim}, x);
        ops_.rope(out, table, pairing, out);
        std::vector<double> want(x.begin(), x.end());
        for (int64_t rh = 0; rh < 6; ++rh)
            for (int64_t i = 0; i < kPairs; ++i) {
                double angle = double{frequencies[i]} * positions[rh / 2];
                int64_t a = rh * kHeadDim + (pairing == RopePairing::Interleaved ? 2 * i : i);
                int64_t b = pairing == RopePairing::Interleaved ? a + 1 : a + kPairs;
                want[a] = 1.25 * (x[a] * std::cos(angle) - x[b] * std::sin(angle));
                want[b] = 1.25 * (x[a] * std::sin(angle) + x[b] * std::cos(angle));
            }
        expect_close(bench_.read(out), want, 1e-6);
    }
}

class MovingTest : public OpsTest {};

TEST_F(MovingTest, CopyRoundsToNearestEven) {
    View in = bench_.floats({4}, {1.0f, 1.0f + 0x1p-11f, 1.0f + 0x3p-11f, 65520.0f});
    View half = bench_.zeros({4}, DType::F16), back = bench_.zeros({4});
    ops_.copy(in, half);
    ops_.copy(half, back);
    EXPECT_EQ(bench_.read(back), (std::vector<float>{1.0f, 1.0f, 1.0f + 0x1p-9f, INFINITY}));
}

TEST_F(MovingTest, EmbedDequantisesAndScales) {
    std::vector<float> rows = random_floats(5 * 3, 9);
    Weight table = bench_.weight(DType::F32, {5, 3}, std::as_bytes(std::span(rows)));
    View out = bench_.zeros({2, 3});
    ops_.embed(table, bench_.ints({2}, {4, 1}), 2.0f, out);
    EXPECT_EQ(bench_.read(out),
              (std::vector<float>{2 * rows[12], 2 * rows[13], 2 * rows[14], 2 * rows[3], 2 * rows[4], 2 * rows[5]}));
}

}  // namespace
}  // namespace godwit
