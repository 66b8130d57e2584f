// The table of one ISA: every kernel template, instantiated over its lanes.
#pragma once

#include "backend/cpu/kernels/attention.hpp"
#include "backend/cpu/kernels/matmul.hpp"
#include "backend/cpu/kernels/quantise.hpp"
#include "backend/cpu/kernels/rows.hpp"

namespace godwit::cpu {
namespace {

template <class L>
constexpr Kernels make_kernels(const char* name) {
    Kernels k = {};
    k.name = name;
    constexpr int tiles[] = {L::kTile, 4, 2, 1};
    for (int i = 0; i < 4; ++i) k.tiles[i] = L::kTile > 1 ? tiles[i] : 1;
    const auto at = [&k](DType dtype) -> auto& { return k.matmul[static_cast<int>(dtype)]; };
    at(DType::F32) = multiply<L, ProductFloat, WeightsF32, true>;
    at(DType::F16) = multiply<L, ProductFloat, WeightsF16, true>;
    at(DType::BF16) = multiply<L, ProductFloat, WeightsBF16, true>;
    at(DType::Q4_0) = multiply<L, Product32, WeightsQ4_0, false>;
    at(DType::Q4_1) = multiply<L, Product32, WeightsQ4_1, false>;
    at(DType::Q5_0) = multiply<L, Product32, WeightsQ5_0, false>;
    at(DType::Q5_1) = multiply<L, Product32, WeightsQ5_1, false>;
    at(DType::Q8_0) = multiply<L, Product32, WeightsQ8_0, false>;
    at(DType::Q4_K) = multiply<L, Product256, WeightsQ4_K, false>;
    at(DType::Q5_K) = multiply<L, Product256, WeightsQ5_K, false>;
    at(DType::Q6_K) = multiply<L, Product256, WeightsQ6_K, false>;
    k.quantise32 = quantise32<L>;
    k.quantise256 = quantise256<L>;
    k.rows = make_row_kernels<L>();
    k.attention = make_attention_kernels<L>();
    return k;
}

}  // namespace
}  // namespace godwit::cpu
