// Random weights of every type, from a seed.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>

#include "base/half.hpp"
#include "file/gguf_writer.hpp"
#include "tensor/blocks.hpp"

namespace godwit::test {

inline constexpr DType kWeightTypes[] = {DType::F32,  DType::F16,  DType::BF16, DType::Q4_0, DType::Q4_1,
                                         DType::Q5_0, DType::Q5_1, DType::Q8_0, DType::Q2_K, DType::Q3_K,
                                         DType::Q4_K, DType::Q5_K, DType::Q6_K};

/// Weights of about N(0, 1/16), whatever the type: quantised ones are random bytes with small scales.
class WeightMaker {
public:
    /// With `fill`, all integers of quantised blocks are made of that byte; only the scales are random.
    explicit WeightMaker(uint64_t seed, std::optional<uint8_t> fill = {}) : random_(seed), fill_(fill) {}

    std::string floats(int64_t count, float mean, float deviation) {
        std::string out;
        for (int64_t i = 0; i < count; ++i) out += raw_bytes(mean + deviation * next());
        return out;
    }
    std::string weights(DType dtype, int64_t count) {
        switch (dtype) {
            case DType::F32:
                return floats(count, 0, kDeviation);
            case DType::F16:
                return halves(count, f32_to_f16);
            case DType::BF16:
                return halves(count, f32_to_bf16);
            // The divisors: deviation of the integers of random bytes; of minimums, such that the mean is 0.
            case DType::Q4_0:
                return blocks<BlockQ4_0>(dtype, count, [this](auto& b) { b.d = scale(4.6f); });
            case DType::Q4_1:
                return blocks<BlockQ4_1>(dtype, count, [this](auto& b) { b.d = scale(4.6f), b.m = scale(-0.61f); });
            case DType::Q5_0:
                return blocks<BlockQ5_0>(dtype, count, [this](auto& b) { b.d = scale(9.2f); });
            case DType::Q5_1:
                return blocks<BlockQ5_1>(dtype, count, [this](auto& b) { b.d = scale(9.2f), b.m = scale(-0.59f); });
            case DType::Q8_0:
                return blocks<BlockQ8_0>(dtype, count, [this](auto& b) { b.d = scale(74); });
            case DType::Q2_K:
                return blocks<BlockQ2_K>(dtype, count, [this](auto& b) { b.d = scale(13.9f), b.dmin = scale(9.3f); });
            case DType::Q3_K:
                return blocks<BlockQ3_K>(dtype, count, [this](auto& b) { b.d = scale(43); });
            case DType::Q4_K:
                return blocks<BlockQ4_K>(dtype, count, [this](auto& b) { b.d = scale(258), b.dmin = scale(34.4f); });
            case DType::Q5_K:
                return blocks<BlockQ5_K>(dtype, count, [this](auto& b) { b.d = scale(526), b.dmin = scale(33.9f); });
            case DType::Q6_K:
                return blocks<BlockQ6_K>(dtype, count, [this](auto& b) { b.d = scale(1370); });
            default:
                ADD_FAILURE() << "no weights of type " << dtype_name(dtype);
                return {};
        }
    }

private:
    static constexpr float kDeviation = 1.0f / 16;

    /// Between half and one and a half times what gives the deviation.
    uint16_t scale(float divisor) {
        return f32_to_f16(kDeviation / divisor * (0.5f + static_cast<float>(random_() >> 40) * 0x1p-24f));
    }
    /// About N(0, 1), the same on every machine: no libm.
    float next() {
        float sum = -6;
        for (int i = 0; i < 12; ++i) sum += static_cast<float>(random_() >> 40) * 0x1p-24f;
        return sum;
    }
    std::string halves(int64_t count, uint16_t (*convert)(float)) {
        std::string out;
        for (int64_t i = 0; i < count; ++i) out += raw_bytes(convert(kDeviation * next()));
        return out;
    }
    template <class Block, class SetScales>
    std::string blocks(DType dtype, int64_t count, SetScales set_scales) {
        std::string out;
        for (int64_t i = 0; i < count / dtype_info(dtype).block_elements; ++i) {
            Block block;
            auto* bytes = reinterpret_cast<uint8_t*>(&block);
            for (size_t at = 0; at < sizeof block; ++at) bytes[at] = fill_.value_or(static_cast<uint8_t>(random_()));
            set_scales(block);
            out += raw_bytes(block);
        }
        return out;
    }

    std::mt19937_64 random_;
    std::optional<uint8_t> fill_;
};

}  // namespace godwit::test
