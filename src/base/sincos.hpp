// sine and cosine in double from + − × and fma alone, so that rotary angles have the same bits on every machine
// (invariant I2b).
#pragma once

#include <cmath>
#include <cstdint>

namespace godwit {

struct SinCos {
    double sin, cos;
};

/// For |x| ≤ 2^30; error below 2^-50 absolute for |x| ≤ 2^24 (a position × the highest frequency).
/// Reduction by π/2 in three parts (Cody and Waite), then the Taylor polynomials on [−π/4, π/4].
inline SinCos sincos(double x) {
    constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
    constexpr double kHalfPi1 = 0x1.921fb54400000p+0;  // 33 bits each, so that n × part is exact for n < 2^20
    constexpr double kHalfPi2 = 0x1.0b4611a600000p-34;
    constexpr double kHalfPi3 = 0x1.3198a2e037073p-69;
    double n = std::floor(std::fma(x, kTwoOverPi, 0.5));
    double r = std::fma(n, -kHalfPi3, std::fma(n, -kHalfPi2, std::fma(n, -kHalfPi1, x)));
    double z = r * r;

    double s = std::fma(z, -1.0 / 1307674368000, 1.0 / 6227020800);
    s = std::fma(z, s, -1.0 / 39916800);
    s = std::fma(z, s, 1.0 / 362880);
    s = std::fma(z, s, -1.0 / 5040);
    s = std::fma(z, s, 1.0 / 120);
    s = std::fma(z, s, -1.0 / 6);
    double sine = std::fma(r * z, s, r);

    double c = std::fma(z, 1.0 / 20922789888000, -1.0 / 87178291200);
    c = std::fma(z, c, 1.0 / 479001600);
    c = std::fma(z, c, -1.0 / 3628800);
    c = std::fma(z, c, 1.0 / 40320);
    c = std::fma(z, c, -1.0 / 720);
    c = std::fma(z, c, 1.0 / 24);
    c = std::fma(z, c, -0.5);
    double cosine = std::fma(z, c, 1.0);

    switch (static_cast<int64_t>(n) & 3) {
        case 0:
            return {sine, cosine};
        case 1:
            return {cosine, -sine};
        case 2:
            return {-sine, -cosine};
        default:
            return {-cosine, sine};
    }
}

}  // namespace godwit
