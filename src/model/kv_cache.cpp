#include "model/kv_cache.hpp"

#include <algorithm>

namespace minimind {

namespace {

/// `cube` with room for `capacity` columns, the first `used` of them kept.
arma::fcube grown(const arma::fcube& cube, arma::uword rows, arma::uword capacity, arma::uword slices,
                  arma::uword used) {
    arma::fcube larger(rows, capacity, slices, arma::fill::none);
    for (arma::uword b = 0; b < slices && used > 0; ++b) {
        std::copy_n(cube.slice_memptr(b), rows * used, larger.slice_memptr(b));
    }
    return larger;
}

}  // namespace

void LayerCache::append(const arma::fmat& k, const arma::fmat& v, Batch batch) {
    const auto old_length = static_cast<arma::uword>(length_);
    const auto seq = static_cast<arma::uword>(batch.seq);
    const auto slices = static_cast<arma::uword>(batch.batch);
    const arma::uword needed = old_length + seq;
    if (needed > k_.n_cols || k_.n_slices != slices) {
        const arma::uword capacity = std::max(needed, 2 * k_.n_cols);  // doubling: on average a token is moved once
        k_ = grown(k_, k.n_rows, capacity, slices, old_length);
        v_ = grown(v_, v.n_rows, capacity, slices, old_length);
    }
    for (arma::uword b = 0; b < slices; ++b) {
        std::copy_n(k.colptr(b * seq), k.n_rows * seq, k_.slice_colptr(b, old_length));
        std::copy_n(v.colptr(b * seq), v.n_rows * seq, v_.slice_colptr(b, old_length));
    }
    length_ += batch.seq;
}

}  // namespace minimind
