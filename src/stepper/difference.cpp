#include "stepper/difference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace minimind {

namespace {

/// Visits the elements of a tensor in row-major order.
class Elements {
  public:
    explicit Elements(const TensorView& tensor) : tensor_(tensor) {
        width_ = tensor.rank() == 0 ? 1 : tensor.axis(tensor.rank() - 1).size;
        last_ = tensor.rank() == 0 ? Axis{1, 1, 1} : tensor.axis(tensor.rank() - 1);
        tensor.for_each_row([this](std::int64_t offset) { rows_.push_back(offset); });
    }

    double operator[](std::int64_t n) const {
        const std::int64_t i = n % width_;
        const std::int64_t at = rows_[static_cast<std::size_t>(n / width_)] + i / last_.repeat * last_.stride;
        return tensor_.dtype() == Dtype::f32 ? static_cast<double>(tensor_.f32()[at])
                                             : static_cast<double>(tensor_.i64()[at]);
    }

  private:
    const TensorView& tensor_;
    std::int64_t width_ = 1;
    Axis last_;
    std::vector<std::int64_t> rows_;
};

std::vector<std::int64_t> index_at(std::int64_t n, const Shape& shape) {
    std::vector<std::int64_t> index(shape.size());
    for (std::size_t i = shape.size(); i-- > 0;) {
        index[i] = n % shape[i];
        n /= shape[i];
    }
    return index;
}

/// |a - b|; infinite where that is no number.
double distance(double a, double b) {
    if (a == b || (std::isnan(a) && std::isnan(b))) return 0.0;
    const double d = std::abs(a - b);
    return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

}  // namespace

double Difference::relative() const {
    if (rms == 0.0) return 0.0;
    return rms_a == 0.0 ? std::numeric_limits<double>::infinity() : rms / rms_a;
}

Difference difference_of(const TensorView& a, const TensorView& b) {
    Difference result;
    result.count = a.count();
    if (result.count == 0) return result;
    const Elements left(a);
    const Elements right(b);
    double squares = 0.0;
    double squares_a = 0.0;
    double squares_b = 0.0;
    double products = 0.0;
    std::int64_t finite = 0;
    for (std::int64_t n = 0; n < result.count; ++n) {
        const double x = left[n];
        const double y = right[n];
        const double d = distance(x, y);
        if (d > 0.0) ++result.unequal;
        if (d > result.max_abs) {
            result.max_abs = d;
            result.where = index_at(n, a.shape());
            result.a = x;
            result.b = y;
        }
        if (!std::isfinite(x) || !std::isfinite(y)) continue;
        ++finite;
        squares += d * d;
        squares_a += x * x;
        squares_b += y * y;
        products += x * y;
        result.largest = std::max(result.largest, std::abs(y));
    }
    const auto counted = static_cast<double>(std::max<std::int64_t>(finite, 1));
    result.rms = std::sqrt(squares / counted);
    result.rms_a = std::sqrt(squares_a / counted);
    result.cosine = products / std::sqrt(squares_a * squares_b);
    return result;
}

double sum_order_tolerance(const Difference& difference) {
    return 2e-5 * std::max(1.0, difference.largest);
}

}  // namespace minimind
