// Products with packed weights. The input rows are normalised and quantised once, into tiles of a few rows; then each
// thread takes panels of outputs and multiplies every tile with them. How the work is divided does not change a result.
#pragma once

#include <cstddef>
#include <vector>

#include "backend/cpu/kernels.hpp"
#include "backend/ops.hpp"
#include "base/thread_pool.hpp"

namespace godwit::cpu {

/// Where rows of activations come from.
struct ActivationRows {
    const float* in;  // [any, columns]
    int64_t columns;
    const int32_t* index;  // [rows]: which rows of `in`; null: the first ones
    int64_t rows;
    const float* norm;  // [columns], weight of an RMS norm that comes first; or null
    float epsilon;
};

/// One matrix: outputs of all rows.
struct Product {
    DType dtype;
    const std::byte* weights;  // packed
    int64_t outputs;
    const float* bias;
    Activation activation;
    const float* gate;  // as in Matmul, [rows, outputs] all three
    const float* residual;
    float* out;
};

/// Keeps its scratch, so that a step allocates nothing once the longest was seen. One call at a time.
class LinearRunner {
public:
    LinearRunner(const Kernels& kernels, ThreadPool& pool) : kernels_(kernels), pool_(pool) {}

    /// All products of the rows. Gated: products[0] is the gate of products[1], in whose place the result goes:
    /// products[1].gate is products[0].out.
    void run(const ActivationRows& rows, std::span<const Product> products, bool gated);

private:
    enum Kind { kFloats, kBlocks32, kBlocks256, kKinds };
    struct Tile {
        int64_t row, rows;
    };
    /// Some panels of one product (and of its gate).
    struct Task {
        size_t product;
        int64_t panel, panels;
    };

    static Kind kind_of(DType dtype);
    static uint64_t block_bytes(Kind kind);
    static int64_t block_elements(Kind kind);

    void cut_rows(int64_t rows);
    void fill_tiles(const ActivationRows& rows, std::span<const Product> products);
    void fill_row(const ActivationRows& rows, const Tile& tile, int64_t row, float* normed);
    void cut_products(const ActivationRows& rows, std::span<const Product> products, bool gated);
    void multiply(const Product& product, const Task& task, int64_t columns) const;

    const Kernels& kernels_;
    ThreadPool& pool_;
    std::vector<Tile> tiles_;
    std::vector<Task> tasks_;
    std::vector<std::byte> blocks_[kKinds];  // of all tiles, one after the other; empty where no product wants the kind
    bool wanted_[kKinds] = {};
    std::vector<float> normed_;  // a row a thread
};

}  // namespace godwit::cpu
