// attention: softmax(scale · q·Kᵀ) · V over paged keys and values, for each row and head on its own.
// Splits at multiples of kAttentionSplit have their own maximum and sum and are merged ascending ("online softmax", Milakov and Gimelshein 2018),
// so that one long sequence can later be shared among threads without moving a bit.
#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "backend/reference/dequantise.hpp"
#include "backend/reference/host_view.hpp"
#include "backend/reference/reference_device.hpp"
#include "base/clones.hpp"
#include "base/math.hpp"

namespace godwit::reference {
namespace {

/// scores[j] = Σ_d query[d] · keys[j][d], d ascending: one fma chain per key.
GODWIT_CLONES void dot_keys(const float* query, const float* keys, int64_t count, int64_t dim, float* scores) {
    std::fill_n(scores, count, 0.0f);
    for (int64_t d = 0; d < dim; ++d)
        for (int64_t j = 0; j < count; ++j) scores[j] = std::fma(query[d], keys[j * dim + d], scores[j]);
}

/// sum[d] = Σ_j weights[j] · values[j][d], j ascending.
GODWIT_CLONES void weigh_values(const float* weights, const float* values, int64_t count, int64_t dim, float* sum) {
    std::fill_n(sum, dim, 0.0f);
    for (int64_t j = 0; j < count; ++j)
        for (int64_t d = 0; d < dim; ++d) sum[d] = std::fma(weights[j], values[j * dim + d], sum[d]);
}

/// Softmax in the making: the greatest score so far, the sum of exp(score − maximum), and the weighted values.
struct Running {
    float maximum = -std::numeric_limits<float>::infinity();
    float sum = 0;
    std::span<float> values;
};

/// total = total ⊕ part, both rescaled to the greater maximum.
void merge(Running& total, const Running& part) {
    float maximum = std::max(total.maximum, part.maximum);
    float keep = total.sum == 0 ? 0.0f : exp_f32(total.maximum - maximum);
    float take = exp_f32(part.maximum - maximum);
    total.sum = std::fma(total.sum, keep, part.sum * take);
    for (size_t d = 0; d < total.values.size(); ++d)
        total.values[d] = std::fma(total.values[d], keep, part.values[d] * take);
    total.maximum = maximum;
}

class HeadAttention {
public:
    explicit HeadAttention(const Attention& args)
        : args_(args),
          head_dim_(args.query.shape[2]),
          value_dim_(args.values.shape[3]),
          group_(args.query.shape[1] / args.keys.shape[2]) {
        thread_local std::vector<float> scratch;  // kept: a step allocates nothing
        int64_t rows = kAttentionSplit * std::max(head_dim_, value_dim_);
        scratch.resize(rows + kAttentionSplit + 2 * value_dim_);
        std::span<float> rest = scratch;
        auto take = [&rest](int64_t count) {
            std::span<float> part = rest.first(count);
            rest = rest.subspan(count);
            return part;
        };
        rows_ = take(rows);
        scores_ = take(kAttentionSplit);
        part_.values = take(value_dim_);
        total_.values = take(value_dim_);
    }

    void run(int64_t row, int64_t head) {
        int64_t last = i32(args_.index)[row];
        int64_t first = args_.window > 0 ? std::max<int64_t>(0, last - args_.window + 1) : 0;
        total_.maximum = -std::numeric_limits<float>::infinity();
        total_.sum = 0;
        std::fill(total_.values.begin(), total_.values.end(), 0.0f);
        for (int64_t split = first / kAttentionSplit; split <= last / kAttentionSplit; ++split) {
            int64_t begin = std::max(first, split * kAttentionSplit);
            int64_t end = std::min(last + 1, (split + 1) * kAttentionSplit);
            run_split(row, head, begin, end - begin);
            merge(total_, part_);
        }
        if (args_.sinks) {  // one more key, whose value is nothing
            part_.maximum = f32(args_.sinks)[head];
            part_.sum = 1;
            std::fill(part_.values.begin(), part_.values.end(), 0.0f);
            merge(total_, part_);
        }
        float* out = f32(args_.out) + (row * args_.query.shape[1] + head) * value_dim_;
        for (int64_t d = 0; d < value_dim_; ++d) out[d] = total_.values[d] / total_.sum;
    }

private:
    void run_split(int64_t row, int64_t head, int64_t begin, int64_t count) {
        const float* query = f32(args_.query) + (row * args_.query.shape[1] + head) * head_dim_;
        load(args_.keys, row, head / group_, begin, count);
        dot_keys(query, rows_.data(), count, head_dim_, scores_.data());
        part_.maximum = -std::numeric_limits<float>::infinity();
        for (int64_t j = 0; j < count; ++j) {
            float score = scores_[j] * args_.scale;
            if (args_.softcap > 0) score = args_.softcap * tanh_f32(score / args_.softcap);
            scores_[j] = score;
            part_.maximum = std::max(part_.maximum, score);
        }
        for (int64_t j = 0; j < count; ++j) scores_[j] = exp_f32(scores_[j] - part_.maximum);
        part_.sum = sum_of(count, [&](int64_t j) { return scores_[j]; });
        load(args_.values, row, head / group_, begin, count);
        weigh_values(scores_.data(), rows_.data(), count, value_dim_, part_.values.data());
    }

    /// Places [begin, begin + count) of the row's sequence for one KV head, as f32 rows.
    void load(const View& plane, int64_t row, int64_t kv_head, int64_t begin, int64_t count) {
        int64_t block_tokens = plane.shape[1], heads = plane.shape[2], dim = plane.shape[3];
        const int32_t* table = i32(args_.table) + i32(args_.sequence)[row] * args_.table.columns();
        uint64_t bytes = tensor_bytes(plane.dtype, Shape{dim});
        for (int64_t j = 0; j < count; ++j) {
            int64_t place = begin + j, block = table[place / block_tokens];
            CHECK(block >= 0 && block < plane.shape[0]);
            int64_t slot = block * block_tokens + place % block_tokens;
            dequantise_row(plane.dtype, host_bytes(plane) + (slot * heads + kv_head) * bytes, &rows_[j * dim], dim);
        }
    }

    const Attention& args_;
    int64_t head_dim_, value_dim_, group_;
    std::span<float> rows_, scores_;
    Running part_, total_;
};

}  // namespace

void ReferenceOps::attention(const Attention& args) {
    int64_t rows = args.query.shape[0], heads = args.query.shape[1];
    CHECK(heads % args.keys.shape[2] == 0 && args.keys.shape[3] == args.query.shape[2]);
    CHECK(args.out.shape == (Shape{rows, heads, args.values.shape[3]}));
    pool_.parallel_for(rows * heads, 4, [&](int64_t begin, int64_t end) {
        HeadAttention one(args);
        for (int64_t i = begin; i < end; ++i) one.run(i / heads, i % heads);
    });
}

}  // namespace godwit::reference
