// attention: softmax(scale · q·Kᵀ) · V over paged keys and values, for each row and head on its own; cache_write, which
// lays them out. Splits at multiples of kAttentionSplit have their own maximum and sum and are merged ascending
// ("online softmax", Milakov and Gimelshein 2018), so that one long sequence can be shared among threads without moving
// a bit.
#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "backend/reference/dequantise.hpp"
#include "backend/reference/host_view.hpp"
#include "backend/reference/reference_device.hpp"
#include "base/clones.hpp"
#include "base/half.hpp"
#include "base/math.hpp"

namespace godwit::reference {
namespace {

/// scores[t] = Σ_d query[d] · keys[d][t], d ascending: one fma chain per token of a block.
GODWIT_CLONES void dot_keys(const float* query, const float* keys, int64_t dim, int64_t tokens, float* scores) {
    std::fill_n(scores, tokens, 0.0f);
    for (int64_t d = 0; d < dim; ++d)
        for (int64_t t = 0; t < tokens; ++t) scores[t] = std::fma(query[d], keys[d * tokens + t], scores[t]);
}

/// sum[d] += Σ_j weights[j] · values[j][d], j ascending.
GODWIT_CLONES void weigh_values(const float* weights, const float* values, int64_t count, int64_t dim, float* sum) {
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
    float keep = exp_f32(total.maximum - maximum);
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
          block_tokens_(args.keys.shape[3]),
          group_(args.query.shape[1] / args.keys.shape[1]) {
        thread_local std::vector<float> scratch;  // kept: a step allocates nothing
        int64_t block = block_tokens_ * std::max(head_dim_, value_dim_);
        scratch.resize(block + kAttentionSplit + 2 * value_dim_);
        std::span<float> rest = scratch;
        auto take = [&rest](int64_t count) {
            std::span<float> part = rest.first(count);
            rest = rest.subspan(count);
            return part;
        };
        block_ = take(block);
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
            int64_t places = split * kAttentionSplit;
            run_split(row, head, places, std::max(first, places), std::min(last + 1, places + kAttentionSplit));
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
    /// Sees places [begin, end) of the split whose first place is `split`.
    void run_split(int64_t row, int64_t head, int64_t split, int64_t begin, int64_t end) {
        const float* query = f32(args_.query) + (row * args_.query.shape[1] + head) * head_dim_;
        for (int64_t place = begin / block_tokens_ * block_tokens_; place < end; place += block_tokens_) {
            dequantise_row(args_.keys.dtype, block_of(args_.keys, row, head, place), block_.data(),
                           head_dim_ * block_tokens_);
            dot_keys(query, block_.data(), head_dim_, block_tokens_, &scores_[place - split]);
        }
        part_.maximum = -std::numeric_limits<float>::infinity();
        for (int64_t place = begin; place < end; ++place) {
            float score = scores_[place - split] * args_.scale;
            if (args_.softcap > 0) score = args_.softcap * tanh_f32(score / args_.softcap);
            scores_[place - split] = score;
            part_.maximum = std::max(part_.maximum, score);
        }
        for (int64_t place = begin; place < end; ++place)
            scores_[place - split] = exp_f32(scores_[place - split] - part_.maximum);
        std::fill(scores_.begin(), scores_.begin() + (begin - split), 0.0f);  // so that a place's lane is its own
        part_.sum = sum_of(end - split, [&](int64_t j) { return scores_[j]; });
        std::fill(part_.values.begin(), part_.values.end(), 0.0f);
        for (int64_t place = begin; place < end;) {
            int64_t skip = place % block_tokens_, count = std::min(end - place, block_tokens_ - skip);
            uint64_t row_bytes = tensor_bytes(args_.values.dtype, Shape{value_dim_});
            dequantise_row(args_.values.dtype, block_of(args_.values, row, head, place) + skip * row_bytes,
                           block_.data(), count * value_dim_);
            weigh_values(&scores_[place - split], block_.data(), count, value_dim_, part_.values.data());
            place += count;
        }
    }

    /// What this place's block has for the head: keys [head_dim, block_tokens] or values [block_tokens, value_dim].
    const std::byte* block_of(const View& plane, int64_t row, int64_t head, int64_t place) const {
        int64_t block =
            i32(args_.block_table)[i32(args_.sequence)[row] * args_.block_table.columns() + place / block_tokens_];
        CHECK(block >= 0 && block < plane.shape[0]);
        uint64_t head_bytes = tensor_bytes(plane.dtype, Shape{plane.shape[2], plane.shape[3]});
        return host_bytes(plane) + (block * plane.shape[1] + head / group_) * head_bytes;
    }

    const Attention& args_;
    int64_t head_dim_, value_dim_, block_tokens_, group_;
    std::span<float> block_, scores_;
    Running part_, total_;
};

/// plane[at] = value, rounded to the plane's type.
void store(const View& plane, int64_t at, float value) {
    if (plane.dtype == DType::F32) {
        f32(plane)[at] = value;
        return;
    }
    CHECK(plane.dtype == DType::F16);
    reinterpret_cast<uint16_t*>(host_bytes(plane))[at] = f32_to_f16(value);
}

}  // namespace

void ReferenceOps::attention(const Attention& args) {
    int64_t rows = args.query.shape[0], heads = args.query.shape[1];
    CHECK(heads % args.keys.shape[1] == 0 && args.keys.shape[2] == args.query.shape[2]);
    CHECK(kAttentionSplit % args.keys.shape[3] == 0 && args.keys.shape[3] == args.values.shape[2]);
    CHECK(args.out.shape == (Shape{rows, heads, args.values.shape[3]}));
    pool_.parallel_for(rows * heads, 4, [&](int64_t begin, int64_t end) {
        HeadAttention one(args);
        for (int64_t i = begin; i < end; ++i) one.run(i / heads, i % heads);
    });
}

void ReferenceOps::cache_write(const CacheWrite& args) {
    int64_t blocks = args.keys.shape[0], heads = args.keys.shape[1], tokens = args.keys.shape[3];
    int64_t key_dim = args.keys.shape[2], value_dim = args.values.shape[3], rows = args.key.shape[0];
    CHECK(args.values.shape == (Shape{blocks, heads, tokens, value_dim}));
    CHECK(args.key.shape == (Shape{rows, heads, key_dim}) && args.value.shape == (Shape{rows, heads, value_dim}));
    const float *key = f32(args.key), *value = f32(args.value);
    for (int64_t r = 0; r < rows; ++r) {
        int64_t block = i32(args.slot_mapping)[r] / tokens, place = i32(args.slot_mapping)[r] % tokens;
        CHECK(place >= 0 && block < blocks);
        for (int64_t head = block * heads; head < (block + 1) * heads; ++head) {
            for (int64_t d = 0; d < key_dim; ++d) store(args.keys, (head * key_dim + d) * tokens + place, *key++);
            for (int64_t d = 0; d < value_dim; ++d)
                store(args.values, (head * tokens + place) * value_dim + d, *value++);
        }
    }
}

}  // namespace godwit::reference
