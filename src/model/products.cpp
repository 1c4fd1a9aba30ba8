#include "model/products.hpp"

#include <cblas.h>

#include <algorithm>

#include "core/threads.hpp"

namespace minimind {

namespace {

blasint to_blas(arma::uword n) {
    return static_cast<blasint>(n);
}

/// y = alpha * a^T x, or alpha * a x, plus beta * y: one matrix-vector product.
void gemv(CBLAS_TRANSPOSE transpose, const Columns& a, const float* x, float alpha, float beta, float* y) {
    cblas_sgemv(CblasColMajor, transpose, to_blas(a.rows), to_blas(a.cols), alpha, a.data, to_blas(a.stride), x, 1,
                beta, y, 1);
}

constexpr arma::uword few_columns = 8;  // these take 0.4 to 0.6 of sgemm's time

/// So many columns of `a` at a time that they stay in a core's cache.
arma::uword columns_in_cache(const Columns& a) {
    constexpr arma::uword floats = 1 << 15;
    return std::max<arma::uword>(1, floats / a.rows);
}

}  // namespace

Columns columns_of(const arma::fmat& matrix) {
    return {matrix.memptr(), matrix.n_rows, matrix.n_cols, matrix.n_rows};
}

arma::fmat linear(const arma::fmat& weight, const arma::fmat& x) {
    arma::fmat y(weight.n_cols, x.n_cols, arma::fill::none);  // [out, tokens]
    multiply_transposed(columns_of(weight), columns_of(x), 1.0F, y.memptr(), y.n_rows);
    return y;
}

void multiply_transposed(const Columns& a, const Columns& b, float scale, float* out, arma::uword out_stride) {
    if (a.cols == 0 || b.cols == 0) return;
    if (b.cols == 1) return gemv(CblasTrans, a, b.data, scale, 0.0F, out);
    if (b.cols > few_columns) {
        cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, to_blas(a.cols), to_blas(b.cols), to_blas(a.rows), scale,
                    a.data, to_blas(a.stride), b.data, to_blas(b.stride), 0.0F, out, to_blas(out_stride));
        return;
    }
    const arma::uword piece = columns_in_cache(a);
    const auto pieces = static_cast<std::int64_t>((a.cols + piece - 1) / piece);
    parallel_for(pieces, static_cast<std::int64_t>(a.rows * a.cols), [&](std::int64_t i) {
        const arma::uword first = static_cast<arma::uword>(i) * piece;
        const Columns part = a.range(first, std::min(piece, a.cols - first));
        for (arma::uword column = 0; column < b.cols; ++column) {
            gemv(CblasTrans, part, b.data + column * b.stride, scale, 0.0F, out + column * out_stride + first);
        }
    });
}

void multiply(const Columns& a, const Columns& b, float* out, arma::uword out_stride) {
    if (a.rows == 0 || b.cols == 0) return;
    if (b.cols > few_columns) {
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, to_blas(a.rows), to_blas(b.cols), to_blas(a.cols), 1.0F,
                    a.data, to_blas(a.stride), b.data, to_blas(b.stride), 0.0F, out, to_blas(out_stride));
        return;
    }
    const arma::uword piece = columns_in_cache(a);
    for (arma::uword first = 0; first < a.cols; first += piece) {
        const Columns part = a.range(first, std::min(piece, a.cols - first));
        const float beta = first == 0 ? 0.0F : 1.0F;  // the first piece sets the sum, the others add to it
        for (arma::uword column = 0; column < b.cols; ++column) {
            gemv(CblasNoTrans, part, b.data + column * b.stride + first, 1.0F, beta, out + column * out_stride);
        }
    }
}

}  // namespace minimind
