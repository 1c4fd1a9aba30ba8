#include "trace/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace minimind {

namespace {

/// Sums over some values of a tensor.
struct Sums {
    std::int64_t finite = 0;
    std::int64_t nans = 0;
    std::int64_t pos_infs = 0;
    double sum = 0.0;
    double sum_squares = 0.0;
    double min = std::numeric_limits<double>::infinity();
    double max = -std::numeric_limits<double>::infinity();
};

/// The finite values are picked by arithmetic rather than by branches, so that the compiler can vectorise the loop.
Sums sums_of(const float* x, std::int64_t n, std::int64_t stride) {
    std::int64_t finite = 0;
    std::int64_t nans = 0;
    std::int64_t pos_infs = 0;
    double sum = 0.0;
    double sum_squares = 0.0;
    float low = std::numeric_limits<float>::infinity();
    float high = -std::numeric_limits<float>::infinity();
    constexpr float largest = std::numeric_limits<float>::max();
#pragma omp simd reduction(+ : finite, nans, pos_infs, sum, sum_squares) reduction(min : low) reduction(max : high)
    for (std::int64_t i = 0; i < n; ++i) {
        const float value = x[i * stride];
        const bool is_finite = value >= -largest && value <= largest;
        const double counted = is_finite ? static_cast<double>(value) : 0.0;
        finite += is_finite ? 1 : 0;
        nans += value != value ? 1 : 0;
        pos_infs += value > largest ? 1 : 0;
        sum += counted;
        sum_squares += counted * counted;
        low = is_finite && value < low ? value : low;
        high = is_finite && value > high ? value : high;
    }
    return {finite, nans, pos_infs, sum, sum_squares, static_cast<double>(low), static_cast<double>(high)};
}

Sums operator+(const Sums& a, const Sums& b) {
    return {a.finite + b.finite,           a.nans + b.nans,        a.pos_infs + b.pos_infs, a.sum + b.sum,
            a.sum_squares + b.sum_squares, std::min(a.min, b.min), std::max(a.max, b.max)};
}

Statistics summary(const Sums& sums, std::int64_t count) {
    Statistics s;
    s.count = count;
    s.nan_count = sums.nans;
    s.pos_inf_count = sums.pos_infs;
    s.neg_inf_count = count - sums.finite - sums.nans - sums.pos_infs;
    const auto n = static_cast<double>(sums.finite);
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (sums.finite == 0) {
        s.mean = s.std = s.min = s.max = s.rms = nan;
        return s;
    }
    s.mean = sums.sum / n;
    const double squared_deviations = std::max(0.0, sums.sum_squares - s.mean * sums.sum);
    s.std = sums.finite == 1 ? nan : std::sqrt(squared_deviations / (n - 1.0));
    s.min = sums.min;
    s.max = sums.max;
    s.rms = std::sqrt(sums.sum_squares / n);
    return s;
}

}  // namespace

Statistics statistics_of(const TensorView& tensor) {
    const std::int64_t count = tensor.count();
    if (tensor.dtype() == Dtype::i64) {
        const std::vector<float> values = tensor.to_f32();
        return statistics_of(TensorView(values.data(), tensor.shape()));
    }
    Sums total;
    double sum_of_rms = 0.0;
    std::int64_t rows = 0;
    const Axis last = tensor.rank() == 0 ? Axis{1, 1, 1} : tensor.axis(tensor.rank() - 1);
    if (count > 0) {
        tensor.for_each_row([&](std::int64_t first) {
            const Sums row = sums_of(tensor.f32() + first, last.size, last.stride);
            total = total + row;
            const bool all_finite = row.finite == last.size;
            const double mean_square = row.sum_squares / static_cast<double>(last.size);
            const double nan_or_inf =
                row.nans > 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
            sum_of_rms += static_cast<double>(std::sqrt(static_cast<float>(all_finite ? mean_square : nan_or_inf)));
            ++rows;
        });
    }
    Statistics s = summary(total, count);
    s.mean_rms = static_cast<float>(sum_of_rms / static_cast<double>(rows));  // NaN for no rows
    return s;
}

}  // namespace minimind
