#include "model/vector_math.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/vectorised.hpp"

namespace minimind {

namespace {

/// 2^n for n from -126 to 127, by writing n into the exponent of a float.
MINIMIND_INLINE inline float power_of_two(std::int32_t n) {
    return __builtin_bit_cast(float, (n + 127) << 23);
}

/// e^x = 2^n * e^r, where n = round(x / ln 2) and |r| <= ln(2) / 2, so that eight terms of the Taylor series of e^r are
/// exact to 5e-9. ln 2 is subtracted in two parts, the first with so few digits that n times it is exact.
MINIMIND_INLINE inline float exponential(float x) {
    constexpr float log2_e = 1.44269504F;
    constexpr float ln2_high = 0.693359375F;
    constexpr float ln2_low = -2.12194440e-4F;
    constexpr float round_to_integer = 12582912.0F;  // 1.5 * 2^23: adding it leaves no room for a fraction

    const float shifted = x * log2_e + round_to_integer;  // its last bits are n
    const std::int32_t n = __builtin_bit_cast(std::int32_t, shifted) << 10 >> 10;
    const float n_float = shifted - round_to_integer;
    const float r = (x - n_float * ln2_high) - n_float * ln2_low;

    float series = 1.0F / 5040.0F;
    series = series * r + 1.0F / 720.0F;
    series = series * r + 1.0F / 120.0F;
    series = series * r + 1.0F / 24.0F;
    series = series * r + 1.0F / 6.0F;
    series = series * r + 0.5F;
    series = series * r * r + r;

    // 2^n in two factors: n may be -150 (a denormal result) or 128 (infinity), which no float's exponent holds.
    const std::int32_t half = n >> 1;
    const float result = (series * power_of_two(half) + power_of_two(half)) * power_of_two(n - half);
    const float small = x < -104.0F ? 0.0F : result;
    return x > 89.0F ? std::numeric_limits<float>::infinity() : small;
}

MINIMIND_INLINE inline float hyperbolic_tangent(float x) {
    // 1 - 2 / (e^2x + 1) loses digits near 0, where the odd series takes over.
    const float square = x * x;
    const float series = x + x * square * (-1.0F / 3.0F + square * (2.0F / 15.0F - square * (17.0F / 315.0F)));
    const float ratio = 1.0F - 2.0F / (exponential(2.0F * x) + 1.0F);
    return square < 0.01F ? series : ratio;
}

/// erf(x), at most 2 units in the last place off. Near 0 it is x + x * small(x^2); elsewhere 1 - e^-large(|x|) with the
/// sign of x. Both polynomials are minimax fits whose error would not change erf by more than 1.6e-8 of itself.
MINIMIND_INLINE inline float error_function(float x) {
    const float square = x * x;
    float small = -0.000599940424F;
    small = small * square + 0.00499483012F;
    small = small * square - 0.0267677195F;
    small = small * square + 0.112818457F;
    small = small * square - 0.376124978F;
    small = small * square + 0.128379151F;

    const float size = x < 0.0F ? -x : x;
    const float clamped = size > 4.0F ? 4.0F : size;  // erf(4) is 1 in float32
    float large = -0.000195938264F;
    large = large * clamped + 0.00304322666F;
    large = large * clamped - 0.0222269557F;
    large = large * clamped + 0.103931665F;
    large = large * clamped + 0.637182176F;
    large = large * clamped + 1.12767565F;
    large = large * clamped + 0.000195666536F;
    const float far = 1.0F - exponential(-large);
    return size < 0.92F ? x + x * small : (x < 0.0F ? -far : far);
}

// Sums and maxima are taken in several lanes, which the compiler keeps in vectors: a single running sum would have to
// wait for each addition before the next.
constexpr std::int64_t lanes = 32;

/// The sum of term(i) for i from 0 to n - 1.
template <typename Term>
MINIMIND_INLINE inline float sum_over(std::int64_t n, const Term& term) {
    float sums[lanes] = {};
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) sums[lane] += term(i + lane);
    }
    for (std::int64_t half = lanes / 2; half > 0; half /= 2) {
        for (std::int64_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
    }
    float sum = sums[0];
    for (; i < n; ++i) sum += term(i);
    return sum;
}

MINIMIND_INLINE inline float largest_of(const float* x, std::int64_t n) {
    float largest[lanes];
    for (float& value : largest) value = x[0];
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            largest[lane] = x[i + lane] > largest[lane] ? x[i + lane] : largest[lane];
        }
    }
    float result = largest[0];
    for (const float value : largest) result = value > result ? value : result;
    for (; i < n; ++i) result = x[i] > result ? x[i] : result;
    return result;
}

}  // namespace

void exp_row(float* x, std::int64_t n) {
    run_vectorised([=]() MINIMIND_INLINE {
        for (std::int64_t i = 0; i < n; ++i) x[i] = exponential(x[i]);
    });
}

void softmax_row(float* x, std::int64_t n) {
    run_vectorised([=]() MINIMIND_INLINE {
        const float largest = largest_of(x, n);
        for (std::int64_t i = 0; i < n; ++i) x[i] = exponential(x[i] - largest);
        const float scale = 1.0F / sum_over(n, [=](std::int64_t i) MINIMIND_INLINE { return x[i]; });
        for (std::int64_t i = 0; i < n; ++i) x[i] *= scale;
    });
}

void rms_norm_row(const float* x, const float* weight, float eps, float* y, std::int64_t n) {
    run_vectorised([=]() MINIMIND_INLINE {
        const float sum_squares = sum_over(n, [=](std::int64_t i) MINIMIND_INLINE { return x[i] * x[i]; });
        const float scale = 1.0F / std::sqrt(sum_squares / static_cast<float>(n) + eps);
        for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] * scale * weight[i];
    });
}

void rotate_row(float* x, const float* cos, const float* sin, std::int64_t head_dim) {
    run_vectorised([=]() MINIMIND_INLINE {
        const std::int64_t half = head_dim / 2;
#pragma omp simd
        for (std::int64_t i = 0; i < half; ++i) {
            const float first = x[i];
            const float second = x[i + half];
            x[i] = first * cos[i] - second * sin[i];
            x[i + half] = second * cos[i + half] + first * sin[i + half];
        }
    });
}

void silu_row(float* x, std::int64_t n) {
    run_vectorised([=]() MINIMIND_INLINE {
        for (std::int64_t i = 0; i < n; ++i) x[i] = x[i] / (1.0F + exponential(-x[i]));
    });
}

void gelu_row(float* x, std::int64_t n) {
    run_vectorised([=]() MINIMIND_INLINE {
        constexpr float sqrt_half = 0.70710678F;
        for (std::int64_t i = 0; i < n; ++i) x[i] = x[i] * 0.5F * (1.0F + error_function(x[i] * sqrt_half));
    });
}

void gelu_tanh_row(float* x, std::int64_t n) {
    run_vectorised([=]() MINIMIND_INLINE {
        constexpr float sqrt_two_over_pi = 0.79788456F;
        for (std::int64_t i = 0; i < n; ++i) {
            const float inner = sqrt_two_over_pi * (x[i] + 0.044715F * x[i] * x[i] * x[i]);
            x[i] = 0.5F * x[i] * (1.0F + hyperbolic_tangent(inner));
        }
    });
}

void relu_row(float* x, std::int64_t n) {
    run_vectorised([=]() MINIMIND_INLINE {
        for (std::int64_t i = 0; i < n; ++i) x[i] = x[i] < 0.0F ? 0.0F : x[i];  // NaN stays NaN
    });
}

void add_row(float* y, const float* x, std::int64_t n) {
    run_vectorised([=]() MINIMIND_INLINE {
        for (std::int64_t i = 0; i < n; ++i) y[i] += x[i];
    });
}

void multiply_row(float* y, const float* x, std::int64_t n) {
    run_vectorised([=]() MINIMIND_INLINE {
        for (std::int64_t i = 0; i < n; ++i) y[i] *= x[i];
    });
}

void add_scaled_row(float* y, const float* x, float factor, std::int64_t n) {
    run_vectorised([=]() MINIMIND_INLINE {
        for (std::int64_t i = 0; i < n; ++i) y[i] += factor * x[i];
    });
}

}  // namespace minimind
