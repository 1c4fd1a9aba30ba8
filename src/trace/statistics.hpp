// What one line says of a tensor. NaN and infinities are counted; the rest is over the finite values, summed in double.
#pragma once

#include <cstdint>

#include "trace/tensor_view.hpp"

namespace minimind {

struct Statistics {
    std::int64_t count = 0;
    std::int64_t nan_count = 0;
    std::int64_t pos_inf_count = 0;
    std::int64_t neg_inf_count = 0;
    double mean = 0.0;
    double std = 0.0;  // with n - 1, as torch.std
    double min = 0.0;
    double max = 0.0;
    double rms = 0.0;  // sqrt(mean(x^2)) over all values

    /// The labs' measure: the mean over all vectors of the last axis of sqrt(mean(x^2)), in float32, as
    /// x.float().pow(2).mean(-1).sqrt().mean(). Unlike the rest it is over all values, NaN and infinity too.
    float mean_rms = 0.0F;

    std::int64_t finite_count() const { return count - nan_count - pos_inf_count - neg_inf_count; }
};

/// Without a finite value mean, std, min, max and rms are NaN; of one value the std is NaN.
Statistics statistics_of(const TensorView& tensor);

}  // namespace minimind
