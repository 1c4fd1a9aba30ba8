#include "model/elementwise.hpp"

#include "core/threads.hpp"
#include "model/vector_math.hpp"

namespace minimind {

arma::fmat elementwise_sum(arma::fmat a, const arma::fmat& b) {
    parallel_for(static_cast<std::int64_t>(a.n_cols), static_cast<std::int64_t>(a.n_elem), [&](std::int64_t column) {
        const auto token = static_cast<arma::uword>(column);
        add_row(a.colptr(token), b.colptr(token), static_cast<std::int64_t>(a.n_rows));
    });
    return a;
}

arma::fmat elementwise_product(arma::fmat a, const arma::fmat& b) {
    parallel_for(static_cast<std::int64_t>(a.n_cols), static_cast<std::int64_t>(a.n_elem), [&](std::int64_t column) {
        const auto token = static_cast<arma::uword>(column);
        multiply_row(a.colptr(token), b.colptr(token), static_cast<std::int64_t>(a.n_rows));
    });
    return a;
}

}  // namespace minimind
