// The elementwise work on one row of floats, written as plain loops that the compiler vectorises (core/vectorised.hpp).
// Threads are the caller's: these functions work on one row.
#pragma once

#include <cstdint>

namespace minimind {

/// x[i] = exp(x[i]). At most 2 units in the last place off; exact at 0, infinity and NaN.
void exp_row(float* x, std::int64_t n);

/// Softmax in place: exp(x - max) / sum(exp(x - max)). -infinity becomes 0.
void softmax_row(float* x, std::int64_t n);

/// y = x / sqrt(mean(x^2) + eps) * weight. x and y may be the same row.
void rms_norm_row(const float* x, const float* weight, float eps, float* y, std::int64_t n);

/// Rotary embedding of one head in place: x * cos + rotate_half(x) * sin, where rotate_half(x) = (-x[D/2:], x[:D/2]).
void rotate_row(float* x, const float* cos, const float* sin, std::int64_t head_dim);

/// Activations in place.
void silu_row(float* x, std::int64_t n);       // x * sigmoid(x) = x / (1 + exp(-x))
void gelu_row(float* x, std::int64_t n);       // x/2 * (1 + erf(x / sqrt(2)))
void gelu_tanh_row(float* x, std::int64_t n);  // x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))
void relu_row(float* x, std::int64_t n);       // max(x, 0)

/// y += x, y *= x, y += factor * x.
void add_row(float* y, const float* x, std::int64_t n);
void multiply_row(float* y, const float* x, std::int64_t n);
void add_scaled_row(float* y, const float* x, float factor, std::int64_t n);

}  // namespace minimind
