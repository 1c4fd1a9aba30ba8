// Numbers of fewer bits, simulated: a result is computed in float32 and then rounded to the nearest number that the
// format has. That is how PyTorch computes with bf16 and fp16 tensors on a CPU.
//
//   format  fraction bits  least exponent  largest
//   fp32    23             -126            3.4e38
//   bf16    7              -126            3.4e38     the range of fp32 with 2 to 3 decimal digits
//   fp16    10             -14             65504      4 digits, little range
//
// Two numbers of a format with the same exponent e lie 2^(e - fraction bits) apart; below the least exponent, where
// numbers are subnormal, they keep the distance that they have there.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace minimind {

struct NumberFormat {
    std::string name;
    int fraction_bits = 0;
    int least_exponent = 0;
    double largest = 0.0;
};

inline NumberFormat fp32_format() {
    return {"fp32", 23, -126, std::numeric_limits<float>::max()};
}

inline NumberFormat bf16_format() {
    return {"bf16", 7, -126, 0x1.FEp127};
}

inline NumberFormat fp16_format() {
    return {"fp16", 10, -14, 65504.0};
}

/// The nearest number of the format; of two that are equally near the one whose last bit is 0 (IEEE 754's rounding).
/// Beyond the largest one by half a step or more: infinity. Exact: dividing by a power of two rounds nothing.
inline float rounded(float x, const NumberFormat& format) {
    if (x == 0.0F || !std::isfinite(x)) return x;
    const int exponent = std::max(std::ilogb(x), format.least_exponent);
    const double step = std::ldexp(1.0, exponent - format.fraction_bits);
    const double nearest = std::nearbyint(static_cast<double>(x) / step) * step;
    if (std::abs(nearest) > format.largest) return std::copysign(std::numeric_limits<float>::infinity(), x);
    return static_cast<float>(nearest);
}

}  // namespace minimind
