#include "model/rms_norm.hpp"

#include "core/threads.hpp"
#include "model/vector_math.hpp"

namespace minimind {

namespace {

/// y = rms_norm(x); y may be x.
void normalise(const arma::fmat& x, const arma::fmat& weight, double eps, arma::fmat& y) {
    const auto d = static_cast<std::int64_t>(weight.n_elem);
    const auto count = static_cast<std::int64_t>(x.n_elem);
    parallel_for(count / d, count, [&](std::int64_t vector) {
        const std::int64_t first = vector * d;
        rms_norm_row(x.memptr() + first, weight.memptr(), static_cast<float>(eps), y.memptr() + first, d);
    });
}

}  // namespace

arma::fmat rms_norm(const arma::fmat& x, const arma::fmat& weight, double eps) {
    arma::fmat y(x.n_rows, x.n_cols, arma::fill::none);
    normalise(x, weight, eps, y);
    return y;
}

arma::fmat rms_norm(arma::fmat&& x, const arma::fmat& weight, double eps) {
    normalise(x, weight, eps, x);
    return std::move(x);
}

}  // namespace minimind
