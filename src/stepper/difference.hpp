// How far two tensors of equal shape are apart, in double.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/tensor_view.hpp"

namespace minimind {

struct Difference {
    std::int64_t count = 0;           // elements of each
    std::int64_t unequal = 0;         // pairs that are not the same number
    double max_abs = 0.0;             // infinite where one is NaN or infinite and the other is not the same
    std::vector<std::int64_t> where;  // the index of the largest; empty if all are equal
    double a = 0.0;                   // the two numbers there
    double b = 0.0;

    // over the pairs of finite numbers
    double rms = 0.0;      // of a - b
    double rms_a = 0.0;    // of a
    double largest = 0.0;  // the largest |b|
    double cosine = 0.0;   // of a and b as two long vectors; NaN if one of them is 0

    /// rms(a - b) / rms(a): how large the change is beside what was there. 0 if nothing changed.
    double relative() const;
};

/// Precondition: equal shapes. A NaN equals a NaN.
Difference difference_of(const TensorView& a, const TensorView& b);

/// The largest difference that float32 sums in another order make: 2e-5 * max(1, largest |b|).
double sum_order_tolerance(const Difference& difference);

}  // namespace minimind
