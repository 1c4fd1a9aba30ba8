#include "model/rms_norm.hpp"

#include "core/threads.hpp"
#include "model/vector_math.hpp"

namespace minimind {

arma::fmat rms_norm(const arma::fmat& x, const arma::fmat& weight, double eps) {
    const auto d = static_cast<std::int64_t>(weight.n_elem);
    const auto count = static_cast<std::int64_t>(x.n_elem);
    arma::fmat y(x.n_rows, x.n_cols, arma::fill::none);
    parallel_for(count / d, count, [&](std::int64_t vector) {
        const std::int64_t first = vector * d;
        rms_norm_row(x.memptr() + first, weight.memptr(), static_cast<float>(eps), y.memptr() + first, d);
    });
    return y;
}

}  // namespace minimind
