#include "backend/cpu/linear.hpp"

#include <algorithm>

#include "backend/cpu/cpu_ops.hpp"
#include "backend/cpu/packed.hpp"
#include "backend/reference/dequantise.hpp"
#include "backend/reference/host_view.hpp"
#include "base/ceil_div.hpp"

namespace godwit::cpu {
namespace {

constexpr int64_t kSerialElements = 1 << 14;  // of activations: less is done before another thread has woken
constexpr int64_t kTaskBytes = 128 << 10;     // of weights: stays in a second-level cache from tile to tile
constexpr int64_t kTasksPerThread = 8;        // so that threads end together

}  // namespace

LinearRunner::Kind LinearRunner::kind_of(DType dtype) {
    const uint32_t elements = dtype_info(dtype).block_elements;
    return elements == 1 ? kFloats : elements == 32 ? kBlocks32 : kBlocks256;
}

uint64_t LinearRunner::block_bytes(Kind kind) {
    return kind == kFloats ? sizeof(float) : kind == kBlocks32 ? sizeof(Block32) : sizeof(Block256);
}

int64_t LinearRunner::block_elements(Kind kind) { return kind == kFloats ? 1 : kind == kBlocks32 ? 32 : 256; }

/// The greatest tiles that fit, in order.
void LinearRunner::cut_rows(int64_t rows) {
    tiles_.clear();
    for (int64_t row = 0; row < rows;) {
        const int32_t* size = kernels_.tiles;
        while (*size > rows - row) ++size;
        tiles_.push_back({row, *size});
        row += *size;
    }
}

void LinearRunner::fill_tiles(const ActivationRows& rows, std::span<const Product> products) {
    for (bool& wanted : wanted_) wanted = false;
    for (const Product& product : products) wanted_[kind_of(product.dtype)] = true;
    for (int kind = 0; kind < kKinds; ++kind) {
        if (!wanted_[kind]) continue;
        const auto one = static_cast<Kind>(kind);
        const uint64_t bytes = rows.rows * (rows.columns / block_elements(one)) * block_bytes(one);
        if (blocks_[kind].size() < bytes) blocks_[kind].resize(bytes);
    }
    const auto count = static_cast<int64_t>(tiles_.size());
    const int64_t grain = rows.rows * rows.columns < kSerialElements ? count : 1;
    normed_.resize(std::max<size_t>(normed_.size(), rows.norm != nullptr ? count * rows.columns : 0));
    pool_.parallel_for(count, grain, [&](int64_t begin, int64_t end) {
        for (int64_t t = begin; t < end; ++t) {
            float* normed = rows.norm != nullptr ? normed_.data() + t * rows.columns : nullptr;
            for (int64_t r = 0; r < tiles_[t].rows; ++r) fill_row(rows, tiles_[t], r, normed);
        }
    });
}

/// Row r of a tile: the norm, and the forms that are wanted.
void LinearRunner::fill_row(const ActivationRows& rows, const Tile& tile, int64_t r, float* normed) {
    const int64_t row = tile.row + r;
    const float* x = rows.in + (rows.index != nullptr ? rows.index[row] : row) * rows.columns;
    if (rows.norm != nullptr) {
        kernels_.rows.rms_norm(x, 1, rows.columns, rows.norm, rows.epsilon, nullptr, normed);
        x = normed;
    }
    const auto blocks_of = [&](Kind kind) {
        return blocks_[kind].data() + tile.row * (rows.columns / block_elements(kind)) * block_bytes(kind);
    };
    if (wanted_[kFloats]) {
        float* out = reinterpret_cast<float*>(blocks_of(kFloats)) + r;
        for (int64_t k = 0; k < rows.columns; ++k) out[k * tile.rows] = x[k];
    }
    if (wanted_[kBlocks32])
        kernels_.quantise32(x, rows.columns / 32, reinterpret_cast<Block32*>(blocks_of(kBlocks32)) + r, tile.rows);
    if (wanted_[kBlocks256])
        kernels_.quantise256(x, rows.columns / 256, reinterpret_cast<Block256*>(blocks_of(kBlocks256)) + r, tile.rows);
}

void LinearRunner::cut_products(const ActivationRows& rows, std::span<const Product> products, bool gated) {
    int64_t all = 0;
    for (size_t i = gated ? 1 : 0; i < products.size(); ++i) all += ceil_div(products[i].outputs, kPanel);
    tasks_.clear();
    for (size_t i = gated ? 1 : 0; i < products.size(); ++i) {
        const int64_t panels = ceil_div(products[i].outputs, kPanel);
        const auto bytes = static_cast<int64_t>(panel_bytes(products[i].dtype, rows.columns)) * (gated ? 2 : 1);
        const int64_t even = all / (kTasksPerThread * pool_.size());
        const int64_t step = std::clamp<int64_t>(even, 1, std::max<int64_t>(1, kTaskBytes / bytes));
        for (int64_t g = 0; g < panels; g += step) tasks_.push_back({i, g, std::min(step, panels - g)});
    }
}

void LinearRunner::multiply(const Product& product, const Task& task, int64_t columns) const {
    const Kind kind = kind_of(product.dtype);
    const int64_t blocks = columns / block_elements(kind);
    const auto bytes = static_cast<int64_t>(panel_bytes(product.dtype, columns));
    const auto kernel = kernels_.matmul[static_cast<size_t>(product.dtype)];
    for (const Tile& tile : tiles_) {
        const int64_t at = tile.row * product.outputs;
        const auto from = [at](const float* p) { return p == nullptr ? nullptr : p + at; };
        kernel({.weights = reinterpret_cast<const uint8_t*>(product.weights) + task.panel * bytes,
                .panel_bytes = bytes,
                .blocks = blocks,
                .activations = blocks_[kind].data() + tile.row * blocks * block_bytes(kind),
                .rows = static_cast<int32_t>(tile.rows),
                .begin = task.panel * kPanel,
                .end = std::min(product.outputs, (task.panel + task.panels) * kPanel),
                .bias = product.bias,
                .activation = product.activation,
                .gate = from(product.gate),
                .residual = from(product.residual),
                .out = product.out + at,
                .stride = product.outputs});
    }
}

void LinearRunner::run(const ActivationRows& rows, std::span<const Product> products, bool gated) {
    cut_rows(rows.rows);
    fill_tiles(rows, products);
    cut_products(rows, products, gated);
    pool_.parallel_for(static_cast<int64_t>(tasks_.size()), 1, [&](int64_t begin, int64_t end) {
        for (int64_t t = begin; t < end; ++t) {
            if (gated) multiply(products[0], tasks_[t], rows.columns);
            multiply(products[tasks_[t].product], tasks_[t], rows.columns);
        }
    });
}

void CpuOps::linear(const Linear& args) {
    CHECK(!args.gated ||
          (args.targets.size() == 2 && args.targets[0].weight.view.shape == args.targets[1].weight.view.shape));
    CHECK(!args.residual || args.targets.size() == 1);
    const auto packed = [](const LinearTarget& target) { return can_pack(target.weight.view.dtype); };
    if (std::all_of(args.targets.begin(), args.targets.end(), packed)) linear_packed(args);
    else linear_mixed(args);
}

/// Some weights have no kernel: each matrix alone, where it can be done.
void CpuOps::linear_mixed(const Linear& args) {
    for (const LinearTarget& target : args.targets) {
        Linear one = args;
        one.targets = {&target, 1};
        one.gated = false;
        if (args.gated) one.activation = Activation::None;
        if (can_pack(target.weight.view.dtype)) linear_packed(one);
        else ReferenceOps::linear(one);
    }
    if (args.gated) gate(args.activation, args.targets[0].out, args.targets[1].out, args.targets[0].out);
}

void CpuOps::linear_packed(const Linear& args) {
    using reference::f32, reference::f32_or_null, reference::i32;
    const int64_t in = args.input.columns();
    const int64_t rows = args.rows ? args.rows.shape.elements() : args.input.rows();
    if (rows == 0) return;
    CHECK(!args.norm || args.norm.shape == Shape{in});
    for (int64_t r = 0; args.rows && r < rows; ++r)
        CHECK(i32(args.rows)[r] >= 0 && i32(args.rows)[r] < args.input.rows());
    products_.clear();
    for (const LinearTarget& target : args.targets) {
        const int64_t outputs = target.weight.outputs();
        CHECK(target.weight.inputs() == in && target.out.rows() == rows && target.out.columns() == outputs);
        CHECK(!target.bias || target.bias.columns() == outputs);
        products_.push_back({.dtype = target.weight.view.dtype,
                             .weights = reference::host_bytes(target.weight.view),
                             .outputs = outputs,
                             .bias = f32_or_null(target.bias),
                             .activation = args.gated ? Activation::None : args.activation,
                             .gate = nullptr,
                             .residual = f32_or_null(args.residual),
                             .out = f32(target.out)});
    }
    if (args.gated) {
        products_[1].activation = args.activation;
        products_[1].gate = products_[1].out = products_[0].out;
    }
    const int32_t* index = args.rows ? i32(args.rows) : nullptr;
    linear_.run({f32(args.input), in, index, rows, f32_or_null(args.norm), args.epsilon}, products_, args.gated);
}

/// Rows that stand together and want the same expert are one product.
void CpuOps::linear_experts(const View& input, const Weight& weight, const View& experts, const View& out) {
    if (!can_pack(weight.view.dtype)) return ReferenceOps::linear_experts(input, weight, experts, out);
    CHECK(weight.view.shape.rank() == 3);
    const int64_t count = weight.view.shape[0], outputs = weight.view.shape[1], in = weight.view.shape[2];
    const int64_t rows = input.rows();
    CHECK(input.columns() == in && experts.shape == Shape{rows} && out.shape == (Shape{rows, outputs}));
    const int32_t* expert = reference::i32(experts);
    const auto expert_bytes = static_cast<int64_t>(packed_bytes(weight.view.dtype, Shape{outputs, in}));
    for (int64_t begin = 0, end = 0; begin < rows; begin = end) {
        CHECK(expert[begin] >= 0 && expert[begin] < count);
        while (end < rows && expert[end] == expert[begin]) ++end;
        const Product product{.dtype = weight.view.dtype,
                              .weights = reference::host_bytes(weight.view) + expert[begin] * expert_bytes,
                              .outputs = outputs,
                              .bias = nullptr,
                              .activation = Activation::None,
                              .gate = nullptr,
                              .residual = nullptr,
                              .out = reference::f32(out) + begin * outputs};
        linear_.run({reference::f32(input) + begin * in, in, nullptr, end - begin, nullptr, 0}, {&product, 1}, false);
    }
}

void CpuOps::embed(const Weight& table, const View& ids, float scale, const View& out) {
    const DType dtype = table.view.dtype;
    if (!can_pack(dtype)) return ReferenceOps::embed(table, ids, scale, out);
    const int64_t columns = table.inputs();
    CHECK(out.columns() == columns && out.rows() == ids.shape.elements());
    const int32_t* id = reference::i32(ids);
    float* to = reference::f32(out);
    const std::byte* weights = reference::host_bytes(table.view);
    const auto bytes = static_cast<int64_t>(panel_bytes(dtype, columns));
    file_row_.resize(tensor_bytes(dtype, Shape{columns}));
    for (int64_t r = 0; r < out.rows(); ++r, to += columns) {
        CHECK(id[r] >= 0 && id[r] < table.outputs());
        unpack_row(dtype, weights + id[r] / kPanel * bytes, id[r] % kPanel, columns, file_row_.data());
        dequantise_row(dtype, file_row_.data(), to, columns);
        if (scale != 1) kernels_.rows.scale(to, scale, columns, to);
    }
}

}  // namespace godwit::cpu
