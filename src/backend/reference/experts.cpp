// Mixture of experts: the choice of experts (route), their matrices, and the rows that go to them and come back.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "backend/reference/activation.hpp"
#include "backend/reference/dequantise.hpp"
#include "backend/reference/host_view.hpp"
#include "backend/reference/quantised.hpp"
#include "backend/reference/reference_device.hpp"
#include "backend/reference/rows.hpp"

namespace godwit::reference {
namespace {

/// One row of the router, step by step as architectures describe it: scores, selection, groups, choice, weights.
class Router {
public:
    explicit Router(const Route& args)
        : args_(args),
          expert_count_(args.logits.columns()),
          used_(args.experts.columns()),
          bias_(f32_or_null(args.bias)),
          scores_(expert_count_),
          selection_(expert_count_),
          group_scores_(args.groups) {}

    void run(const float* logits, int32_t* experts, float* weights) {
        score(logits);
        for (int64_t e = 0; e < expert_count_; ++e) selection_[e] = scores_[e] + (bias_ != nullptr ? bias_[e] : 0.0f);
        find_candidates();
        rank_first(selection_.data(), candidates_, used_);
        std::copy_n(candidates_.begin(), used_, experts);
        weigh(experts, weights);
    }

private:
    void score(const float* logits) {
        if (args_.score == Route::Score::Softmax) return softmax_row(logits, expert_count_, scores_.data());
        for (int64_t e = 0; e < expert_count_; ++e) {
            switch (args_.score) {
                case Route::Score::Sigmoid:
                    scores_[e] = sigmoid(logits[e]);
                    break;
                case Route::Score::SqrtSoftplus:
                    scores_[e] = std::sqrt(softplus(logits[e]));
                    break;
                default:
                    scores_[e] = logits[e];  // SoftmaxOfChosen: the softmax follows in weigh()
            }
        }
    }

    /// The experts of the best groups.
    void find_candidates() {
        const int32_t size = static_cast<int32_t>(expert_count_ / args_.groups);
        for (int32_t g = 0; g < args_.groups; ++g) group_scores_[g] = group_score(g * size, size);
        groups_.resize(args_.groups);
        std::iota(groups_.begin(), groups_.end(), 0);
        rank_first(group_scores_.data(), groups_, args_.groups_used);
        groups_.resize(args_.groups_used);
        candidates_.clear();
        for (int32_t g : groups_)
            for (int32_t e = g * size; e < (g + 1) * size; ++e) candidates_.push_back(e);
    }

    /// The sum of the two best selection scores; of the only one in groups of one.
    float group_score(int32_t first, int32_t size) {
        candidates_.resize(size);
        std::iota(candidates_.begin(), candidates_.end(), first);
        const int32_t best = std::min(size, 2);
        rank_first(selection_.data(), candidates_, best);
        return selection_[candidates_[0]] + (best == 2 ? selection_[candidates_[1]] : 0.0f);
    }

    void weigh(const int32_t* experts, float* weights) {
        for (int64_t i = 0; i < used_; ++i) weights[i] = scores_[experts[i]];
        if (args_.score == Route::Score::SoftmaxOfChosen) softmax_row(weights, used_, weights);
        if (args_.normalise) {
            const float sum = std::max(sum_of(used_, [&](int64_t i) { return weights[i]; }), 0x1p-14f);
            for (int64_t i = 0; i < used_; ++i) weights[i] /= sum;
        }
        for (int64_t i = 0; i < used_; ++i) weights[i] *= args_.scale;
    }

    const Route& args_;
    int64_t expert_count_, used_;
    const float* bias_;
    std::vector<float> scores_;     // what weights are made of
    std::vector<float> selection_;  // what the choice is made by
    std::vector<float> group_scores_;
    std::vector<int32_t> groups_, candidates_;
};

}  // namespace

void ReferenceOps::route(const Route& args) {
    const int64_t rows = args.logits.rows(), experts = args.logits.columns(), used = args.experts.columns();
    CHECK(args.groups >= 1 && experts % args.groups == 0 && args.groups_used >= 1 && args.groups_used <= args.groups);
    CHECK(used >= 1 && used <= experts / args.groups * args.groups_used);
    CHECK(args.experts.shape == (Shape{rows, used}) && args.weights.shape == args.experts.shape);
    CHECK(!args.bias || args.bias.shape == Shape{experts});
    const float* logits = f32(args.logits);
    int32_t* chosen = i32(args.experts);
    float* weights = f32(args.weights);
    Router router(args);
    for (int64_t r = 0; r < rows; ++r) router.run(logits + r * experts, chosen + r * used, weights + r * used);
}

void ReferenceOps::linear_experts(const View& input, const Weight& weight, const View& experts, const View& out) {
    CHECK(weight.view.shape.rank() == 3);
    const int64_t count = weight.view.shape[0], outputs = weight.view.shape[1], in = weight.view.shape[2];
    const int64_t rows = input.rows();
    CHECK(input.columns() == in && experts.shape == Shape{rows});
    CHECK(out.shape == (Shape{rows, outputs}));
    const float* x = f32(input);
    const int32_t* expert = i32(experts);
    float* y = f32(out);
    for (int64_t r = 0; r < rows; ++r) CHECK(expert[r] >= 0 && expert[r] < count);
    const std::byte* bytes = host_bytes(weight.view);
    const uint64_t row_bytes = tensor_bytes(weight.view.dtype, Shape{in});
    const DType dtype = weight.view.dtype;
    std::vector<QuantisedRow> quantised;
    for (int64_t r = 0; r < rows && has_quantised_product(dtype); ++r) quantised.emplace_back(dtype, x + r * in, in);
    pool_.parallel_for(outputs, 16, [&](int64_t begin, int64_t end) {
        std::vector<float> w(in);
        for (int64_t o = begin; o < end; ++o) {
            for (int64_t r = 0; r < rows; ++r) {
                const std::byte* weights = bytes + (expert[r] * outputs + o) * row_bytes;
                float dot = 0;
                if (!quantised.empty()) {
                    dot = quantised[r].dot(dtype, weights);
                } else {
                    dequantise_row(dtype, weights, w.data(), in);
                    for (int64_t k = 0; k < in; ++k) dot = std::fma(x[r * in + k], w[k], dot);
                }
                y[r * outputs + o] = dot;
            }
        }
    });
}

void ReferenceOps::gather_rows(const View& in, const View& index, const View& out) {
    const int64_t columns = in.columns();
    CHECK(out.columns() == columns && index.shape == Shape{out.rows()});
    const float* from = f32(in);
    const int32_t* row = i32(index);
    float* to = f32(out);
    for (int64_t r = 0; r < out.rows(); ++r) {
        CHECK(row[r] >= 0 && row[r] < in.rows());
        std::copy_n(from + row[r] * columns, columns, to + r * columns);
    }
}

}  // namespace godwit::reference
