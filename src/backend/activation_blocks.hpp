// Activations rounded to 8 bits, as products with quantised weights take them (docs/numerics.md). x ≈ d · q.
#pragma once

#include <cstdint>

namespace godwit {

/// For weights in blocks of 32.
struct Block32 {
    int8_t q[32];    // within ±127
    float d;         // greatest magnitude / 127
    float d_sum;     // d · Σq, for weights with a minimum
    int32_t offset;  // −8 · Σq, for weights stored with 8 (16, 128) added
};

/// For weights in blocks of 256.
struct Block256 {
    int8_t q[256];
    float d;
    int16_t sums32[8];   // Σq of 32 at a time; like sums16 in the order of pairs: 0 2, 1 3, 4 6, 5 7, …
    int16_t sums16[16];  // Σq of 16 at a time
};

static_assert(sizeof(Block32) == 44 && sizeof(Block256) == 308);

}  // namespace godwit
