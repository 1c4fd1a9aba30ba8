#include "trace/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/threads.hpp"
#include "core/vectorised.hpp"

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
    double sum_of_rms = 0.0;  // over rows, each in float32
};

Sums operator+(const Sums& a, const Sums& b) {
    return {
        a.finite + b.finite,           a.nans + b.nans,        a.pos_infs + b.pos_infs, a.sum + b.sum,
        a.sum_squares + b.sum_squares, std::min(a.min, b.min), std::max(a.max, b.max),  a.sum_of_rms + b.sum_of_rms};
}

/// The finite values are picked by arithmetic rather than by branches, so that the compiler can vectorise the loop.
MINIMIND_INLINE inline Sums sums_of(const float* x, std::int32_t n, std::int64_t stride) {
    std::int32_t finite = 0;
    std::int32_t nans = 0;
    std::int32_t pos_infs = 0;
    double sum = 0.0;
    double sum_squares = 0.0;
    float low = std::numeric_limits<float>::infinity();
    float high = -std::numeric_limits<float>::infinity();
    constexpr float largest = std::numeric_limits<float>::max();
#pragma omp simd reduction(+ : finite, nans, pos_infs, sum, sum_squares) reduction(min : low) reduction(max : high)
    for (std::int32_t i = 0; i < n; ++i) {
        const float value = x[i * stride];
        const bool is_finite = value >= -largest && value <= largest;
        const float counted = is_finite ? value : 0.0F;
        const auto wide = static_cast<double>(counted);
        finite += is_finite ? 1 : 0;
        nans += value != value ? 1 : 0;
        pos_infs += value > largest ? 1 : 0;
        sum += wide;
        sum_squares += wide * wide;
        low = is_finite && value < low ? value : low;
        high = is_finite && value > high ? value : high;
    }
    return {finite, nans, pos_infs, sum, sum_squares, static_cast<double>(low), static_cast<double>(high), 0.0};
}

/// One vector along the last axis, in pieces that 32-bit counters can count; its RMS in float32.
Sums sums_of_row(const float* x, const Axis& axis) {
    constexpr std::int64_t piece = 1 << 20;
    Sums row;
    for (std::int64_t first = 0; first < axis.size; first += piece) {
        const auto n = static_cast<std::int32_t>(std::min(piece, axis.size - first));
        Sums part;
        const auto sum = [&]() MINIMIND_INLINE {
            part = axis.stride == 1 ? sums_of(x + first, n, 1) : sums_of(x + first * axis.stride, n, axis.stride);
        };
        run_vectorised(sum);
        row = row + part;
    }
    double mean_square = row.sum_squares / static_cast<double>(axis.size);
    if (row.finite < axis.size) mean_square = std::numeric_limits<double>::infinity();
    if (row.nans > 0) mean_square = std::numeric_limits<double>::quiet_NaN();
    row.sum_of_rms = static_cast<double>(std::sqrt(static_cast<float>(mean_square)));
    return row;
}

/// All rows, in a fixed number of groups that are added up in order: the same sums on any number of threads.
Sums sums_of_rows(const TensorView& tensor, const std::vector<std::int64_t>& rows) {
    const Axis last = tensor.rank() == 0 ? Axis{1, 1, 1} : tensor.axis(tensor.rank() - 1);
    const std::int64_t groups = std::min<std::int64_t>(64, std::ssize(rows));
    std::vector<Sums> partial(static_cast<std::size_t>(groups));
    parallel_for(groups, tensor.count(), [&](std::int64_t group) {
        Sums sums;
        const std::int64_t end = (group + 1) * std::ssize(rows) / groups;
        for (std::int64_t row = group * std::ssize(rows) / groups; row < end; ++row) {
            sums = sums + sums_of_row(tensor.f32() + rows[static_cast<std::size_t>(row)], last);
        }
        partial[static_cast<std::size_t>(group)] = sums;
    });
    Sums total;
    for (const Sums& sums : partial) total = total + sums;
    return total;
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
    std::vector<std::int64_t> rows;  // where each vector along the last axis begins
    if (count > 0) tensor.for_each_row([&](std::int64_t first) { rows.push_back(first); });
    const Sums total = sums_of_rows(tensor, rows);
    Statistics s = summary(total, count);
    s.mean_rms = rows.empty() ? std::numeric_limits<float>::quiet_NaN()
                              : static_cast<float>(total.sum_of_rms / static_cast<double>(rows.size()));
    return s;
}

}  // namespace minimind
